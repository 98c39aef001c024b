/** A paced version of Apache HttpClient 5. */
module dev.pacegate.apache {
  requires transitive dev.pacegate;
  requires transitive org.apache.httpcomponents.client5.httpclient5;
  requires transitive org.apache.httpcomponents.core5.httpcore5;
  requires static org.jspecify;

  exports dev.pacegate.apache;
}
