package dev.pacegate.engine.cost;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says why a plain cost limits nothing, and what to write instead. */
final class UncountedCost {

  private static final long DAY = Duration.ofDays(1).toNanos();
  private static final long LONGEST = Durations.MAX_DAYS * DAY; // of the intervals of a limit

  private final Cost cost;
  private final List<Limit> limits = new ArrayList<>(); // which promise something
  private final Set<String> counted = new LinkedHashSet<>(); // in words
  private final Set<String> names = new LinkedHashSet<>(); // of the costs that they count
  private boolean countsWhole;

  private UncountedCost(Cost cost) {
    this.cost = cost;
  }

  /**
   * Returns the text for a request that must keep {@code own}, if there is one, and {@code all}.
   */
  static String text(Cost cost, @Nullable Limit own, Limit all) {
    var uncounted = new UncountedCost(cost);
    if (own != null) {
      uncounted.add(own);
    }
    uncounted.add(all);
    return uncounted.text();
  }

  private void add(Limit limit) {
    if (limit.promises().isEmpty()) {
      return;
    }
    limits.add(limit);
    for (Promise promise : limit.promises()) {
      counted.add(promise.of().toString());
      countsWhole |= promise.countsWhole();
      if (promise.of().name() != null) {
        names.add(promise.of().name());
      }
    }
  }

  private String text() {
    String subject = String.join(" and ", limits.stream().map(Limit::toString).toList());
    return subject
        + (limits.size() == 1 ? " counts " : " count ")
        + String.join(" and ", counted)
        + ", so a plain cost of "
        + cost.amount()
        + " limits nothing: write "
        + advice();
  }

  private String advice() {
    if (names.isEmpty()) {
      return "a cost of 1" + (cost.amount() > LONGEST ? "" : ", or " + example());
    }
    names.removeAll(cost.names());
    return names.isEmpty()
        ? "a plain cost of 1"
        : String.join(" or ", names.stream().map(this::named).toList());
  }

  /** Returns it as Java reads it. */
  private String named(String name) {
    long amount = cost.amount();
    return "Cost.of(\"" + name + "\", " + amount + (amount > Integer.MAX_VALUE ? "L)" : ")");
  }

  /** Returns the first limit beside one that counts the cost, and takes it. */
  private String example() {
    long amount = cost.amount();
    long days = 1 + (amount - 1) / DAY; // a limit allows at most one per nanosecond
    String window = amount < 100_000_000 ? 10 * amount + "/1s" : amount + "/" + days + "d";
    return "a limit that counts the cost, such as "
        + (countsWhole ? "peer(" + window + ")" : window)
        + " & "
        + limits.get(0);
  }
}
