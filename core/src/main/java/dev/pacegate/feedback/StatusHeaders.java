package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads a limit, what is left of it and an instant, as Bybit sends them: {@code X-Bapi-Limit},
 * {@code X-Bapi-Limit-Status}, {@code X-Bapi-Limit-Reset-Timestamp}. The instant is the reset only
 * if nothing is left, and the present otherwise.
 */
record StatusHeaders(String header) implements HeaderFormat {

  @Override
  public List<String> beginnings() {
    return List.of(header);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    if (reading.names(header).isEmpty()) {
      return PeerAnswer.NOTHING;
    }
    List<Long> limits = reading.values(header, HeaderValues::amount);
    List<Long> left = reading.values(header + "-Status", HeaderValues::amount);
    List<Duration> resets = reading.waits(header + "-Reset-Timestamp");
    if (left.size() != 1 || limits.size() > 1) {
      return PeerAnswer.NOTHING;
    }
    boolean spent = left.get(0) == 0;
    Quota quota =
        Quotas.of(
            header,
            limits.stream().findFirst(),
            Optional.of(left.get(0)),
            Optional.empty(),
            resets.stream().filter(reset -> spent).findFirst());
    return PeerAnswer.NOTHING.withQuotas(List.of(quota));
  }
}
