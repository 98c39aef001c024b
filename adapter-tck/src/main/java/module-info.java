/** Tests that judge any adapter of an HTTP client. */
module dev.pacegate.adapter.tck {
  requires transitive dev.pacegate;
  requires transitive org.junit.jupiter.api;
  requires static org.jspecify;

  exports dev.pacegate.adapter.tck;
}
