package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Backoff;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A limit of the program that fails at any one of the calls that a change makes changes nothing.
 */
class FailingChangeTest {

  private static final Backoff LEARNING = Backoff.standard().withLearning(true);
  private static final PeerAnswer REFUSED =
      PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(Duration.ofSeconds(1), "");

  private final ManualTime time = ManualTime.manual();
  private final HandFedSource source = new HandFedSource();

  /** How many calls are left until one fails. */
  private static final class Fuse {
    private int calls;

    Fuse(int calls) {
      this.calls = calls;
    }

    void burn() {
      if (calls-- == 0) {
        throw new IllegalStateException("thrown by a test");
      }
    }
  }

  /** A limit that any of its calls may be the end of. */
  private record Failing(Limit limit, Fuse fuse) implements Limit {
    @Override
    public Meter newMeter(long now) {
      fuse.burn();
      return limit.newMeter(now);
    }

    @Override
    public List<Promise> promises() {
      fuse.burn();
      return limit.promises().stream().<Promise>map(p -> new FailingPromise(p, fuse)).toList();
    }

    @Override
    public List<Limit> terms() {
      fuse.burn();
      return List.of(this);
    }

    @Override
    public long unansweredNanos() {
      fuse.burn();
      return limit.unansweredNanos();
    }

    @Override
    public long abandonNanos() {
      fuse.burn();
      return limit.abandonNanos();
    }
  }

  private record FailingPromise(Promise promise, Fuse fuse) implements Promise {
    @Override
    public Measure of() {
      fuse.burn();
      return promise.of();
    }

    @Override
    public boolean countsWhole() {
      fuse.burn();
      return promise.countsWhole();
    }

    @Override
    public String text() {
      return promise.text();
    }

    @Override
    public long atOnce() {
      fuse.burn();
      return promise.atOnce();
    }

    @Override
    public long most(long nanos) {
      fuse.burn();
      return promise.most(nanos);
    }

    @Override
    public long length() {
      fuse.burn();
      return promise.length();
    }
  }

  /**
   * Tries to change the limit, with a failure one call later each time; returns how many failed.
   */
  private static int failures(Limiter limiter, Runnable check) {
    Limit before = limiter.limit();
    for (int calls = 0; ; calls++) {
      try {
        limiter.setLimit(new Failing(Limits.parse("50/1s"), new Fuse(calls)));
      } catch (IllegalStateException thrown) {
        assertSame(before, limiter.limit(), () -> "after " + thrown);
        check.run();
        continue;
      }
      return calls;
    }
  }

  private void learn(Limiter limiter) {
    Permit permit = limiter.tryAcquire().orElseThrow();
    limiter.heard(permit, PeerAnswer.NOTHING, LEARNING);
    limiter.heard(permit, REFUSED, LEARNING);
    time.advance(Duration.ofSeconds(2));
    assertTrue(limiter.snapshot().workingRate().isPresent());
  }

  @Test
  void aSourceKeepsTheMeterThatStaysInForce() {
    Limiter limiter =
        Limiter.builder("100/1s").time(time).executor(Runnable::run).source(source).build();
    HandFedMeter meter = source.meter();
    meter.feed(5);
    learn(limiter);
    int failures = failures(limiter, () -> assertFalse(isRetired(meter)));
    assertTrue(failures > 10, () -> failures + " calls");
    assertTrue(isRetired(meter));
    source
        .meters
        .subList(1, source.meters.size() - 1)
        .forEach(other -> assertTrue(isRetired(other)));
  }

  @Test
  void aKeyKeepsItsLimit() {
    try (KeyedLimiter<String> keyed =
        KeyedLimiter.builder("1000/1s").time(time).executor(Runnable::run).build()) {
      Limiter key = keyed.limiter("used");
      assertTrue(key.tryAcquire().isPresent());
      int failures = failures(key, () -> assertTrue(key.tryAcquire().isPresent()));
      assertTrue(failures > 5, () -> failures + " calls");
      assertTrue(key.limit() instanceof Failing);
    }
  }

  @Test
  void aKeyThatIsNotInUseTakesNoRoomForALimitThatFails() {
    try (KeyedLimiter<String> keyed =
        KeyedLimiter.builder("1000/1s").time(time).executor(Runnable::run).build()) {
      int failures = failures(keyed.limiter("new"), () -> assertEquals(0, keyed.size()));
      assertTrue(failures > 1, () -> failures + " calls");
      assertEquals(1, keyed.size());
    }
  }

  /** One that it has had before is kept as well. */
  @Test
  void aKeyKeepsALimitOfItsOwn() {
    try (KeyedLimiter<String> keyed =
        KeyedLimiter.builder("1000/1s").time(time).executor(Runnable::run).build()) {
      Limiter key = keyed.limiter("used");
      key.setLimit("900/1s");
      assertTrue(key.tryAcquire().isPresent());
      failures(key, () -> assertTrue(key.tryAcquire().isPresent()));
      assertTrue(key.limit() instanceof Failing);
    }
  }

  private static boolean isRetired(HandFedMeter meter) {
    return meter.heard.toString().contains("retire");
  }

  @Test
  void aSourceMayDropAMeterThatIsRefused() {
    Limiter.Builder builder =
        Limiter.builder("peer(100/1s)").time(time).executor(Runnable::run).source(source);
    assertThrows(IllegalArgumentException.class, builder::build);
    assertTrue(isRetired(source.meter()));
  }

  @Test
  void thePaceInForceGoesOn() {
    Limiter limiter = Limiter.builder("100/1s").time(time).executor(Runnable::run).build();
    learn(limiter);
    double rate = limiter.snapshot().workingRate().orElseThrow();
    failures(
        limiter, () -> assertEquals(rate, limiter.snapshot().workingRate().orElseThrow(), 1e-9));
    assertEquals("50/1s", ((Failing) limiter.limit()).limit().toString());
  }
}
