package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is true of the meter of every limit, whatever it limits, on random schedules.
 *
 * <p>A subclass names the limit, as text; its model and its critical sizes and spans follow from
 * that.
 */
abstract class MeterLaws {

  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  /** No test waits for longer than this: about nine years. */
  private static final long PATIENCE = 1L << 58;

  private static final long SATURATED = 1L << 62;

  private final Limit limit;
  private final Shape shape;
  private final int cases;

  MeterLaws(String text) {
    this(text, 40);
  }

  /** Takes the number of random cases per law, for limits that are slow to test. */
  MeterLaws(String text, int cases) {
    this.limit = Limits.parse(text);
    this.shape = new Shape(limit);
    this.cases = cases;
  }

  private static long origin(SplittableRandom random) {
    return ORIGINS[random.nextInt(ORIGINS.length)];
  }

  private Play play(SplittableRandom random, int steps) {
    var play = new Play(limit, origin(random));
    play.random(random, shape, steps);
    return play;
  }

  /** Such a limit has no naive model: a bucket as the peer counts it is the judge. */
  private boolean countsByBucket() {
    return limit instanceof Peer peer && peer.limit() instanceof Bucket;
  }

  @Test
  void answersAsTheNaiveModelDoes() {
    assumeFalse(countsByBucket(), () -> limit + " has no naive model");
    compareWithModel();
  }

  /** A million scripts of all limits together. */
  @Tag("heavy")
  @Test
  void answersAsTheNaiveModelDoesInNewCases() {
    assumeFalse(countsByBucket(), () -> limit + " has no naive model");
    Seeds.forEachNew(12_000, limit.toString(), random -> compareWithModel(random, 40));
  }

  private void compareWithModel() {
    Seeds.forEach(cases, random -> compareWithModel(random, 40));
  }

  private void compareWithModel(SplittableRandom random, int steps) {
    var play = new Play(limit, origin(random));
    Naive model = Naive.of(limit);
    for (int i = 0; i < steps && play.pass(shape.gap(random)); i++) {
      endSome(play, model, random);
      sendOne(play, model, random);
      Cost cost = shape.cost(random);
      long since = play.now;
      long wait = compare(play, model, since, cost);
      if (wait > 0 && wait < PATIENCE && random.nextInt(3) > 0) {
        play.pass(random.nextLong(wait + 1));
        wait = compare(play, model, since, cost);
        play.pass(random.nextInt(8) == 0 ? wait + shape.gap(random) : wait);
        wait = compare(play, model, since, cost);
      }
      // What has been released without asking counts as well.
      if (wait == 0 || random.nextInt(20) == 0) {
        play.release(since, cost);
        model.release(since, play.now, cost);
      }
    }
  }

  private static long compare(Play play, Naive model, long since, Cost cost) {
    long wait = play.ask(since, cost);
    long naive = model.wait(since, play.now, cost);
    if (wait < Meter.AT_EVENT && wait > SATURATED && naive > SATURATED) {
      return wait; // centuries: where numbers end, nanoseconds do not matter
    }
    if (wait < naive || wait > model.longestWait(since, play.now, cost)) {
      assertEquals(naive, wait, () -> cost + " at " + play.now + " after " + play.spans);
    }
    return wait;
  }

  private static void endSome(Play play, Naive model, SplittableRandom random) {
    while (!play.open.isEmpty() && random.nextInt(5) < 2) {
      Play.Span span = play.open.get(random.nextInt(play.open.size()));
      Outcome end = Play.anEnd(random);
      play.end(span, end);
      model.end(span.known, play.now, span.cost, end);
    }
  }

  /** A request may be sent long after its bound, and more than once. */
  private static void sendOne(Play play, Naive model, SplittableRandom random) {
    if (!play.open.isEmpty() && random.nextInt(3) == 0) {
      Play.Span span = play.open.get(random.nextInt(play.open.size()));
      model.sent(span.known, play.now, span.cost);
      play.send(span);
    }
  }

  @Test
  void keepsItsPromises() {
    Seeds.forEach(cases, random -> Oracle.judge(limit, play(random, 60).spans));
  }

