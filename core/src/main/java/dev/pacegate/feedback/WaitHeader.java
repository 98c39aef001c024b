package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Reads a header that asks for a wait; of several values the longest counts. A wait of zero is
 * none.
 */
record WaitHeader(String header, BiFunction<String, Instant, Optional<Duration>> parser)
    implements HeaderFormat {

  @Override
  public List<String> beginnings() {
    return List.of(header);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    return reading.values(header, text -> parser.apply(text, reading.now())).stream()
        .filter(Quotas::isPositive)
        .max(Duration::compareTo)
        .map(wait -> PeerAnswer.NOTHING.withRetryAfter(wait, header))
        .orElse(PeerAnswer.NOTHING);
  }
}
