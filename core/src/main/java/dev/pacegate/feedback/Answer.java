package dev.pacegate.feedback;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What of an answer is read.
 *
 * @param status the status code
 * @param headers the values of a header, in order, whatever the case of its name; none if it is
 *     absent
 * @param receivedAt when the answer came in
 */
public record Answer(int status, Function<String, List<String>> headers, Instant receivedAt) {

  /** Returns all values of a header. */
  public List<String> all(String header) {
    return headers.apply(header);
  }

  /** Returns the instant of the answer by the peer's own clock, if it says so, or else by ours. */
  Instant now() {
    return date().orElse(receivedAt);
  }

  /** Returns the instant of the answer by the peer's own clock; none of one that a cache kept. */
  Optional<Instant> freshDate() {
    boolean kept = all("Age").stream().anyMatch(age -> !age.trim().equals("0"));
    return kept ? Optional.empty() : date();
  }

  Optional<Instant> date() {
    return all("Date").stream().flatMap(text -> HeaderValues.date(text).stream()).findFirst();
  }
}
