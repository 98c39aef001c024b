package dev.pacegate.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Requests that are sent long after their release, by a process that stood still in between. */
class LateStartTest {

  private static final Duration BOUND = Duration.ofMillis(100);

  private final ManualTime time = ManualTime.manual();
  private final List<String> told = new ArrayList<>();

  private Limiter limiter(String limit) {
    LimiterListener listener =
        new LimiterListener() {
          @Override
          public void onLateStart(Cost cost, long after) {
            told.add(cost + " after " + after);
          }
        };
    return Limiter.builder(limit)
        .time(time)
        .executor(Runnable::run)
        .late(BOUND)
        .listener(listener)
        .build();
  }

  private static Permit take(Limiter limiter) {
    return limiter.tryAcquire().orElseThrow();
  }

  @Test
  void aLateRequestIsChargedAgain() {
    Limiter limiter = limiter("2/1s");
    Permit late = take(limiter);
    time.advance(Duration.ofMillis(900));
    assertEquals(Duration.ofMillis(900), late.sending());
    assertEquals(List.of("1 after 900000000"), told);
    assertEquals(1, limiter.snapshot().late());
    time.advance(Duration.ofMillis(100));
    take(limiter);
    assertTrue(limiter.tryAcquire().isEmpty(), "one of two was sent 100 ms ago");
  }

