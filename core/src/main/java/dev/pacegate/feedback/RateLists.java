package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads two headers that list numbers by windows in seconds, as Riot sends them: {@code
 * X-App-Rate-Limit: 20:1,100:120} is what each allows, {@code X-App-Rate-Limit-Count: 1:1,7:120}
 * what is used.
 */
record RateLists(String header) implements HeaderFormat {

  @Override
  public List<String> beginnings() {
    return List.of(header);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    if (reading.names(header).isEmpty()) {
      return PeerAnswer.NOTHING;
    }
    Map<Duration, Long> limits = byWindow(reading, header, HeaderValues::amount);
    Map<Duration, Long> used = byWindow(reading, header + "-Count", HeaderValues::used);
    var quotas = new ArrayList<Quota>();
    limits.forEach(
        (window, limit) -> {
          var count = Optional.ofNullable(used.get(window));
          var bare =
              Quotas.of(header, Optional.of(limit), Optional.empty(), count, Optional.empty());
          quotas.add(bare.withWindow(window));
        });
    return PeerAnswer.NOTHING.withQuotas(quotas);
  }

  private static Map<Duration, Long> byWindow(
      Reading reading, String header, Function<String, Optional<Long>> number) {
    var all = new LinkedHashMap<Duration, Long>();
    reading.values(header, text -> list(text, number)).forEach(all::putAll);
    return all;
  }

  /** Returns a whole list; empty if one of its parts makes no sense. */
  private static Optional<Map<Duration, Long>> list(
      String text, Function<String, Optional<Long>> number) {
    var all = new LinkedHashMap<Duration, Long>();
    for (String part : text.split(",", -1)) {
      List<String> sides = List.of(part.split(":", -1));
      if (sides.size() != 2) {
        return Optional.empty();
      }
      Optional<Long> amount = number.apply(sides.get(0));
      Optional<Duration> window = HeaderValues.seconds(sides.get(1)).filter(Quotas::isPositive);
      if (amount.isEmpty() || window.isEmpty()) {
        return Optional.empty();
      }
      all.put(window.get(), amount.get());
    }
    return Optional.of(all);
  }
}
