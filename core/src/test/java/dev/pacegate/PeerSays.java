package dev.pacegate;

import java.time.Instant;
import java.util.List;

/** Answers to accepted requests that say one thing, heard by a limiter that does not learn. */
public final class PeerSays {

  private static final Backoff NO_LEARNING = Backoff.standard().withLearning(false);

  private PeerSays() {}

  /** Returns how much others have taken. */
  public static long quota(Limiter limiter, Permit permit, Quota quota) {
    return limiter.heard(permit, PeerAnswer.NOTHING.withQuotas(List.of(quota)), NO_LEARNING);
  }

  public static void date(Limiter limiter, Permit permit, Instant date) {
    limiter.heard(permit, PeerAnswer.NOTHING.withDate(date), NO_LEARNING);
  }
}
