package dev.pacegate.benchmarks.growth;

import dev.pacegate.benchmarks.Text;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes the page on what operations cost while keys wait: some, many, very many. */
public final class Growth {

  private static final List<Integer> WAITING = List.of(10, 1_000, 100_000);
  private static final int MOST = WAITING.get(WAITING.size() - 1);
  private static final long GOAL_NANOS = 50_000;
  private static final long PROBE_GOAL_NANOS = 2_000_000;

  /** Enough for a median; less of what takes long. */
  private static final int ROUNDS = 201;

  private static final long LONGEST_NANOS = 3_000_000_000L;

  /** One operation with a number of keys that wait; the probe's longest call meanwhile. */
  private record Reading(long median, long probe) {}

  private final Map<Operation, Map<Integer, Reading>> readings = new EnumMap<>(Operation.class);

  private Growth() {}

  /**
   * Returns the page.
   *
   * @param quick whether to show no more than that everything works
   */
  public static String page(boolean quick) throws InterruptedException {
    var growth = new Growth();
    for (int waiting : WAITING) {
      System.out.println("growth: " + waiting + " keys wait");
      growth.measure(quick ? waiting / 10 : waiting, waiting, quick ? 3 : ROUNDS);
    }
    return growth.text().toString();
  }

  private void measure(int keys, int column, int rounds) throws InterruptedException {
    for (Operation operation : Operation.values()) {
      try (var world = new World(Math.max(1, keys));
          var probe = new Probe(world)) {
        repeat(operation, world, rounds); // which warms up
        probe.take();
        long median = repeat(operation, world, rounds);
        readings
            .computeIfAbsent(operation, unknown -> new HashMap<>())
            .put(column, new Reading(median, probe.take()));
      }
    }
  }

  /** Returns the median. */
  private static long repeat(Operation operation, World world, int rounds) {
    var nanos = new long[rounds];
    long began = System.nanoTime();
    int done = 0;
    while (done < rounds && System.nanoTime() - began < LONGEST_NANOS) {
      long start = System.nanoTime();
      operation.run(world);
      nanos[done++] = System.nanoTime() - start;
    }
    Arrays.sort(nanos, 0, done);
    return nanos[done / 2];
  }

  private Text text() {
    var text =
        new Text()
            .lines(
                "# What grows with what waits",
                "",
                "A limiter of keys under `peer(1/1h)`: each key has spent its permit, and one request of each waits. Another thread asks for",
                "a permit of its own key every 50 us, and notes its longest call: what anybody else waits for the gate.",
                "",
                "Made by `benchmarks/run growth`.",
                Text.format(
                    "Machine: %d processors, %s, Java %s; load average at the end %.1f: what is above 2 is other work, and noise.",
                    Runtime.getRuntime().availableProcessors(),
                    System.getProperty("os.arch"),
                    Runtime.version(),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()),
                "",
                "![What each operation takes while 100 000 keys wait](growth.svg)",
                "",
                "Medians of the whole call, in microseconds, by how many keys wait; then the probe's longest call while 100 000 wait. Ending the",
                "pause of all and another limit of all visit each key, but let others in between: of these only the probe's call has a goal.")
            .numbers("operation", "10", "1 000", "100 000", "probe, ms");
    for (Operation operation : Operation.values()) {
      var cells = new ArrayList<Object>(List.of(operation.title));
      WAITING.forEach(waiting -> cells.add(micros(reading(operation, waiting).median)));
      cells.add(Text.format("%.2f", reading(operation, MOST).probe / 1e6));
      text.row(cells.toArray());
    }
    text.lines("", "## Goals", "");
    for (Operation operation : Operation.values()) {
      Reading most = reading(operation, MOST);
      String probe = Text.format("%.2f ms of the probe of at most 2", most.probe / 1e6);
      if (operation.visitsEachKey) {
        text.claim(most.probe <= PROBE_GOAL_NANOS, operation.title + ": " + probe);
      } else {
        text.claim(
            most.median <= GOAL_NANOS && most.probe <= PROBE_GOAL_NANOS,
            Text.format(
                "%s: %s us of at most 50, %s", operation.title, micros(most.median), probe));
      }
    }
    return text;
  }

  private static String micros(long nanos) {
    return nanos < 1_000_000 ? Text.format("%.1f", nanos / 1e3) : Text.number(nanos / 1_000);
  }

  private Reading reading(Operation operation, int waiting) {
    return readings.getOrDefault(operation, Map.of()).getOrDefault(waiting, new Reading(0, 0));
  }
}
