package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterProvider;
import dev.pacegate.limit.spi.Past;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits that a user wrote: what does not work is refused, and not found out too late. */
class OwnLimitTest {

  private static final long SECOND = 1_000_000_000L;

  /**
   * So much in all that has not ended, and so much more a second after that: as its author says.
   */
  private record Own(Measure of, boolean whole, Measure counted, boolean tracks, int told)
      implements Limit {

    static final Own SOUND = new Own(Measure.PLAIN, true, Measure.PLAIN, true, 1);

    @Override
    public List<Promise> promises() {
      return List.of(new Promised(of, whole));
    }

    @Override
    public Meter newMeter(long now) {
      return new OwnMeter(counted, tracks, told);
    }

    @Override
    public String toString() {
      return "own";
    }
  }

  /** A promise that no audit can judge. */
  private record Promised(Measure of, boolean countsWhole) implements Promise {
    @Override
    public String text() {
      return "at most 10, somehow";
    }

    @Override
    public long atOnce() {
      return 10;
    }

    @Override
    public long most(long nanos) {
      return 10 + 10 * (nanos / SECOND);
    }

    @Override
    public long length() {
      return SECOND;
    }
  }

  /** Ten are open or have ended within a second of the last end. */
  private static final class OwnMeter implements Meter {
    private final Measure counted;
    private final boolean tracks;
    private final int told;
    private long open;
    private long ended;
    private long endedAt;

    OwnMeter(Measure counted, boolean tracks, int told) {
      this.counted = counted;
      this.tracks = tracks;
      this.told = told;
    }

    private long endedBy(long now) {
      return now - endedAt >= SECOND ? 0 : ended;
    }

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      long amount = counted.of(cost);
      if (amount > 10) {
        return NEVER;
      }
      long room = 10 - open - endedBy(now);
      return amount <= room ? 0 : ended > 0 ? endedAt + SECOND - now : AT_EVENT;
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return counted.of(cost) > 10 ? NEVER : 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      open += counted.of(cost);
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      open -= counted.of(cost);
      if (end != Outcome.NOT_SENT) {
        ended = endedBy(now) + counted.of(cost);
        endedAt = now;
      }
    }

    @Override
    public boolean tracks() {
      return tracks;
    }

    @Override
    public Measure measure() {
      return counted;
    }

    @Override
    public long restsIn(long now) {
      return open > 0 ? AT_EVENT : endedBy(now) == 0 ? 0 : endedAt + SECOND - now;
    }

    @Override
    public boolean recall(long now, Past past) {
      past.ended(endedAt, ended);
      return true;
    }

