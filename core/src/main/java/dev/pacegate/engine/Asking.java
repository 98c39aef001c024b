package dev.pacegate.engine;

/** What becomes of a request that cannot go at once. */
public enum Asking {

  /** It is refused. */
  TRY,

  /** It is not refused, as the caller comes again: no refusal is counted or told. */
  POLL,

  /** It waits. */
  WAIT
}
