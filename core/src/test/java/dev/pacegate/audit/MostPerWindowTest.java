package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

class MostPerWindowTest {

  private static final long[] SCALES = {1, 2, 7, 100, 1_000_000_007};

  @Test
  void findsWhatWeighingEveryStretchFinds() {
    for (long scale : SCALES) {
      Log.forMany(1500, scale, (log, name) -> checkAgainstModel(log, scale, name));
    }
  }

  private static void checkAgainstModel(Log log, long scale, String name) {
    for (long max : new long[] {0, 1, 3, 10, 40}) {
      checkAgainstModel(log, new Promise.PerWindow(max, scale, Measure.PLAIN), name);
    }
  }

  /** Every stretch by itself, by the formula of the promise and by that of what is measured. */
  private static void checkAgainstModel(Log log, Promise.PerWindow promise, String name) {
    boolean kept = true;
    long most = 0;
    var requests = log.counted();
    for (int i = 0; i < requests.size(); i++) {
      long counted = 0;
      for (int l = i; l < requests.size(); l++) {
        counted += requests.get(l).cost();
        long length = requests.get(l).start() - requests.get(i).start();
        long touched = (length + 1 + promise.nanos() - 1) / promise.nanos() + 1; // ceil(W / I) + 1
        kept &= counted <= promise.max() * touched;
        most = Math.max(most, counted - promise.max() * (length / promise.nanos()));
      }
    }
    for (long origin : Log.ORIGINS) {
      Verdict verdict = log.audit(promise, origin);
      assertEquals(kept, verdict.kept(), name + promise);
      assertEquals(most, verdict.measured(), name + promise);
      if (!requests.isEmpty()) {
        checkIsThere(log, verdict, promise, origin, name);
      }
    }
  }

  private static void checkIsThere(
      Log log, Verdict verdict, Promise.PerWindow promise, long origin, String name) {
    Stretch where = verdict.where();
    long inside =
        log.counted().stream()
            .filter(r -> r.start() + origin - where.from() >= 0)
            .filter(r -> r.start() + origin - where.to() <= 0)
            .mapToLong(Log.Request::cost)
            .sum();
    assertEquals(inside, where.counted(), name);
    long allowed = promise.max() * (where.nanos() / promise.nanos());
    assertEquals(verdict.measured(), inside - allowed, name);
  }

  @Test
  void allowsTwoWindowsAtATickAndNotOneMore() {
    assertEquals(
        "kept: at most 3 in each of its own 1s windows: 3 * (ceil(W / 1s) + 1) in any W"
            + "\n  most: 6 beyond 3 per whole 1s, by 6 within 1ms, from 999 ms to 1000 ms\n  limit that fits: at most 3"
            + " in each of its own 1s windows: 3 * (ceil(W / 1s) + 1) in any W",
        Story.under("fixed(3/1s)").at(999, 999, 999, 1000, 1000, 1000).text());
    assertEquals(
        "broken: at most 3 in each of its own 1s windows: 3 * (ceil(W / 1s) + 1) in any W"
            + "\n  most: 7 beyond 3 per whole 1s, by 7 within 999ms, from 999 ms to 1998 ms\n  limit that fits: at most 4"
            + " in each of its own 1s windows: 4 * (ceil(W / 1s) + 1) in any W",
        Story.under("fixed(3/1s)").at(999, 999, 999, 1000, 1000, 1000, 1998).text());
    assertTrue(
        Story.under("fixed(3/1s)").at(999, 999, 999, 1000, 1000, 1000, 1999).verdict().kept());
  }

  @Test
  void judgesStretchesOfManyWindows() {
    var audit = Audit.of(Limits.parse("fixed(2/7ns)"));
    for (long at = 0; at < 7_000_000; at += 7) {
      audit.add(at).add(at);
    }
    assertTrue(audit.verdict().kept());
    assertEquals(2, audit.verdict().measured());

    audit.add(7_000_000 - 1, 3); // 2 of the window before it, and one too many
    assertFalse(audit.verdict().kept());
    assertEquals(5, audit.verdict().measured());
  }

  @Test
  void aSteadyStreamOfOneTooManyIsFoundHoweverSlowlyItAddsUp() {
    var audit = Audit.of(Limits.parse("fixed(100/1s)"));
    long step = 1_000_000_000L / 101;
    int released = 0;
    while (audit.verdict().kept()) {
      audit.add(released++ * step);
    }
    int found = released;
    assertTrue(found > 101 * 90 && found <= 101 * 101, () -> "at number " + found);
  }

  @Test
  void doesNotOverflowWhateverIsCounted() {
    var audit = Audit.of(Limits.parse("fixed(1000000000/1s)"));
    for (int i = 0; i < 10; i++) {
      audit.add(Long.MAX_VALUE + i * (Long.MAX_VALUE / 20), Long.MAX_VALUE);
    }
    Verdict verdict = audit.verdict();
    assertFalse(verdict.kept());
    assertEquals(Long.MAX_VALUE, verdict.measured());
    assertTrue(Audit.of(List.of(verdict.tightest())).add(0, Long.MAX_VALUE).verdict().kept());

    var none = new Promise.PerWindow(Long.MAX_VALUE, 1, Measure.PLAIN);
    var much = Audit.of(List.of(none));
    much.add(0, Long.MAX_VALUE).add(0, Long.MAX_VALUE);
    assertTrue(much.verdict().kept());
    much.add(Long.MAX_VALUE, Long.MAX_VALUE);
    assertTrue(much.verdict().kept());
    much.add(Long.MAX_VALUE, Long.MAX_VALUE).add(Long.MAX_VALUE, 1);
    assertFalse(much.verdict().kept());
  }

  @Test
  void namesALimitThatWouldHaveHeld() {
    for (long scale : SCALES) {
      Log.forMany(300, scale, (log, name) -> checkTightest(log, scale, name));
    }
  }

  private static void checkTightest(Log log, long scale, String name) {
    Verdict verdict = log.audit(new Promise.PerWindow(3, scale, Measure.PLAIN), 0);
    assertTrue(log.audit(verdict.tightest(), 0).kept(), name);
    assertEquals(verdict.kept(), verdict.tightest().equals(verdict.promise()), name);
  }
}
