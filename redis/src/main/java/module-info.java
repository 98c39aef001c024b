/** Limits that programs share through Redis. */
module dev.pacegate.redis {
  requires transitive dev.pacegate;
  requires transitive lettuce.core;
  requires static org.jspecify;
}
