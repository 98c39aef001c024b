/** A paced version of OkHttp's client. */
module dev.pacegate.okhttp {
  requires transitive dev.pacegate;
  requires transitive okhttp3;
  requires okio;
  requires static org.jspecify;

  exports dev.pacegate.okhttp;
}
