/** Paced operators for Reactive Streams. */
module dev.pacegate.reactive {
  requires transitive dev.pacegate;
  requires transitive org.reactivestreams;
  requires static org.jspecify;

  exports dev.pacegate.reactive;
}
