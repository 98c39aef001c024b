package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads headers with a common prefix that state one quota each, {@code total=100; remaining=99;
 * resets=41}, in seconds.
 */
record TotalHeaders(String prefix) implements HeaderFormat {

  @Override
  public List<String> beginnings() {
    return List.of(prefix);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    var quotas = new ArrayList<Quota>();
    for (String header : reading.names(prefix)) {
      quotas.addAll(reading.values(header, text -> quota(header, text)));
    }
    return PeerAnswer.NOTHING.withQuotas(quotas);
  }

  private static Optional<Quota> quota(String header, String text) {
    Map<String, String> stated = StructuredList.dictionary(text.replace(';', ','));
    Optional<Long> remaining = value(stated, "remaining").flatMap(HeaderValues::amount);
    return remaining.map(
        left ->
            Quotas.of(
                header,
                value(stated, "total").flatMap(HeaderValues::amount),
                remaining,
                Optional.empty(),
                value(stated, "resets").flatMap(HeaderValues::seconds)));
  }

  private static Optional<String> value(Map<String, String> stated, String key) {
    return Optional.ofNullable(stated.get(key));
  }
}
