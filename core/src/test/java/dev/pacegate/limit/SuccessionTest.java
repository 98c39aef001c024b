package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds across a change of the limit: no free burst, no debt, no larger promise. */
class SuccessionTest {

  private static final int CASES = 1500;
  private static final long SECOND = 1_000_000_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long UNANSWERED = 20 * SECOND;
  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  private static long origin(SplittableRandom random) {
    return ORIGINS[random.nextInt(ORIGINS.length)];
  }

  private static Limit any(SplittableRandom random, List<String> texts) {
    return Limits.parse(texts.get(random.nextInt(texts.size())));
  }

  private static final List<String> WINDOWS =
      List.of("10/1m", "1/1s", "3/10s", "100/1m", "2/1s", "7/7s", "20/61s", "1/1m");

  private static final List<String> BUCKETS =
      List.of(
          "bucket(1/1s, burst=10)",
          "bucket(10/1s, burst=4)",
          "bucket(1/1m, burst=3)",
          "bucket(7/1s)",
          "bucket(1/1s, burst=4, slack=500ms)",
          "bucket(3/1s, burst=20, initial=empty)",
          "bucket(100/1s, burst=100)",
          "bucket(2/1s, burst=3, pay=later)",
          "bucket(10/1s, burst=10, pay=later, debt=2)",
          "bucket(1/2s, pay=later, debt=30, slack=300ms)");

  private static final List<String> KINDS =
      List.of(
          "10/1m",
          "2/1s",
          "5/10s",
          "8/1s",
          "bucket(1/1s, burst=10)",
          "bucket(10/1s, burst=4)",
          "bucket(1/10s, burst=2)",
          "bucket(2/1s, burst=2, slack=3s)",
          "bucket(2/1s, burst=4, pay=later, debt=3)",
          "warmup(3/1s, over=2s)",
          "warmup(1/2s, over=10s, cold=2)",
          "fixed(3/1s)",
          "fixed(8/10s)",
          "fixed(1/7s)",
          "spacing(1s)",
          "spacing(100ms)");

  private static Changing playAndChange(SplittableRandom random, Limit first, Limit... then) {
    var changing = new Changing(first, origin(random), UNANSWERED);
    // A spacing counts calls: as much as any other limit only if each call costs one.
    changing.unitCosts =
        Stream.concat(Stream.of(first), Stream.of(then)).anyMatch(Spacing.class::isInstance);
    for (Limit next : then) {
      changing.play(random, 5 + random.nextInt(25));
      if (random.nextBoolean()) {
        changing.drain(Cost.ONE, 100);
      }
      changing.now += random.nextBoolean() ? 0 : random.nextLong(2 * MINUTE);
      changing.change(next);
      if (random.nextBoolean()) {
        changing.drain(Cost.ONE, 200);
      }
    }
    changing.play(random, 40);
    return changing;
  }

  // ---- windows