  @Test
  void aRequestInTimeIsNotChargedAgain() {
    Limiter limiter = limiter("2/1s");
    Permit permit = take(limiter);
    time.advance(BOUND);
    assertEquals(BOUND, permit.sending());
    assertEquals(0, limiter.snapshot().late());
    take(limiter);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  /** What replaces a long-open permit, as the program may have dropped it, knows the sending. */
  @Test
  void aLongOpenPermitIsLostByTheInstantOfItsSending() {
    Limiter limiter = limiter("peer(1/10s, margin=0s, unanswered=10s, abandon=15s)");
    Permit permit = take(limiter);
    time.advance(Duration.ofSeconds(9));
    permit.sending();
    time.advance(Duration.ofSeconds(2));
    assertTrue(limiter.tryAcquire().isEmpty()); // and the permit is replaced
    time.advance(Duration.ofSeconds(4));
    assertTrue(limiter.tryAcquire().isEmpty()); // it is lost, and may be counted at 19 s
    time.advance(Duration.ofMillis(13_999));
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(Duration.ofMillis(1));
    take(limiter);
    permit.answered(); // too late
  }

  @Test
  void aLimitThatCountsUntilTheEndChargesOnce() {
    Limiter limiter = limiter("peer(2/1s) & concurrent(2) & starts(2/1h)");
    Permit permit = take(limiter);
    time.advance(Duration.ofSeconds(5));
    permit.sending();
    assertEquals(List.of("1 after 5000000000"), told);
    permit.answered();
    assertEquals(0, limiter.snapshot().open());
    time.advance(Duration.ofSeconds(5));
    assertTrue(limiter.tryAcquire().isEmpty(), "the starts of an hour have been used up");
    limiter.setLimit("peer(2/1s) & concurrent(2)");
    take(limiter).answered();
    take(limiter).answered();
  }

  @Test
  void lateOrNotItIsOneThatIsOpen() {
    Limiter limiter = limiter("concurrent(1)");
    Permit permit = take(limiter);
    time.advance(Duration.ofSeconds(5));
    permit.sending();
    assertEquals(1, limiter.snapshot().open());
    assertTrue(limiter.tryAcquire().isEmpty());
    permit.answered();
    assertEquals(0, limiter.snapshot().open());
    take(limiter).answered();
  }

  @Test
  void aPermitThatKnowsNoInstantIsNeverLate() {
    Permit permit = Limiter.builder("2/1s").time(time).build().tryAcquire().orElseThrow();
    time.advance(Duration.ofHours(1));
    assertEquals(Duration.ZERO, permit.sending());
    assertThrows(
        IllegalArgumentException.class, () -> Limiter.builder("2/1s").late(Duration.ofMillis(-1)));
  }

  @Test
  void aLateRequestIsChargedAgainOnlyOnce() {
    Limiter limiter = limiter("3/1s");
    Permit late = take(limiter);
    time.advance(Duration.ofSeconds(5));
    assertEquals(Duration.ofSeconds(5), late.sending());
    assertEquals(Duration.ofSeconds(5), late.sending());
    assertEquals(1, limiter.snapshot().late());
    assertEquals(1, told.size());
    take(limiter);
    take(limiter);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  /** It stood still between saying so and sending, and says so again. */
  @Test
  void aSenderThatStallsAgainIsChargedAgain() {
    Limiter limiter = limiter("2/1s");
    Permit late = take(limiter);
    time.advance(Duration.ofSeconds(5));
    late.sending();
    time.advance(Duration.ofSeconds(5));
    assertEquals(Duration.ofSeconds(10), late.sending());
    assertEquals(2, limiter.snapshot().late());
    take(limiter);
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void aKeyThatHasBeenAtRestIsChargedAgain() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("2/1s").within(limiter("unlimited")).build();
    Permit late = keyed.tryAcquire("a").orElseThrow();
    time.advance(Duration.ofSeconds(5));
    assertEquals(0, keyed.size());
    late.sending();
    assertTrue(keyed.tryAcquire("a").isPresent());
    assertTrue(keyed.tryAcquire("a").isEmpty());
    time.advance(Duration.ofSeconds(5));
    assertEquals(0, keyed.size());
  }

  /** What was charged again is corrected where it was charged last. */
  @Test
  void aLateRequestIsSettledWhereItWasSent() {
    Limiter limiter = limiter("20/1s");
    Permit late = limiter.tryAcquire(Cost.of(6)).orElseThrow();
    time.advance(Duration.ofSeconds(5));
    late.sending();
    late.settle(2);
    assertTrue(limiter.tryAcquire(Cost.of(19)).isEmpty());
    assertTrue(limiter.tryAcquire(Cost.of(18)).isPresent());
  }

  @Test
  void aWaiterIsNotForgottenWhenARequestIsLate() {
    Limiter limiter = limiter("2/1s");
    Permit late = take(limiter);
    take(limiter);
    var waiting = limiter.acquireAsync();
    time.advance(Duration.ofMillis(999));
    late.sending();
    time.advance(Duration.ofMillis(1));
    assertTrue(waiting.isDone(), "of two one was sent again");
    var next = limiter.acquireAsync();
    time.advance(Duration.ofMillis(998));
    assertTrue(!next.isDone());
    time.advance(Duration.ofMillis(2));
    assertTrue(next.isDone());
  }

  /** Six late ones and four others went within ten seconds: the second change forgot the window. */
  @Test
  void theWindowOfALateRequestHoldsThroughFurtherChanges() {
    Limiter limiter = limiter("6/10s");
    List<Permit> late = Stream.generate(() -> take(limiter)).limit(6).toList();
    limiter.setLimit("1/3s");
    time.advance(Duration.ofSeconds(15));
    late.forEach(Permit::sending);
    assertEquals(Duration.ofSeconds(10), limiter.estimateWait(1));
    time.advance(Duration.ofSeconds(1));
    limiter.setLimit("1/2s");
    assertEquals(Duration.ofSeconds(9), limiter.estimateWait(1));
    time.advance(Duration.ofSeconds(3));
    limiter.setLimit("1/1700ms");
    assertEquals(Duration.ofSeconds(6), limiter.estimateWait(1));
  }

  /** Two windows each: what was sent late, at its real instant, fits into the limit as well. */
  @Test
  void realSendsExceedTheLimitByAtMostThoseUnderWay() {
    Seeds.forEach(300, this::stallAtRandom);
  }

  private void stallAtRandom(SplittableRandom random) {
    Limiter limiter = limiter("3/1s");
    var sent = Audit.of(Limits.parse("6/1s"));
    for (int i = 0; i < 60; i++) {
      var held = new ArrayList<Permit>();
      for (int n = random.nextInt(4); n > 0; n--) {
        limiter.tryAcquire().ifPresent(held::add);
      }
      time.advanceNanos(random.nextBoolean() ? 0 : random.nextLong(2_000_000_000L));
      for (Permit permit : held) {
        permit.sending();
        sent.add(time.nanoTime());
      }
    }
    assertTrue(sent.verdict().kept(), sent.verdict().text());
  }
}
