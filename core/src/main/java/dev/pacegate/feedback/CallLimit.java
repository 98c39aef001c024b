package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.util.List;
import java.util.Optional;

/** Reads a header that states what is used and what is allowed: {@code 32/40}. */
record CallLimit(String header) implements HeaderFormat {

  @Override
  public List<String> beginnings() {
    return List.of(header);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    return PeerAnswer.NOTHING.withQuotas(reading.values(header, this::quota));
  }

  private Optional<Quota> quota(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return Optional.empty();
    }
    Optional<Long> used = HeaderValues.used(text.substring(0, slash));
    Optional<Long> limit = HeaderValues.amount(text.substring(slash + 1));
    return used.isEmpty() || limit.isEmpty() || limit.get() == 0
        ? Optional.empty()
        : Optional.of(Quota.used(used.get()).withName(header).withLimit(limit.get()));
  }
}
