package dev.pacegate.http;

/** When a request is answered, so that its permit ends. */
public enum Answered {

  /**
   * When the response's status and headers are in: for peers that count a request on its arrival,
   * and for bodies that take long or that nobody reads to the end.
   */
  HEADERS,

  /**
   * When the response's body is in. A body that breaks off, or is cancelled, leaves the outcome
   * unknown: its permit is lost. While nobody reads the body the permit stays open.
   */
  BODY
}