  @Test
  void isNeverRefusedByThePeersBucket() {
    assumeTrue(countsByBucket(), () -> "no peer counts " + limit + " by a bucket");
    countAtThePeer();
  }

  private void countAtThePeer() {
    Seeds.forEach(
        4 * cases,
        random -> {
          Play play = play(random, 60);
          Oracle.countAtThePeer((Peer) limit, play.spans, play.now, random);
        });
  }

  @Test
  void keepsItsPromisesByAClockThatStepsBack() {
    Seeds.forEach(cases, this::playWithStepsBack);
  }

  /** What counts is the time that really passes, which is at least what the clock shows of it. */
  private void playWithStepsBack(SplittableRandom random) {
    long origin = origin(random);
    var since = new long[1];
    Meter meter = limit.newMeter(origin, () -> Play.BEGAN.plusNanos(since[0]));
    var spans = new ArrayList<Play.Span>();
    var open = new ArrayList<Play.Span>();
    var readings = new ArrayList<Long>(); // of the starts of those open
    long reading = 0;
    long real = 0;
    for (int i = 0; i < 60; i++) {
      if (random.nextInt(4) == 0) {
        reading -= shape.gap(random) / 2;
        real += random.nextBoolean() ? 0 : shape.gap(random) / 8;
      } else {
        long gap = shape.gap(random);
        reading += gap;
        real += gap;
      }
      since[0] = real;
      while (!open.isEmpty() && random.nextInt(5) < 2) {
        int which = random.nextInt(open.size());
        Play.Span span = open.remove(which);
        Outcome end = random.nextInt(6) == 0 ? Outcome.NOT_SENT : Outcome.ANSWERED;
        meter.end(origin + readings.remove(which), origin + reading, span.cost, end);
        span.closed = real;
        span.end = real;
        span.counts = end != Outcome.NOT_SENT;
      }
      int which = open.isEmpty() ? 0 : random.nextInt(open.size());
      if (!open.isEmpty() && real - open.get(which).known < Play.inTime(limit)) {
        Play.Span span = open.get(which);
        meter.sent(origin + readings.get(which), origin + reading, span.cost);
        readings.set(which, reading);
        span.known = real;
      }
      Cost cost = shape.cost(random);
      if (meter.nanosUntil(origin + reading, origin + reading, cost) == 0) {
        meter.release(origin + reading, origin + reading, cost);
        var span = new Play.Span(real, cost);
        spans.add(span);
        if (meter.tracks()) {
          open.add(span);
          readings.add(reading);
        }
      }
    }
    Oracle.judge(limit, spans);
  }

  @Test
  void nAtOnceLeaveTheStateOfNOnes() {
    Seeds.forEach(
        cases,
        random -> {
          long seed = random.nextLong();
          Play ones = play(new SplittableRandom(seed), 20);
          Play sum = play(new SplittableRandom(seed), 20);
          Cost all = Cost.none();
          int n = 1 + random.nextInt((int) Math.min(64, shape.most()));
          for (int i = 0; i < n; i++) {
            ones.release(Cost.ONE);
            all = all.plus(Cost.ONE);
          }
          sum.release(all);
          if (ones.meter.tracks()) {
            endTogether(n, ones, sum, random);
          }
          long questions = random.nextLong();
          assertEquals(
              ones.answers(new SplittableRandom(questions), shape),
              sum.answers(new SplittableRandom(questions), shape),
              () -> "after " + n + " more than " + sum.spans);
        });
  }

  private void endTogether(int n, Play ones, Play sum, SplittableRandom random) {
    long gap = shape.gap(random);
    ones.pass(gap);
    sum.pass(gap);
    Outcome end = Play.anEnd(random);
    for (int i = 0; i < n; i++) {
      ones.end(ones.open.get(ones.open.size() - 1), end);
    }
    sum.end(sum.open.get(sum.open.size() - 1), end);
  }

