package dev.pacegate.engine;

/** How a request is treated that cannot go at once. */
public enum AcquireMode {

  /** It is refused. */
  TRY,

  /** It is not refused, as the caller asks again: no refusal is counted or reported. */
  POLL,

  /** It waits. */
  WAIT
}
