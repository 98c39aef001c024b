package dev.pacegate.adapter.tck;

/** A feature of a client by which one call sends several requests. */
public enum ClientFeature {
  /** It follows redirects. */
  REDIRECTS,

  /** It sends a request again with credentials if the server asks for them. */
  AUTHENTICATION,

  /** It sends a request again if the connection closes before the response. */
  CONNECTION_RETRIES,

  /** It sends a request again if the response is a 503, with or without {@code Retry-After: 0}. */
  STATUS_RETRIES,

  /** It speaks HTTP/2. */
  HTTP_2
}
