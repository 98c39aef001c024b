package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads headers that state how much is used, and whose name ends with the window: {@code
 * X-MBX-USED-WEIGHT-1M} is the prefix {@code X-MBX-USED-WEIGHT-}, a number and S, M, H or D.
 */
record UsedHeaders(String prefix, String cost) implements HeaderFormat {

  private static final Pattern WINDOW = Pattern.compile("(\\d{1,5})([SMHD])");

  @Override
  public List<String> beginnings() {
    return List.of(prefix);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    var quotas = new ArrayList<Quota>();
    for (String header : reading.names(prefix)) {
      window(header)
          .ifPresent(
              window ->
                  used(reading, header)
                      .map(quota -> quota.withWindow(window).withCost(cost))
                      .ifPresent(quotas::add));
    }
    return PeerAnswer.NOTHING.withQuotas(quotas);
  }

  private Optional<Duration> window(String header) {
    Matcher matcher = WINDOW.matcher(header.substring(prefix.length()).toUpperCase(Locale.ROOT));
    return matcher.matches()
        ? Optional.of(unit(matcher.group(2)).multipliedBy(Integer.parseInt(matcher.group(1))))
            .filter(Quotas::isPositive)
        : Optional.empty();
  }

  private static Duration unit(String letter) {
    return switch (letter) {
      case "S" -> Duration.ofSeconds(1);
      case "M" -> Duration.ofMinutes(1);
      case "H" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }

  /** Returns the quota that a header states; of several values the largest counts. */
  static Optional<Quota> used(Reading reading, String header) {
    return reading.values(header, HeaderValues::used).stream()
        .max(Long::compare)
        .map(used -> Quota.used(used).withName(header));
  }
}
