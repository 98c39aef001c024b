package dev.pacegate.proxy;

/** What becomes of a request that is under way when the time to drain is over. */
enum Unfinished {
  /** It is answered that it was not sent. */
  NOT_SENT,
  /** It was sent, or is being sent, and its connection or stream is broken. */
  CUT_OFF
}
