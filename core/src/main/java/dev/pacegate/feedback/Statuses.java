package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.util.Set;

/** Reads a verdict from the status, and the peer's date. */
record Statuses(Set<Integer> statuses, PeerVerdict verdict) implements HeaderFormat {

  @Override
  public PeerAnswer read(Reading reading) {
    boolean means = statuses.contains(reading.answer().status());
    PeerAnswer said = means ? PeerAnswer.NOTHING.withVerdict(verdict) : PeerAnswer.NOTHING;
    return reading.freshDate().map(said::withDate).orElse(said);
  }
}
