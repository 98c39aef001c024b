package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Requests of one instant, of which some were let through before a change of the limit: the end of
 * another is not taken for theirs. Time is virtual, where many things happen at one instant.
 */
class SameInstantTest {

  private static final String LONG = "peer(3/8s, margin=0s, unanswered=60s)";
  private static final String SHORT = "peer(3/8s, margin=0s, unanswered=0s)";

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder(LONG).time(time).late(Duration.ofMillis(100)).build();

  private void pass(long millis) {
    time.advance(Duration.ofMillis(millis));
  }

  private Permit take() {
    return limiter.tryAcquire().orElseThrow();
  }

  private int takeAll() {
    var taken = new ArrayList<Permit>();
    for (Optional<Permit> next = limiter.tryAcquire();
        next.isPresent();
        next = limiter.tryAcquire()) {
      taken.add(next.get());
    }
    taken.forEach(Permit::answered);
    return taken.size();
  }

  private void takeBeforeTheSending(Permit open) {
    Permit other = take();
    open.sending();
    other.answered();
  }

  private void takeAfterTheSending(Permit open) {
    open.sending();
    take().answered();
  }

  private void sendAnotherBeforeTheSending(Permit open) {
    Permit other = take();
    pass(200);
    other.sending();
    open.sending();
    other.answered();
  }

  private void sendAnotherAfterTheSending(Permit open) {
    Permit other = take();
    pass(200);
    open.sending();
    other.sending();
    other.answered();
  }

  private interface Mix {
    void happens(Permit open);
  }

  private List<Mix> mixes() {
    return List.of(
        this::takeBeforeTheSending,
        this::takeAfterTheSending,
        this::sendAnotherBeforeTheSending,
        this::sendAnotherAfterTheSending);
  }

  /** Four of three went: the log had ended before the first of them did. */
  @Test
  void aLogLastsUntilTheEndOfARequestThatWasOpenAtTheChange() {
    for (Mix mix : mixes()) {
      limiter.setLimit(SHORT);
      pass(120_000);
      Permit open = take();
      limiter.setLimit("concurrent(9)");
      pass(1000);
      mix.happens(open);
      pass(20_000);
      open.answered();
      pass(1000);
      limiter.setLimit(SHORT);
      assertEquals(2, takeAll());
    }
  }

  /** Four of three went: a lost request was forgotten when the later limit no longer counted it. */
  @Test
  void anEarlierWindowHoldsAsLongAsWhatItLetThroughMayCount() {
    for (Mix mix : mixes()) {
      limiter.setLimit(LONG);
      pass(120_000);
      Permit open = take();
      limiter.setLimit(SHORT);
      pass(1000);
      mix.happens(open);
      pass(29_000);
      open.lost();
      pass(10_000);
      assertEquals(2, takeAll());
    }
  }

  /** What ended before the sending, or began at another instant, is not waited for. */
  @Test
  void aKeyWhoseRequestsWereOfOneInstantComesToRest() {
    KeyedLimiter.Builder large = KeyedLimiter.builder("peer(9/8s, counted=4s, margin=0s)");
    try (KeyedLimiter<String> keyed = large.time(time).executor(Runnable::run).build()) {
      Permit open = keyed.tryAcquire("a").orElseThrow();
      pass(1000);
      keyed.setLimit("peer(8/1s, counted=4s, margin=0s)");
      pass(1000);
      Permit earlier = keyed.tryAcquire("a").orElseThrow();
      pass(1000);
      keyed.tryAcquire("a").orElseThrow().answered();
      Permit other = keyed.tryAcquire("a").orElseThrow();
      open.sending();
      other.answered();
      open.answered();
      earlier.answered();
      pass(120_000);
      pass(120_000);
      assertEquals(0, keyed.size());
    }
  }
}
