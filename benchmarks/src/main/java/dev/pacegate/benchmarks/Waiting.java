package dev.pacegate.benchmarks;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * What threads cost that wait: how fast a permit passes from one to the next, beside a fair {@link
 * Semaphore}, and how often threads are put to sleep for each permit of a rate.
 */
final class Waiting {

  private static final Path TASKS = Path.of("/proc/self/task");
  private static final int WARM_UP = 2;

  /** How many times as many permits as a semaphore a limiter hands over, in each round. */
  record HandOver(String threads, int count, double[] ratios) {}

  /** How often a thread sleeps for a permit. */
  record Sleeps(String limit, int threads, double each) {}

  /** One permit, taken and ended. */
  @FunctionalInterface
  private interface Turn {
    void take() throws InterruptedException;
  }

  private final int rounds;
  private final long millis;
  private final List<HandOver> handOvers = new ArrayList<>();
  private final List<Sleeps> sleeps = new ArrayList<>();

  Waiting(boolean quick) {
    this.rounds = quick ? 3 : 15;
    this.millis = quick ? 100 : 400;
  }

  void measure() throws InterruptedException {
    for (int count : new int[] {10, 100, 1_000}) {
      handOver("platform", Thread::new, count);
    }
    ThreadFactory virtual = virtual();
    for (int count : new int[] {10, 100, 1_000}) {
      if (virtual != null) {
        handOver("virtual", virtual, count);
      }
    }
    for (String limit :
        new String[] {
          "bucket(10000/1s)", "bucket(10000/1s, burst=20)", "1000/100ms", "peer(1000/100ms)"
        }) {
      for (int count : new int[] {100, 1_000, 4_000}) {
        sleeps(limit, count);
      }
    }
  }

  /** Returns the factory of virtual threads; null before JDK 21. */
  private static ThreadFactory virtual() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException none) {
      return null;
    }
  }

  private void handOver(String kind, ThreadFactory factory, int count) throws InterruptedException {
    System.out.println("waiting: " + count + " " + kind + " threads");
    var ratios = new double[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      Limiter limiter = Limiter.of("concurrent(1)");
      long ours = permits(factory, count, () -> limiter.acquire().answered());
      var semaphore = new Semaphore(1, true);
      long theirs =
          permits(
              factory,
              count,
              () -> {
                semaphore.acquire();
                semaphore.release();
              });
      if (round >= 0) {
        ratios[round] = (double) ours / theirs;
      }
    }
    Arrays.sort(ratios);
    handOvers.add(new HandOver(kind, count, ratios));
  }

  private void sleeps(String limit, int count) throws InterruptedException {
    if (Files.isDirectory(TASKS)) {
      System.out.println("waiting: " + count + " threads at " + limit);
      Limiter limiter = Limiter.of(limit);
      ThreadFactory factory = task -> new Thread(null, task, "sleeper", 1 << 18);
      var switches = new long[2];
      long permits =
          permits(factory, count, () -> limiter.acquire().answered(), 4 * millis, switches);
      sleeps.add(new Sleeps(limit, count, (double) (switches[1] - switches[0]) / permits));
    }
  }

  private long permits(ThreadFactory factory, int count, Turn turn) throws InterruptedException {
    return permits(factory, count, turn, millis, null);
  }

  /** Returns how many turns all take within some time, once all have begun to wait. */
  private static long permits(
      ThreadFactory factory, int count, Turn turn, long millis, long[] switches)
      throws InterruptedException {
    var taken = new LongAdder();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < count; i++) {
      Thread thread =
          factory.newThread(
              () -> {
                try {
                  while (!Thread.currentThread().isInterrupted()) {
                    turn.take();
                    taken.increment();
                  }
                } catch (InterruptedException over) {
                  // the end
                }
              });
      thread.start();
      threads.add(thread);
    }
    Thread.sleep(millis / 2); // until all wait
    if (switches != null) {
      switches[0] = voluntarySwitches();
    }
    long before = taken.sum();
    Thread.sleep(millis);
    long after = taken.sum();
    if (switches != null) {
      switches[1] = voluntarySwitches();
    }
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join();
    }
    return after - before;
  }

  private static long voluntarySwitches() {
    try (Stream<Path> tasks = Files.list(TASKS)) {
      return tasks.mapToLong(Waiting::voluntarySwitches).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long voluntarySwitches(Path task) {
    try {
      List<String> lines = Files.readAllLines(task.resolve("status"));
      return lines.get(0).endsWith("\tsleeper")
          ? lines.stream()
              .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          : 0;
    } catch (IOException gone) {
      return 0;
    }
  }

  String[] lines() {
    var lines = new ArrayList<>(HEAD);
    for (HandOver row : handOvers) {
      double[] sorted = row.ratios();
      lines.add(
          format(
              "| %d %s | %.2f | %.2f to %.2f |",
              row.count(),
              row.threads(),
              sorted[sorted.length / 2],
              sorted[0],
              sorted[sorted.length - 1]));
    }
    lines.addAll(
        List.of(
            "",
            "How often a thread sleeps for each permit, by what Linux counts; 1 is the least if each has to wait:",
            "",
            "| | threads | sleeps |",
            "|---|--:|--:|"));
    for (Sleeps row : sleeps) {
      lines.add(format("| `%s` | %d | %.2f |", row.limit(), row.threads(), row.each()));
    }
    return lines.toArray(String[]::new);
  }

  private static final List<String> HEAD =
      List.of(
          "",
          "## What waiting threads cost",
          "",
          "Threads take the only permit of `concurrent(1)` and end it, again and again; so do as many with a fair `Semaphore`,",
          "in turn. How many times as many permits the limiter hands over: the median of the rounds, the least and the most.",
          "",
          "| threads | times | least to most |",
          "|--:|--:|--:|");

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
