package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads headers whose names end with the window, and perhaps with what is counted: {@code
 * X-RateLimit-Remaining-Minute}, {@code X-RateLimit-Limit-Tokens-Minute}. Months and years are
 * known and have no effect, as they are not of one length.
 */
record NamedWindows(String prefix) implements HeaderFormat {

  private static final Pattern NAME =
      Pattern.compile(
          "(?:limit|remaining)(-(?:(req|requests|tokens)-)?(second|minute|hour|day|month|year))");

  private static final Map<String, Duration> WINDOWS =
      Map.of(
          "second", Duration.ofSeconds(1),
          "minute", Duration.ofMinutes(1),
          "hour", Duration.ofHours(1),
          "day", Duration.ofDays(1));

  @Override
  public List<String> beginnings() {
    return List.of(prefix);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    Set<CountHeaders> formats = new LinkedHashSet<>();
    for (String header : reading.names(prefix)) {
      Matcher name = NAME.matcher(header.substring(prefix.length()).toLowerCase(Locale.ROOT));
      if (name.matches()) {
        Duration window = WINDOWS.get(name.group(3));
        if (window == null) {
          reading.understood(header);
        } else {
          String cost = "tokens".equals(name.group(2)) ? "tokens" : "";
          formats.add(new CountHeaders(prefix, name.group(1), cost).withWindow(window));
        }
      }
    }
    PeerAnswer said = PeerAnswer.NOTHING;
    for (CountHeaders format : formats) {
      said = said.and(format.read(reading));
    }
    return said;
  }
}
