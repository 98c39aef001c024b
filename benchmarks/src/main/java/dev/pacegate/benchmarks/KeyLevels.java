package dev.pacegate.benchmarks;

import dev.pacegate.KeyedLimiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** What a call costs for one of many keys, by how many limits it is charged to. */
final class KeyLevels {

  // Limits of a day, so that keys stay known.
  private static final String KEY = "1000/1d";
  private static final String GROUP = "1000000000/1d";
  private static final String ALL = "1000000000/1d";
  private static final int CALLS = 1 << 20;

  /** The median of the rounds, in nanoseconds a call. */
  record Row(String name, double nanos) {}

  private final Long[] calls = new Long[CALLS]; // the keys of the calls
  private final int keys;
  private final int groups;
  private final int rounds;
  private final List<Row> rows = new ArrayList<>();

  KeyLevels(int keys, int groups, int rounds) {
    this.keys = keys;
    this.groups = groups;
    this.rounds = rounds;
    var known = new Long[keys];
    Arrays.setAll(known, i -> (long) i);
    var random = new SplittableRandom(1);
    Arrays.setAll(calls, i -> known[random.nextInt(keys)]);
  }

  void measure() {
    row("the key", KeyedLimiter.of(KEY));
    row("the key and all", KeyedLimiter.builder(KEY).within(ALL).build());
    KeyedLimiter<Long> known = KeyedLimiter.builder(GROUP).within(ALL).build();
    row(
        "the key, its group and all",
        KeyedLimiter.builder(KEY).within(known, (Long key) -> key % groups).build());
  }

  private void row(String name, KeyedLimiter<Long> limiter) {
    System.out.println("levels: " + name);
    var each = new double[rounds];
    for (int round = -1; round < rounds; round++) { // the first one warms up
      each[Math.max(0, round)] = nanos(limiter);
    }
    Arrays.sort(each);
    rows.add(new Row(name, each[rounds / 2]));
  }

  private double nanos(KeyedLimiter<Long> limiter) {
    long began = System.nanoTime();
    for (Long key : calls) {
      if (limiter.tryAcquire(key).isEmpty()) {
        throw new IllegalStateException("refused a request of " + limiter);
      }
    }
    return (System.nanoTime() - began) / (double) CALLS;
  }

  String[] lines() {
    var lines = new ArrayList<String>();
    lines.add("");
    lines.add("## The levels of a key");
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "One thread calls `tryAcquire` for keys drawn from %,d, in %,d groups where there are"
                + " any: nanoseconds a call, the median of %d rounds.",
            keys,
            groups,
            rounds));
    lines.addAll(List.of("", "| a request is charged to | ns |", "|---|--:|"));
    for (Row row : rows) {
      lines.add(String.format(Locale.ROOT, "| %s | %.0f |", row.name(), row.nanos()));
    }
    return lines.toArray(String[]::new);
  }
}
