/** Paced operators for Reactive Streams. */
module dev.pacegate.reactive {
  requires transitive dev.pacegate;
  requires transitive org.reactivestreams;
  requires static org.jspecify;
  requires static reactor.core; // its context goes with its subscribers

  exports dev.pacegate.reactive;
}
