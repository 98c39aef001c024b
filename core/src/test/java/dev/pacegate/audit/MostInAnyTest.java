package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MostInAnyTest {

  private static final long INTERVAL = 100;

  @Test
  void findsWhatCountingEveryIntervalFinds() {
    Log.forMany(3000, INTERVAL, MostInAnyTest::checkAgainstModel);
  }

  private static void checkAgainstModel(Log log, String name) {
    var promise = new Promise.AtMost(7, INTERVAL, Measure.PLAIN, false);
    Stretch expected = Stretch.NONE;
    for (var first : log.counted()) {
      Stretch interval = interval(log, first.start());
      expected = interval.counted() > expected.counted() ? interval : expected;
    }
    for (long origin : Log.ORIGINS) {
      Verdict verdict = log.audit(promise, origin);
      assertEquals(expected.counted(), verdict.measured(), name);
      assertEquals(expected.counted() <= 7, verdict.kept(), name);
      assertEquals(expected, moved(verdict.where(), -origin), name);
    }
  }

  private static Stretch interval(Log log, long from) {
    long counted = 0;
    long to = from;
    for (var request : log.counted()) {
      if (request.start() >= from && request.start() < from + INTERVAL) {
        counted += request.cost();
        to = request.start();
      }
    }
    return new Stretch(counted, from, to);
  }

  private static Stretch moved(Stretch s, long by) {
    return s.isEmpty() ? s : new Stretch(s.counted(), s.from() + by, s.to() + by);
  }

  /** Clicks of the moving-window prototype of akka pull request 22121, in milliseconds. */
  @Test
  void countsMovingWindows() {
    assertEquals(5, most(LongStream.range(0, 50).map(i -> 200 * i).toArray()));
    assertEquals(10, most(LongStream.range(0, 50).map(i -> 100 * i).toArray()));
    assertEquals(5, most(230, 250, 1000, 1200, 1210));
    assertEquals(10, most(230, 250, 260, 270, 1000, 1200, 1205, 1208, 1210, 1220));
    assertEquals(10, most(230, 250, 260, 270, 1000, 1200, 1205, 1208, 1210, 1220, 2000));
  }

  /** Three per second, by instants that were planned: the first three went 50 ms late. */
  @Test
  void seesWhatATimerThatOversleptLetThrough() {
    assertEquals(
        "broken: at most 3 in any 1s\n  most: 4 within 950ms, from 50 ms to 1000 ms\n  limit that fits: at most 4 in any 1s",
        Story.under("3/1s").at(50, 50, 50, 1000, 2000, 2000).text());
    assertEquals(
        "kept: at most 3 in any 1s\n  most: 3, at 50 ms\n  limit that fits: at most 3 in any 1s",
        Story.under("3/1s").at(50, 50, 50, 1050, 2000, 2000).text());
  }

  @Test
  void endsAnIntervalBeforeTheInstantThatBeginsTheNext() {
    assertEquals(1, most(0, 1000, 2000));
    assertEquals(2, most(0, 999, 2000));
  }

  @Test
  void judgesThePeersMinuteNotOurs() {
    // Ten at the end of one minute and ten at the beginning of the next.
    var story = Story.under("10/1m");
    for (int i = 0; i < 10; i++) {
      story.at(59_000 + i);
    }
    for (int i = 0; i < 10; i++) {
      story.at(60_000 + i);
    }
    assertEquals(20, story.verdict().measured());
    assertEquals(59_000 * Story.MS, story.verdict().where().from());
  }

  @Test
  void judgesSumsBeyondALong() {
    long max = Long.MAX_VALUE;
    var audit = Audit.of(List.of(new Promise.AtMost(max, 10, Measure.PLAIN, false)));
    audit.add(0, max).add(10, max);
    assertTrue(audit.verdict().kept());

    audit.add(11, 1);
    assertFalse(audit.verdict().kept());
    assertEquals(max, audit.verdict().measured());

    audit.add(21, max - 1);
    assertEquals(new Stretch(max, 10, 11), audit.verdict().where());
  }

  private static long most(long... millis) {
    return Story.under("1/1s").at(millis).verdict().measured();
  }
}
