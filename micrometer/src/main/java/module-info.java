/** Figures of limiters for Micrometer. */
module dev.pacegate.micrometer {
  requires transitive dev.pacegate;
  requires transitive micrometer.core;
  requires static org.jspecify;

  exports dev.pacegate.micrometer;
}
