package dev.pacegate.adapter;

/** The point at which a request counts as answered and its permit ends. */
public enum Answered {

  /**
   * When the response's status and headers are in: for peers that count a request on its arrival,
   * and for bodies that take long or are not read to the end.
   */
  HEADERS,

  /**
   * When the response's body is in. If the body breaks off or is cancelled, the outcome is unknown
   * and the permit is lost. While the body is not read, the permit stays open.
   */
  BODY
}