  @Test
  void refusesUntilExactlyThePromisedInstant() {
    Seeds.forEach(
        2 * cases,
        random -> {
          Play play = play(random, random.nextInt(40));
          Cost cost = random.nextBoolean() ? shape.fitting(random) : shape.cost(random);
          long since = play.now;
          play.pass(shape.gap(random));
          long wait = play.ask(since, cost);
          if (wait == 0 || !play.pass(wait - 1)) {
            return;
          }
          assertTrue(play.ask(since, cost) > 0, () -> cost + " early, after " + play.spans);
          play.pass(1);
          assertEquals(0, play.ask(since, cost), () -> cost + " late, after " + play.spans);
          play.pass(shape.gap(random));
          assertEquals(0, play.ask(since, cost), () -> cost + " undone, after " + play.spans);
        });
  }

  @Test
  void answersTheSameFromEveryOriginOfTheClock() {
    Seeds.forEach(
        cases,
        random -> {
          long seed = random.nextLong();
          List<Long> expected = null;
          for (long origin : ORIGINS) {
            var again = new SplittableRandom(seed);
            var play = new Play(limit, origin);
            play.random(again, shape, 30);
            List<Long> answers = play.answers(again, shape);
            expected = expected == null ? answers : expected;
            assertEquals(expected, answers, () -> "from " + origin + " after " + play.spans);
          }
        });
  }

  @Test
  void isNotChangedByBeingAsked() {
    Seeds.forEach(
        cases,
        random -> {
          long seed = random.nextLong();
          var quiet = new Play(limit, origin(random));
          quiet.random(new SplittableRandom(seed), shape, 30);
          var asked = new Play(limit, quiet.origin);
          retell(quiet, asked, random);
          long questions = random.nextLong();
          assertEquals(
              quiet.answers(new SplittableRandom(questions), shape),
              asked.answers(new SplittableRandom(questions), shape),
              () -> "after " + quiet.spans);
        });
  }

  /** Lets happen to {@code to} what has happened to {@code from}, with questions in between. */
  private void retell(Play from, Play to, SplittableRandom random) {
    for (Play.Event event : from.events) {
      while (random.nextBoolean()) {
        to.now += random.nextLong(event.at() - to.now + 1);
        to.ask(random.nextLong(to.now + 1), shape.cost(random));
        to.meter.atLeast(
            to.origin + to.now, to.origin + to.now, shape.cost(random), shape.cost(random));
      }
      to.now = event.at();
      event.on().accept(to.meter);
    }
    to.now = from.now;
  }

  @Test
  void neverForetellsMoreThanTheRealWait() {
    Seeds.forEach(30 * cases, random -> new Queue(limit, shape, play(random, 30), random).judge());
  }

  @Test
  void saturatesWhereNumbersEnd() {
    Seeds.forEach(
        cases,
        random -> {
          Play play = play(random, 10);
          for (int i = 0; i < 6; i++) {
            Cost huge = Cost.of(Long.MAX_VALUE - random.nextInt(3)).and("tokens", Long.MAX_VALUE);
            play.release(random.nextBoolean() ? huge : shape.cost(random));
            play.endSome(random);
            play.pass(shape.gap(random));
            Cost cost = shape.cost(random);
            Cost ahead = random.nextBoolean() ? huge.plus(huge) : shape.cost(random);
            long wait = play.ask(cost);
            long atLeast =
                play.meter.atLeast(play.origin + play.now, play.origin + play.now, ahead, cost);
            assertTrue(wait >= 0, () -> "wait " + wait + " of " + cost + " after " + play.spans);
            assertTrue(atLeast >= 0, () -> "at least " + atLeast + " after " + play.spans);
          }
        });
  }

  @Tag("slow")
  @Test
  void allOfThisThreeTimes() {
    Seeds.withMore(3, this::all);
  }

  @Tag("heavy")
  @Test
  void allOfThisAtLength() {
    Seeds.withMore(150, this::all);
  }

  private void all() {
    if (countsByBucket()) {
      countAtThePeer();
    } else {
      compareWithModel();
    }
    keepsItsPromises();
    keepsItsPromisesByAClockThatStepsBack();
    nAtOnceLeaveTheStateOfNOnes();
    refusesUntilExactlyThePromisedInstant();
    answersTheSameFromEveryOriginOfTheClock();
    isNotChangedByBeingAsked();
    neverForetellsMoreThanTheRealWait();
    saturatesWhereNumbersEnd();
  }
}
