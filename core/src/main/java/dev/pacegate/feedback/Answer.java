package dev.pacegate.feedback;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * An answer of the peer, as far as readers need it.
 *
 * @param status the status code
 * @param headers returns the values of a header, in order, ignoring the case of its name; empty if
 *     the header is absent
 * @param receivedAt when the answer came in
 */
public record Answer(int status, Function<String, List<String>> headers, Instant receivedAt) {

  /** Returns all values of a header. */
  public List<String> all(String header) {
    return headers.apply(header);
  }

  /** Returns the instant of the answer by the peer's clock if it has a date, otherwise by ours. */
  Instant now() {
    return date().orElse(receivedAt);
  }

  /** Returns the instant of the answer by the peer's clock; empty if a cache stored the answer. */
  Optional<Instant> freshDate() {
    boolean kept = all("Age").stream().anyMatch(age -> !age.trim().equals("0"));
    return kept ? Optional.empty() : date();
  }

  Optional<Instant> date() {
    return all("Date").stream().flatMap(text -> HeaderValues.date(text).stream()).findFirst();
  }
}
