package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The ten-thousandth change costs what the tenth did. Costs are processor time of this thread,
 * which a busy machine leaves as it is.
 */
class ChangeCostTest {

  private static final int CHANGES = 10_000;
  private static final Duration GENEROUS = Duration.ofSeconds(20);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static void assertCheap(int times, IntFunction<String> limits) {
    long before = THREADS.getCurrentThreadCpuTime();
    change(times, limits);
    var took = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);
    assertTrue(took.compareTo(GENEROUS) < 0, took::toString);
  }

  private static void change(int times, IntFunction<String> limits) {
    ManualTime time = ManualTime.manual();
    try (Limiter limiter = Limiter.builder(limits.apply(0)).time(time).build()) {
      for (int i = 1; i <= times; i++) {
        limiter.tryAcquire().ifPresent(Permit::answered);
        limiter.setLimit(Limits.parse(limits.apply(i)));
        time.advance(Duration.ofMillis(1));
      }
    }
  }

  @Test
  void everShorterWindows() {
    assertCheap(CHANGES, i -> "10/" + (20_000 - i) + "ms");
  }

  @Test
  void everShorterWindowsAsThePeerCounts() {
    assertCheap(CHANGES, i -> "peer(10/" + (20_000 - i) + "ms)");
  }

  @Test
  void kindsThatTakeTurns() {
    List<String> kinds =
        List.of(
            "10/1s",
            "bucket(10/1s, burst=4)",
            "peer(5/2s)",
            "concurrent(3)",
            "fixed(7/1s)",
            "unlimited",
            "spacing(100ms)",
            "aligned(20/10s)");
    assertCheap(CHANGES, i -> kinds.get(i % kinds.size()));
  }

  @Test
  void manyTerms() {
    assertCheap(CHANGES / 100, ChangeCostTest::terms);
  }

  private static String terms(int shift) {
    return IntStream.range(1, 101)
        .mapToObj(i -> i + "/" + (1000 * i + shift) + "ms")
        .collect(Collectors.joining(" & "));
  }
}
