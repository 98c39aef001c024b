package dev.pacegate.adapter.tck;

/** Which version of HTTP a client speaks. Servers of this kit have no TLS. */
public enum HttpVersion {
  /** HTTP/1.1. */
  HTTP_1_1,

  /** HTTP/2, by an upgrade of the first request or by prior knowledge. */
  HTTP_2
}
