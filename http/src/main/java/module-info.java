/** A paced version of the JDK's HttpClient. */
module dev.pacegate.http {
  requires transitive dev.pacegate;
  requires transitive java.net.http;
  requires static org.jspecify;

  exports dev.pacegate.http;
}
