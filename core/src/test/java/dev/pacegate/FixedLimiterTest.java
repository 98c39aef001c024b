package dev.pacegate;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Windows of a limiter's own, in virtual time. */
class FixedLimiterTest {

  private final ManualTime time = ManualTime.manual(Long.MAX_VALUE - 5);
  private final long began = time.nanoTime();
  private final Limiter limiter =
      Limiter.builder("fixed(3/1s)").time(time).executor(Runnable::run).stamped(true).build();
  private final List<CompletableFuture<Permit>> line = new ArrayList<>();

  private int taken() {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  private void join(int size) {
    for (int i = 0; i < size; i++) {
      line.add(limiter.acquireAsync());
    }
  }

  /** Returns when each of the queue went that has gone, after the beginning. */
  private List<Duration> releases() {
    return line.stream()
        .filter(CompletableFuture::isDone)
        .map(f -> ofNanos(f.join().releasedAt() - began))
        .toList();
  }

  @Test
  void threeGoInAWindowThatTheFirstOfThemBegins() {
    time.advance(ofMillis(300));
    assertTrue(limiter.tryAcquire().isPresent());
    time.advance(ofMillis(999));
    assertEquals(2, taken());
    assertEquals(ofMillis(1), limiter.estimateWait(1));
    time.advance(ofMillis(1));
    assertEquals(3, taken());
  }

  @Test
  void idlenessRestoresTheAllowance() {
    assertEquals(3, taken());
    time.advance(ofHours(1).plusMillis(400));
    assertEquals(3, taken());
    time.advance(ofMillis(999));
    assertEquals(0, taken(), "the new window began with its first release");
    time.advance(ofMillis(1));
    assertEquals(3, taken());
    assertEquals(0, time.pending());
  }

  @Test
  void waitersKeepTheWindowsGoing() {
    join(10);
    assertEquals(1, time.pending());
    time.advance(ofSeconds(2).plusMillis(500));
    time.advance(ofMillis(500));
    assertEquals(
        List.of(0, 0, 0, 1, 1, 1, 2, 2, 2, 3),
        releases().stream().map(r -> (int) r.toSeconds()).toList());
    assertEquals(ofSeconds(3), releases().get(9));
    assertEquals(2, taken(), "two are left of the fourth");
    assertEquals(0, time.pending());
  }

  /** In whole windows from the first one, although nothing goes for a while. */
  @Test
  void waitersKeepTheWindowsGoingThroughAPause() {
    assertEquals(3, taken());
    join(5);
    limiter.pauseFor(ofMillis(5_400));
    time.advance(ofMillis(5_400));
    assertEquals(3, releases().size());
    time.advance(ofMillis(600));
    assertEquals(List.of(ofSeconds(6), ofSeconds(6)), releases().subList(3, 5));
  }

  /** What fixed windows do not promise: 3 at the end of one and 3 at the beginning of the next. */
  @Test
  void twoWindowsMeetAtATick() {
    assertEquals(3, taken());
    join(6);
    limiter.pauseFor(ofSeconds(2).minusNanos(1));
    time.advance(ofSeconds(2).minusNanos(1));
    assertEquals(3, releases().size());
    time.advanceNanos(1);
    assertEquals(6, releases().size());
    assertEquals(1, releases().get(5).toNanos() - releases().get(0).toNanos());

    assertFalse(kept("3/1s"));
    assertTrue(kept("fixed(3/1s)"));
    assertFalse(kept("fixed(2/1s)"));
  }

  private boolean kept(String limit) {
    var audit = Audit.of(Limits.parse(limit));
    line.forEach(f -> audit.add(f.join().releasedAt()));
    return audit.verdict().kept();
  }

  @Test
  void aCostAboveAWindowNeverGoes() {
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(4));
    assertTrue(limiter.tryAcquire(3).isPresent());
  }

  @Test
  void tellsTheMostThatWentInOneWindow() {
    assertTrue(limiter.tryAcquire().isPresent());
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire(2).isPresent());
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire().isPresent());
    Snapshot.Most most = limiter.snapshot().most().get(0);
    assertEquals(2, most.count());
    assertTrue(most.promise().text().startsWith("at most 3 in each of its own 1s windows"));
  }
}
