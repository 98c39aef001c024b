package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that begin as if an earlier process had just used up all that they give. */
class SpentTest {

  @ParameterizedTest
  @CsvSource({
    "'starts(10/1m, initial=spent)', 1, 1m",
    "'starts(10/1m of tokens, initial=spent)', 1, 1m",
    "'starts(spacing(3s), initial=spent)', 1, 3s",
    "'starts(bucket(1/1s, burst=20), initial=spent)', 1, 1s",
    "'bucket(1/1s, burst=20, initial=spent)', 5, 5s",
    "'bucket(1/1s, burst=20, pay=later, debt=7, initial=spent)', 1, 7s",
    // What the predecessor lost may be counted for a while yet, and for an interval after that.
    "'peer(10/1m, unanswered=20s, margin=0s, initial=spent)', 1, 80s",
    "'peer(spacing(3s), unanswered=20s, margin=0s, initial=spent)', 1, 23s",
    "'aligned(10/1d, unanswered=20s, margin=1s, initial=spent)', 1, 1h4s",
    "'aligned(10/10s, unanswered=20s, margin=1s, initial=spent)', 1, 24s",
    "'peer(bucket(1/1s, burst=20), unanswered=20s, margin=0s, initial=spent)', 1, 21s",
    "'peer(bucket(1/1s, burst=20, initial=full), unanswered=20s, margin=0s, initial=spent)', 1, 21s"
  })
  void nothingGoesUntilThatIsOver(String text, long amount, String wait) {
    for (long origin : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5}) {
      long nanos = Durations.parseNanos(wait);
      var passed = new AtomicLong();
      Meter meter = Limits.parse(text).newMeter(origin, () -> Play.BEGAN.plusNanos(passed.get()));
      Cost cost = Cost.of(amount).and("tokens", amount);
      assertEquals(nanos, meter.nanosUntil(origin, origin, cost));
      passed.set(nanos);
      assertEquals(0, meter.nanosUntil(origin, origin + nanos, cost));
    }
  }

  /** A limit that is changed, or read again from its file, has a past of its own. */
  @ParameterizedTest
  @CsvSource({
    "10/1m, 'starts(10/1m, initial=spent)'",
    "10/1m, 'peer(10/1m, unanswered=0s, margin=0s, initial=spent)'",
    "10/1m, 'aligned(10/1m, unanswered=0s, margin=0s, initial=spent)'",
    "aligned(10/1d), 'aligned(10/1d, initial=spent)'",
    "'bucket(10/1m, burst=10)', 'bucket(10/1m, burst=10, initial=spent)'",
    "'peer(bucket(10/1m, burst=10, initial=full), margin=0s)',"
        + " 'peer(bucket(10/1m, burst=10), margin=0s, initial=spent)'"
  })
  void isNotSpentAgainByAChange(String old, String fresh) {
    Meter meter = Limits.parse(old).newMeter(0);
    meter.release(0, 0, Cost.of(3));
    meter = Changes.change(old, meter, fresh, 0);
    assertEquals(0, meter.nanosUntil(0, 0, Cost.of(7)));
  }

  @Test
  void anUnknownPastIsTakenAsSpent() {
    Meter meter = Limits.unlimited().newMeter(0);
    Limit next = Limits.parse("starts(10/1m, initial=spent)");
    meter =
        ChangedMeter.of(
            new Takeover(Limits.unlimited(), meter, 0, next, 0, InstantSource.system(), List.of()));
    assertEquals(60_000_000_000L, meter.nanosUntil(0, 0, Cost.ONE));
  }
}
