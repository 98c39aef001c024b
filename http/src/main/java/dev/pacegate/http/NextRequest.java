package dev.pacegate.http;

/** A request that follows from an answer. */
record NextRequest(Reason reason, Credentials.Round round) {

  /** Why it follows. */
  enum Reason {
    /** The answer redirects. */
    REDIRECT,
    /** The answer asks for credentials. */
    CREDENTIALS,
    /** The peer refused the request, because there were too many. */
    REFUSED
  }
}
