/** Limits that programs share through Redis. */
module dev.pacegate.redis {
  requires transitive dev.pacegate;
  requires transitive lettuce.core;
  requires io.netty.common;
  requires io.netty.transport;
  requires reactor.core;
  requires static org.jspecify;

  exports dev.pacegate.redis;
}
