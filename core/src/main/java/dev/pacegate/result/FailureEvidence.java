package dev.pacegate.result;

import dev.pacegate.limit.Outcome;

/**
 * What one exception says of a request. In a chain of exceptions the strongest evidence decides
 * (see {@link #or}): the earlier constant.
 */
public enum FailureEvidence {

  /** The request may have been sent, and its answer is missing. */
  LOST(Outcome.LOST),

  /** The exception carries the peer's answer, or was thrown while it was read. */
  ANSWERED(Outcome.ANSWERED),

  /** No connection was made, so nothing was sent. */
  NOT_SENT(Outcome.NOT_SENT),

  /** An unknown exception of a library or a program. */
  UNKNOWN(Outcome.LOST),

  /** A programming error: thrown before the request was sent or after it was answered. */
  OWN_ERROR(Outcome.ANSWERED),

  /** A note that a library has attached, such as a stack trace. */
  NOTE(Outcome.LOST),

  /** A wrapper of the JDK's, which says nothing itself. */
  NONE(Outcome.LOST);

  final Outcome outcome;

  FailureEvidence(Outcome outcome) {
    this.outcome = outcome;
  }

  /** Returns the stronger of both. */
  FailureEvidence or(FailureEvidence other) {
    return compareTo(other) <= 0 ? this : other;
  }
}
