package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/** What a pool keeps of what the peer has said. Guarded by the gate. */
final class PeerMemory {

  /** When the longest pause ends that an answer of the peer has begun. */
  long pausedUntil;

  /** When the longest pause ends that was reported. */
  long toldUntil;

  final RefusalRow row = new RefusalRow();

  /** What the peer accepts; null if no request has been heard of, or the limit bounds no rate. */
  @Nullable WorkingRate rate;

  /** Whether it was reported last that a working rate is in force. */
  boolean isRateTold;
}