    @Override
    public void most(LongConsumer sink) {
      for (int i = 0; i < told; i++) {
        sink.accept(0);
      }
    }
  }

  private static String refusal(Limit limit) {
    return String.valueOf(
        assertThrows(IllegalArgumentException.class, () -> Limiter.of(limit)).getMessage());
  }

  @Test
  void aMeterThatIsNotToldOfEndsKeepsNoPromiseOfWholeRequests() {
    assertEquals(
        "own promises \"at most 10, somehow\", but no meter of it counts the plain cost until"
            + " requests end: see Meter.measure() and Meter.tracks()",
        refusal(new Own(Measure.PLAIN, true, Measure.PLAIN, false, 1)));
  }

  @Test
  void aMeterCountsWhatIsPromised() {
    assertEquals(
        "own promises \"at most 10, somehow\", but no meter of it counts the cost of tokens: see"
            + " Meter.measure() and Meter.tracks()",
        refusal(new Own(Measure.of("tokens"), false, Measure.PLAIN, true, 1)));
  }

  @Test
  void aMeterTellsTheMostOfEachPromise() {
    assertEquals(
        "own makes 1 promises, but Meter.most() reports 0",
        refusal(new Own(Measure.PLAIN, true, Measure.PLAIN, true, 0)));
  }

  @Test
  void anUnsoundLimitIsRefusedAsAChangeToo() {
    Limiter limiter = Limiter.of("10/1s");
    var unsound = new Own(Measure.PLAIN, true, Measure.PLAIN, false, 1);
    assertThrows(IllegalArgumentException.class, () -> limiter.setLimit(unsound));
    assertEquals("10/1s", limiter.limit().toString());
    try (KeyedLimiter<String> keyed = KeyedLimiter.of(Limits.parse("10/1s"))) {
      assertThrows(IllegalArgumentException.class, () -> keyed.setLimit(unsound));
      assertThrows(IllegalArgumentException.class, () -> KeyedLimiter.of(unsound));
    }
  }

  @Test
  void anAuditNamesThePromiseItCannotJudge() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> Audit.of(Own.SOUND));
    assertEquals(
        "no check is known for promises of dev.pacegate.OwnLimitTest$Promised because it does not"
            + " implement Auditable: at most 10, somehow",
        refusal.getMessage());
  }

  @Test
  void noStateFileKeepsIt(@TempDir Path folder) throws IOException {
    var builder = Limiter.builder(Own.SOUND).state(folder.resolve("own"));
    var refusal = assertThrows(IllegalArgumentException.class, builder::build);
    String reason =
        "a state file stores limits as text, and Limits.parse cannot read this one: own";
    assertEquals(reason, refusal.getMessage());
    assertFalse(Files.exists(folder.resolve("own")));
    try (Limiter kept = Limiter.builder("10/1s").state(folder.resolve("kept")).build()) {
      refusal = assertThrows(IllegalArgumentException.class, () -> kept.setLimit(Own.SOUND));
      assertEquals(reason, refusal.getMessage());
      assertEquals("10/1s", kept.limit().toString());
    }
  }

  /** A spent meter waits as if ten had been lost just now: it is told of both. */
  @Test
  void beginsSpentByItsPromises() {
    Meter spent = Own.SOUND.newSpentMeter(5, InstantSource.system());
    assertEquals(SECOND, spent.nanosUntil(5, 5, Cost.ONE));
    assertEquals(0, spent.nanosUntil(5, 5 + SECOND, Cost.of(10)));
  }

  @Test
  void settlesByWhatItIsToldAnyway() {
    Meter meter = Own.SOUND.newMeter(0);
    meter.release(0, 0, Cost.of(4));
    meter.settle(0, 1, Cost.of(4), Cost.of(9));
    assertTrue(meter.nanosUntil(1, 1, Cost.of(2)) > 0);
    assertEquals(0, meter.nanosUntil(1, 1, Cost.of(1)));
    meter.settle(0, 2, Cost.of(9), Cost.of(3));
    assertEquals(0, meter.nanosUntil(2, 2, Cost.of(7)));
    assertTrue(meter.nanosUntil(2, 2, Cost.of(8)) > 0);
    meter.end(0, 2, Cost.of(3), Outcome.NOT_SENT);
    assertEquals(0, meter.nanosUntil(2, 2, Cost.of(10)));
  }

  @Test
  void howLongItsLostRequestsCountIsAssumedOrTold() {
    assertEquals(10 * SECOND, Own.SOUND.unansweredNanos());
    assertEquals(0, new Own(Measure.PLAIN, false, Measure.PLAIN, true, 1).unansweredNanos());
    assertThrows(IllegalArgumentException.class, () -> Own.SOUND.unanswered(Duration.ofSeconds(1)));
  }

  @Test
  void aLimitCountsWholeRequestsIfAnyOfItsPromisesDoes() {
    assertTrue(Own.SOUND.countsWhole());
    assertFalse(new Own(Measure.PLAIN, false, Measure.PLAIN, true, 1).countsWhole());
    assertTrue(Limits.parse("10/1s & concurrent(2)").countsWhole());
    assertFalse(Limits.unlimited().countsWhole(), "no promise at all");
  }

  /** Nine of ten are gone at the peer's: one more goes, though all ten could here. */
  @Test
  void appliesWhatThePeerSaysIsLeft() {
    var time = ManualTime.manual();
    Limiter limiter = Limiter.builder(Own.SOUND).time(time).build();
    try (Permit permit = limiter.tryAcquire().orElseThrow()) {
      permit.answered();
      PeerSays.quota(limiter, permit, Quota.remaining(1));
    }
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  @Test
  void itsReleasesCountWhenItIsReplaced() {
    var time = ManualTime.manual();
    Limiter limiter = Limiter.builder(Own.SOUND).time(time).build();
    for (int i = 0; i < 8; i++) {
      try (Permit permit = limiter.tryAcquire().orElseThrow()) {
        permit.answered();
      }
    }
    limiter.setLimit("peer(10/1s, margin=0s)");
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  /**
   * What its lost requests need is remembered across changes, as the promise alone does not say.
   */
  @Test
  void aLostRequestMattersForAsLongAsOneOfOursDoes() {
    assertEquals(SECOND + MeterProvider.UNANSWERED, Own.SOUND.memory());
  }
}