  @Test
  void noIntervalHoldsMoreThanTheLargerOfTwoWindows() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Window) any(random, WINDOWS);
          var fresh = (Window) any(random, WINDOWS);
          Changing changing = playAndChange(random, old, fresh);
          assertWithin(changing, List.of(old.rate(), fresh.rate()));
        });
  }

  @Test
  void noIntervalHoldsMoreHoweverOftenTwoWindowsTakeTurns() {
    Seeds.forEach(
        CASES / 5,
        random -> {
          var one = (Window) any(random, WINDOWS);
          var other = (Window) any(random, WINDOWS);
          var turns = new Limit[8];
          Arrays.setAll(turns, i -> i % 2 == 0 ? other : one);
          Changing changing = playAndChange(random, one, turns);
          assertWithin(changing, List.of(one.rate(), other.rate()));
        });
  }

  @Test
  void noIntervalHoldsMoreThanTheLargestOfThreeWindows() {
    Seeds.forEach(
        CASES,
        random -> {
          var first = (Window) any(random, WINDOWS);
          var second = (Window) any(random, WINDOWS);
          var third = (Window) any(random, WINDOWS);
          Changing changing = playAndChange(random, first, second, third);
          assertWithin(changing, List.of(first.rate(), second.rate(), third.rate()));
        });
  }

  /**
   * Checks every interval, of the length of a limit that let through any of it, against what any of
   * the limits allows.
   */
  private static void assertWithin(Changing changing, List<Rate> rates) {
    for (Rate rate : rates) {
      long allowed = rates.stream().mapToLong(other -> allowedBy(other, rate)).max().orElseThrow();
      for (Changing.Request last : changing.requests) {
        long sum = heldBy(changing, last, rate.nanos());
        assertTrue(
            sum <= allowed || !wasInForce(changing, rate, last),
            () -> sum + " in " + rate + ", not " + allowed + ", up to " + last + tell(changing));
      }
    }
  }

  private static long allowedBy(Rate rate, Rate interval) {
    return ((interval.nanos() - 1) / rate.nanos() + 1) * rate.permits();
  }

  /** Returns whether {@code rate} let through anything of the interval up to {@code last}. */
  private static boolean wasInForce(Changing changing, Rate rate, Changing.Request last) {
    return changing.requests.stream()
        .filter(r -> r.start <= last.start && r.start > last.start - rate.nanos())
        .filter(r -> r.cost.amount() > 0)
        .map(r -> changing.limits.get(r.era))
        .map(limit -> (Window) (limit instanceof Peer peer ? peer.limit() : limit))
        .anyMatch(window -> window.rate().equals(rate));
  }

  /**
   * Returns how much was counted in the interval that ends just behind the start of {@code last}.
   */
  private static long heldBy(Changing changing, Changing.Request last, long nanos) {
    long from = last.start - nanos + 1;
    return changing.requests.stream()
        .filter(r -> r.counts && r.start <= last.start && (r.tracked ? r.end : r.start) >= from)
        .mapToLong(r -> r.cost.amount())
        .sum();
  }

  private static String tell(Changing changing) {
    return " of " + changing.limits + " from " + changing.changes + ": " + changing.requests;
  }

  // ---- buckets

  @Test
  void noSpanHoldsMoreThanTheLargerOfTwoBuckets() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Bucket) any(random, BUCKETS);
          var fresh = (Bucket) any(random, BUCKETS);
          Changing changing = playAndChange(random, old, fresh);
          for (int first = 0; first < changing.requests.size(); first++) {
            for (int last = first; last < changing.requests.size(); last++) {
              List<Changing.Request> span = changing.requests.subList(first, last + 1);
              assertTrue(isWithin(span, old) || isWithin(span, fresh), () -> span + tell(changing));
            }
          }
        });
  }

  private static boolean isWithin(List<Changing.Request> span, Bucket bucket) {
    long sum = 0;
    long most = bucket.burst() + bucket.debt();
    for (Changing.Request request : span) {
      sum += request.cost.amount();
      most = Math.max(most, request.cost.amount());
    }
    long length = span.get(span.size() - 1).start - span.get(0).start + bucket.slackNanos();
    BigInteger refill =
        BigInteger.valueOf(length).multiply(BigInteger.valueOf(bucket.rate().permits()));
    BigInteger excess =
        BigInteger.valueOf(sum - most).multiply(BigInteger.valueOf(bucket.rate().nanos()));
    return excess.compareTo(refill) <= 0;
  }

  @ParameterizedTest
  @CsvSource({
    // What is left stays, up to what the new one holds; what is missing is no debt.
    "'bucket(100/1s, burst=100)', 100, 'bucket(10/1s, burst=10)', 0, 100ms",
    "'bucket(100/1s, burst=100)', 85, 'bucket(10/1s, burst=10)', 10, 100ms",
    "'bucket(100/1s, burst=100)', 95, 'bucket(10/1s, burst=10)', 5, 100ms",
    "'bucket(1000/1s, burst=1000)', 1000, 'bucket(1/1s)', 0, 1s",
    "'bucket(10/1s, burst=10)', 4, 'bucket(10/1s, burst=100)', 6, 100ms",
    "'bucket(10/1s, burst=10)', 4, 'bucket(10/1s, burst=10)', 6, 100ms",
    // A smaller bucket that refills faster owes the difference: 10 and then 10/s would be too much.
    "'bucket(1/1s, burst=10)', 10, 'bucket(10/1s, burst=4)', 0, 700ms",
    "'bucket(1/1s, burst=10)', 0, 'bucket(10/1s, burst=4)', 4, 100ms"
  })
  void aBucketTakesOverItsLevel(String old, int taken, String fresh, int left, String wait) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 1000));
    assertEquals(dev.pacegate.time.Durations.parseNanos(wait), changing.ask(Cost.ONE));
  }

  // ---- windows of their own

  private static final List<String> FIXED =
      List.of(
          "fixed(3/1s)",
          "fixed(1/1s)",
          "fixed(10/1s)",
          "fixed(4/10s)",
          "fixed(10/7s)",
          "fixed(9/9s)",
          "fixed(10/10s)",
          "fixed(60/1m)",
          "fixed(100/1m)",
          "fixed(1/1m)",
          "fixed(2/13s)");

  /** Windows are filled to their ends, and the next ones at once. */
  @Test
  void anIntervalAcrossAChangeOfFixedLimitsHoldsOneAllowanceMoreAtTheMost() {
    Seeds.forEach(
        CASES / 3,
        random -> {
          var changing = new Changing(any(random, FIXED), origin(random), UNANSWERED);
          saturate(changing, random);
          changing.change(any(random, FIXED));
          saturate(changing, random);
          for (int i = 0; i < 6; i++) {
            changing.awaitAndDrain(Cost.ONE, 200);
          }
          assertNoStretchHoldsMore(changing);
        });
  }

  /** Lets as much as may go through at the ends of windows, and at the beginnings of the next. */
  private static void saturate(Changing changing, SplittableRandom random) {
    long interval = ((Fixed) changing.limit()).rate().nanos();
    for (int windows = random.nextInt(4); windows > 0; windows--) {
      changing.awaitAndDrain(Cost.ONE, random.nextInt(3) == 0 ? 200 : 0);
      changing.now += random.nextBoolean() ? interval - 1 : random.nextLong(interval);
      changing.drain(Cost.ONE, 200);
    }
    if (random.nextBoolean()) {
      changing.awaitAndDrain(Cost.ONE, 200);
    }
    changing.now += random.nextInt(3) == 0 ? random.nextLong(2 * interval) : 0;
  }

  /** Checks every interval, of whatever length, against what any of the limits allows of it. */
  private static void assertNoStretchHoldsMore(Changing changing) {
    List<Changing.Request> all = changing.requests;
    for (int first = 0; first < all.size(); first++) {
      long sum = 0;
      for (int last = first; last < all.size(); last++) {
        sum += all.get(last).cost.amount();
        long length = all.get(last).start - all.get(first).start;
        if (sum > allowed(changing.limits, length)) {
          fail(sum + " in " + all.subList(first, last + 1) + tell(changing));
        }
      }
    }
  }

  private static long allowed(List<Limit> limits, long length) {
    long larger =
        limits.stream().mapToLong(limit -> allowed((Fixed) limit, length)).max().orElseThrow();
    boolean changes = !limits.get(0).equals(limits.get(1));
    return larger
        + (changes
            ? limits.stream().mapToLong(l -> ((Fixed) l).rate().permits()).max().orElseThrow()
            : 0);
  }

  /** M * (ceil(W / I) + 1), W being the shortest that holds two instants that far apart. */
  private static long allowed(Fixed limit, long length) {
    return limit.rate().permits() * (length / limit.rate().nanos() + 2);
  }

  @ParameterizedTest
  @CsvSource({
    // Taken at 0, changed at 500 ms: how many go at once, and when the next one does.
    "fixed(3/1s), 3, fixed(4/1s), 1, 500ms",
    "fixed(4/1s), 4, fixed(3/1s), 0, 500ms",
    "fixed(4/1s), 2, fixed(3/1s), 1, 500ms",
    "fixed(3/1s), 2, fixed(3/1s), 1, 500ms",
    "fixed(3/1s), 3, fixed(3/2s), 0, 1500ms",
    "fixed(3/1s), 1, fixed(3/600ms), 2, 100ms",
    "fixed(3/1s), 3, fixed(3/300ms), 3, 300ms",
    "fixed(30/1m), 20, fixed(1000/1s), 980, 500ms",
    "fixed(3/1s), 0, fixed(5/1s), 5, 1s",
    "fixed(1/1s), 1, fixed(100/1m), 99, 59500ms"
  })
  void theCurrentWindowAndItsCountGoOn(String old, int taken, String fresh, int left, String wait) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.now = SECOND / 2;
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 1000));
    assertEquals(dev.pacegate.time.Durations.parseNanos(wait), changing.ask(Cost.ONE));
  }

  @Test
  void whatASmallerFasterWindowCannotHoldGoesToThoseAfterIt() {
    var changing = new Changing(Limits.parse("fixed(100/1m)"), 0, UNANSWERED);
    assertEquals(100, changing.drain(Cost.ONE, 1000));
    changing.change(Limits.parse("fixed(30/1s)"));
    assertEquals(3 * SECOND, changing.ask(Cost.ONE), "ten of the fourth second are used");
    changing.now = 3 * SECOND;
    assertEquals(20, changing.drain(Cost.ONE, 1000));
  }

  // ---- across kinds

  @Test
  void anotherKindHoldsOverItsOwnLength() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit old = any(random, KINDS);
          Limit fresh = any(random, KINDS);
          if (!old.getClass().equals(fresh.getClass())) {
            judgeNew(playAndChange(random, old, fresh));
          }
        });
  }

  @Test
  void anotherKindHoldsHoweverManyLimitsWereInForceBefore() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit first = any(random, KINDS);
          Limit second = any(random, KINDS);
          Limit third = any(random, KINDS);
          if (!second.getClass().equals(third.getClass())) {
            judgeNew(playAndChange(random, first, second, third));
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "100/1s, 1/1s, 1000/1m",
    "'bucket(100/1s, burst=100)', bucket(1/1s), 1000/1m",
    "'bucket(100/1s, burst=100)', 1/1s, 'bucket(1000/1m, burst=1000)'",
    "100/1s, bucket(1/1s), 1000/1m",
    "100/1s, spacing(1s), 1000/1m"
  })
  void whatWentBeforeTwoChangesIsNotForgotten(String first, String second, String third) {
    var changing = new Changing(Limits.parse(first), 0, UNANSWERED);
    for (int s = 0; s < 20; s++) {
      changing.now = s * SECOND;
      changing.drain(Cost.ONE, 1000);
    }
    assertTrue(changing.requests.size() >= 2000);
    changing.change(Limits.parse(second));
    changing.now += SECOND / 2; // the first second still matters
    changing.change(Limits.parse(third));
    int released = changing.drain(Cost.ONE, 2000);
    assertTrue(released <= 40, () -> released + " more");
  }

  /** Judges every interval that ends after the last change, unless what went before broke it. */
  private static void judgeNew(Changing changing) {
    int era = changing.limits.size() - 1;
    Limit limit = changing.limit();
    for (int last = 0; last < changing.requests.size(); last++) {
      if (changing.requests.get(last).era == era) {
        for (int first = 0; first <= last; first++) {
          List<Changing.Request> span = changing.requests.subList(first, last + 1);
          List<Changing.Request> before = span.stream().filter(r -> r.era < era).toList();
          assertTrue(
              isWithin(span, limit) || !keeps(limit, before), () -> span + " of " + tell(changing));
        }
      }
    }
  }

  /** Returns whether no part of {@code span}, from its beginning, is more than it may be. */
  private static boolean keeps(Limit limit, List<Changing.Request> span) {
    for (int size = 1; size <= span.size(); size++) {
      if (!isWithin(span.subList(0, size), limit)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isWithin(List<Changing.Request> span, Limit limit) {
    if (limit instanceof Bucket bucket) {
      return isWithin(span, bucket);
    }
    if (limit instanceof Warmup warmup) {
      return isWithin(span, Bucket.of(warmup.rate()));
    }
    long length = span.get(span.size() - 1).start - span.get(0).start;
    if (limit instanceof Fixed fixed) {
      return span.stream().mapToLong(r -> r.cost.amount()).sum() <= allowed(fixed, length);
    }
    if (limit instanceof Window window) {
      long sum = span.stream().mapToLong(r -> r.cost.amount()).sum();
      return length >= window.rate().nanos() || sum <= window.rate().permits();
    }
    return span.size() != 2 || length >= ((Spacing) limit).gapNanos();
  }

  @ParameterizedTest
  @CsvSource({
    "10/1m, 10, 1000/1m, 990",
    "10/1m, 10, 10/1m, 0",
    "10/1m, 3, 5/1m, 2",
    "10/1m, 3, 1/1s, 0",
    "100/1m, 50, 'bucket(1/1s, burst=60)', 10",
    "100/1m, 50, 'bucket(1/1s, burst=10)', 0",
    "'bucket(1/1s, burst=10)', 4, 10/1m, 6",
    "'bucket(1/1s, burst=10)', 4, 'concurrent(3)', 3",
    "unlimited, 5, 10/1m, 10",
    "spacing(1s), 1, 5/1s, 4",
    "5/1s, 2, fixed(3/1s), 1",
    "5/1s, 5, fixed(3/1s), 0",
    "fixed(3/1s), 2, 5/1s, 3",
    "fixed(3/1s), 3, 'bucket(1/1s, burst=5)', 2",
    "'bucket(1/1s, burst=5)', 2, fixed(3/1s), 1",
    "fixed(3/1s), 2, concurrent(2), 2",
    "concurrent(2), 2, fixed(3/1s), 1",
    "unlimited, 5, fixed(3/1s), 3",
    "fixed(3/1s), 2, unlimited, 2000",
    "fixed(3/1s), 2, 'fixed(3/1s) & fixed(10/1m)', 1",
    "'fixed(3/1s) & fixed(10/1m)', 2, fixed(9/1m), 7",
    "'fixed(3/1s, of=tokens)', 0, fixed(3/1s), 3",
    "3/1s, 3, spacing(1s), 0"
  })
  void leavesWhatIsLeft(String old, int taken, String fresh, int left) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 2000));
  }

  @Test
  void aWindowAtASteadyPaceLeavesABucketNearlyFull() {
    var changing = new Changing(Limits.parse("100/1s"), 0, UNANSWERED);
    for (int i = 0; i < 50; i++) {
      changing.now += 10_000_000;
      assertEquals(0, changing.ask(Cost.ONE));
      changing.release(Cost.ONE);
    }
    changing.change(Limits.parse("bucket(100/1s, burst=100)"));
    assertEquals(99, changing.drain(Cost.ONE, 1000));
  }

  @Test
  void aRequestLargerThanTheBucketCountsInFull() {
    var changing = new Changing(Limits.parse("bucket(1/1m)"), Long.MIN_VALUE, UNANSWERED);
    changing.now = 49 * MINUTE;
    changing.meter.release(Long.MIN_VALUE, Long.MIN_VALUE + 49 * MINUTE, Cost.of(50));
    changing.change(Limits.parse("60/1m"));
    int released = changing.drain(Cost.ONE, 100);
    assertTrue(released <= 10, () -> released + " more");
  }

  /** The bucket owes nothing, but for the minute of the window no more than either allows goes. */
  @Test
  void aBurstOfAWindowIsForgottenWhenItsMinuteIsOver() {
    var changing = new Changing(Limits.parse("1000/1m"), 0, UNANSWERED);
    assertEquals(1000, changing.drain(Cost.ONE, 1000));
    changing.now = 30 * SECOND;
    changing.change(Limits.parse("bucket(1/1s, burst=10)"));
    assertEquals(30 * SECOND, changing.ask(Cost.ONE));
    changing.now = 60 * SECOND;
    assertEquals(10, changing.drain(Cost.ONE, 1000));
  }

  @Test
  void aSlowerBucketAfterABurstOfAWindowIsEmptyNotInDebt() {
    var changing = new Changing(Limits.parse("1000/1m"), 0, UNANSWERED);
    assertEquals(995, changing.drain(Cost.ONE, 995));
    changing.change(Limits.parse("bucket(10/1m, burst=10)"));
    assertEquals(6 * SECOND, changing.ask(Cost.ONE));
  }

  // ---- what is open

  @Test
  void concurrentCountsWhatHasBeenOpenSinceBeforeASpacing() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit concurrent = Limits.concurrent(3);
          Limit spacing = Limits.parse("spacing(10ms)");
          Changing changing = playAndChange(random, concurrent, spacing, concurrent);
          for (Changing.Request last : changing.requests) {
            if (last.tracked) {
              long before =
                  changing.requests.subList(0, changing.requests.indexOf(last)).stream()
                      .filter(r -> r.tracked && r.closed > last.start)
                      .count();
              assertTrue(before + 1 <= 3, () -> before + " open at " + last + tell(changing));
            }
          }
          while (!changing.open.isEmpty()) {
            changing.end(changing.open.get(0), Outcome.ANSWERED);
          }
          assertEquals(3, changing.drain(Cost.ONE, 10), "the count came back to none");
        });
  }

  private static final List<String> PEERS =
      List.of(
          "peer(10/1m, unanswered=20s)",
          "peer(3/10s, unanswered=20s)",
          "peer(1/1s, unanswered=20s)",
          "peer(20/1m, unanswered=20s, margin=0s)");

  private static final List<String> PEERS_BUCKETS =
      List.of(
          "peer(bucket(1/1s, burst=10, initial=full), unanswered=20s)",
          "peer(bucket(10/1m, burst=3), unanswered=20s)");

  @Test
  void aPeersWindowsTakeOverWhatIsOpenEndedAndLost() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Peer) any(random, PEERS);
          var fresh = (Peer) any(random, PEERS);
          Changing changing = playAndChange(random, old, fresh, old);
          assertWithin(
              changing, List.of(((Window) old.limit()).rate(), ((Window) fresh.limit()).rate()));
        });
  }

  private static final List<String> CALENDARS =
      List.of(
          "aligned(10/1m, unanswered=20s)",
          "aligned(7/1m, unanswered=20s, margin=5s)",
          "aligned(3/10s, unanswered=20s)",
          "aligned(20/2h, unanswered=20s, zone=Europe/Berlin)",
          "aligned(2/1s, unanswered=20s, margin=100ms)");

  @Test
  void noWindowOfACalendarHoldsMoreWhateverLimitWasInForceBefore() {
    Seeds.forEach(
        3 * CASES,
        random -> {
          List<String> before =
              List.of(KINDS, PEERS, PEERS_BUCKETS, CALENDARS).get(random.nextInt(4));
          var fresh = (Aligned) any(random, CALENDARS);
          Limit old = any(random, before);
          judgeCalendar(playAndChange(random, old, fresh), fresh);
        });
  }

  /** Judges every window that something let through by the new limit may be counted in. */
  private static void judgeCalendar(Changing changing, Aligned limit) {
    for (int last = 0; last < changing.requests.size(); last++) {
      Changing.Request released = changing.requests.get(last);
      if (released.era == 1) {
        long began = CalendarWindows.nanos(Play.BEGAN);
        CalendarWindows windows = limit.windows();
        long latest = windows.index(began + released.start + limit.marginNanos());
        for (long k = windows.index(began + released.start - limit.marginNanos());
            k <= latest;
            k++) {
          long sum = 0;
          for (Changing.Request request : changing.requests.subList(0, last + 1)) {
            long end = request.tracked ? request.end : request.start + UNANSWERED;
            boolean touches =
                began + request.start - limit.marginNanos() < windows.beginning(k + 1)
                    && Nanos.add(end, began + limit.marginNanos()) >= windows.beginning(k);
            sum += request.counts && touches ? request.cost.amount() : 0;
          }
          long most = sum;
          assertTrue(
              sum <= limit.max() || released.cost.amount() == 0,
              () -> most + " up to " + released + " of " + tell(changing));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Taken three seconds before the minute, so many are left.
    "aligned(10/1m), 4, aligned(12/1m), 8",
    "aligned(10/1m), 4, aligned(4/1m), 0",
    "aligned(10/1m), 4, 'aligned(10/1m, margin=0s)', 6",
    "aligned(10/1m), 4, 'aligned(10/1m) & concurrent(7)', 3",
    "aligned(10/1m), 4, 'aligned(100/1d)', 96",
    "aligned(10/1m), 4, 10/1m, 6",
    "10/1m, 4, 'aligned(10/1m)', 6",
    "peer(10/1m), 4, 'aligned(10/1m)', 6",
    "concurrent(4), 4, 'aligned(10/1m)', 6",
    "unlimited, 4, 'aligned(10/1m)', 10"
  })
  void theCountOfTheCalendarGoesOn(String old, int taken, String fresh, int left) {
    var changing = new Changing(Limits.parse(old), 0, UNANSWERED);
    assertEquals(taken, changing.drain(Cost.ONE, taken));
    changing.change(Limits.parse(fresh));
    assertEquals(left, changing.drain(Cost.ONE, 2000));
  }

  @Test
  void theOldWindowHoldsNobodyUpForWhatItAllowedItself() {
    var changing = new Changing(Limits.parse("100/1m"), 0, UNANSWERED);
    assertEquals(50, changing.drain(Cost.ONE, 50));
    changing.change(Limits.parse("1/1s"));
    for (int second = 1; second <= 50; second++) {
      changing.now = second * SECOND;
      assertEquals(1, changing.drain(Cost.ONE, 10), "at " + second);
    }
    changing.now = 51 * SECOND;
    assertEquals(9 * SECOND, changing.ask(Cost.ONE), "a hundred in this minute");
  }

  @Test
  void aPeersOldWindowCountsUntilAnIntervalAfterTheLastOldRequest() {
    var changing = new Changing(Limits.parse("peer(20/1m, margin=0s)"), 0, UNANSWERED);
    assertEquals(14, changing.drain(Cost.ONE, 14));
    changing.change(Limits.parse("peer(3/10s, margin=0s)"));
    changing.now = 100 * SECOND;
    while (!changing.open.isEmpty()) {
      changing.end(changing.open.get(0), Outcome.ANSWERED);
    }
    // Twenty in a minute at most, of which fourteen have just been counted.
    int released = 0;
    for (; changing.now < 160 * SECOND; changing.now += SECOND) {
      released += changing.drain(Cost.ONE, 10);
      while (!changing.open.isEmpty()) {
        changing.end(changing.open.get(0), Outcome.ANSWERED);
      }
    }
    assertEquals(6, released);
    assertEquals(3, changing.drain(Cost.ONE, 10));
  }

  @Test
  void aPeersBucketStillExpectsWhatThePeersBucketBeforeItLost() {
    String text = "peer(bucket(1/1s, burst=10, initial=full), unanswered=20s, margin=0s)";
    var changing = new Changing(Limits.parse(text), 0, UNANSWERED);
    assertEquals(10, changing.drain(Cost.ONE, 20));
    while (!changing.open.isEmpty()) {
      changing.end(changing.open.get(0), Outcome.LOST);
    }
    changing.change(Limits.parse(text));
    changing.now = 15 * SECOND;
    assertEquals(6 * SECOND, changing.ask(Cost.ONE), "all ten may yet be counted at 20 s");
  }

  @Test
  void ofWhatAWindowLetThroughThePeerMayCountAnyUntilItIsOutdated() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit old = any(random, List.of("10/1m", "5/10s", "2/1s", "10/1m & concurrent(4)"));
          var fresh = (Peer) any(random, PEERS);
          Changing changing = playAndChange(random, old, fresh);
          long nanos = ((Window) fresh.limit()).rate().nanos();
          long max = ((Window) fresh.limit()).rate().permits();
          for (Changing.Request last : changing.requests) {
            if (last.era == 0) {
              continue;
            }
            long from = last.start - nanos + 1;
            long sum = 0;
            long before = 0;
            for (Changing.Request r : changing.requests) {
              // Of what ended before the change, only the start is known.
              boolean known = r.era > 0 || (r.tracked && r.closedIn > 0);
              long until = known ? r.end : r.start + UNANSWERED;
              if (r.counts && r.start <= last.start && until >= from) {
                sum += r.cost.amount();
                before += r.era == 0 ? r.cost.amount() : 0;
              }
            }
            long all = sum;
            assertTrue(all <= max || before > max, () -> all + " up to " + last + tell(changing));
          }
        });
  }

  @Test
  void aPeersBucketTakesOverWhatTheOldLimitLost() {
    Seeds.forEach(
        CASES,
        random -> {
          var old =
              (Peer)
                  any(
                      random,
                      List.of(
                          "peer(10/10s, unanswered=20s)",
                          "peer(5/1s, unanswered=20s)",
                          "peer(bucket(1/1s, burst=10), unanswered=20s)",
                          "peer(bucket(5/1s, burst=3), unanswered=20s)"));
          var fresh =
              (Peer)
                  any(
                      random,
                      List.of(
                          "peer(bucket(1/1s, burst=10), unanswered=20s)",
                          "peer(bucket(2/1s, burst=5), unanswered=20s)"));
          Changing changing = playAndChange(random, old, fresh);
          judgeCounts(changing, old.limit(), (Bucket) fresh.limit(), random);
        });
  }

  /** Lets the peer count each request at a random instant, and judges those instants. */
  private static void judgeCounts(
      Changing changing, Limit old, Bucket bucket, SplittableRandom random) {
    int era = changing.limits.size() - 1;
    List<Changing.Request> counts =
        changing.requests.stream()
            .filter(r -> r.counts)
            .map(
                r -> new Changing.Request(countedAt(r, changing.now, random), r.cost, r.era, false))
            .sorted((a, b) -> Long.compare(a.start, b.start))
            .toList();
    for (int last = 0; last < counts.size(); last++) {
      for (int first = 0; first <= last; first++) {
        List<Changing.Request> span = counts.subList(first, last + 1);
        List<Changing.Request> before = span.stream().filter(r -> r.era < era).toList();
        if (span.size() > before.size()) {
          assertTrue(
              isWithin(span, bucket)
                  || !keeps(bucket, before)
                  || (old instanceof Bucket larger && isWithin(span, larger)),
              () -> span + tell(changing));
        }
      }
    }
  }

  private static long countedAt(Changing.Request request, long now, SplittableRandom random) {
    long end = Math.min(request.end, now);
    return switch (random.nextInt(3)) {
      case 0 -> request.start;
      case 1 -> end;
      default -> request.start + random.nextLong(end - request.start + 1);
    };
  }

  @Test
  void doesNotGrowHoweverOftenItIsChanged() {
    var changing = new Changing(Limits.parse("10/2s"), 0, UNANSWERED);
    for (int i = 0; i < 1000; i++) {
      changing.now += SECOND;
      changing.drain(Cost.ONE, 100);
      changing.change(Limits.parse("10/" + (2000 - i) + "ms"));
    }
    int leaves = changing.meter.leaves().size();
    assertTrue(leaves <= 5, () -> leaves + " meters");
  }

  @Test
  void manyChangesToEverShorterIntervalsLeaveFewMeters() {
    var changing = new Changing(Limits.parse("10/2s"), 0, UNANSWERED);
    for (int i = 1; i <= 500; i++) {
      changing.now += 1_000_000;
      changing.drain(Cost.ONE, 100);
      changing.change(Limits.parse("10/" + (2000 - i) + "ms"));
    }
    int leaves = changing.meter.leaves().size();
    assertTrue(leaves <= 5, () -> leaves + " meters");
  }

  private static final List<String> PARTS =
      List.of(
          "10/1s",
          "200/1m",
          "7/10s",
          "spacing(100ms)",
          "fixed(10/1s)",
          "fixed(30/1m)",
          "concurrent(6)",
          "bucket(3/1s, burst=20)",
          "bucket(1/1m, burst=8, initial=empty)",
          "bucket(3/1s, burst=4, pay=later, debt=9)",
          "warmup(4/1s, over=3s)",
          "peer(10/1s, unanswered=20s)",
          "peer(30/1m, unanswered=20s)",
          "peer(bucket(1/1s, burst=10), unanswered=20s)");

  @Test
  void aChangeToTheSameLimitChangesNothing() {
    Seeds.forEach(
        CASES,
        random -> {
          String text = PARTS.get(random.nextInt(PARTS.size()));
          for (int i = random.nextInt(3); i > 0; i--) {
            text += " & " + PARTS.get(random.nextInt(PARTS.size()));
          }
          Limit limit = Limits.parse(text);
          var changing = new Changing(limit, origin(random), UNANSWERED);
          changing.play(random, 5 + random.nextInt(25));
          var shape = new Shape(limit);
          Cost cost = shape.fitting(random);
          long before = changing.ask(cost);
          changing.change(limit);
          long after = changing.ask(cost);
          assertTrue(after >= before, () -> after + " < " + before + tell(changing));
          if (!text.contains("bucket")) {
            assertEquals(before, after, () -> cost + tell(changing));
          }
        });
  }
}
