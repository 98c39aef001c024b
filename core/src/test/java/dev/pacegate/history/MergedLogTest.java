package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Seeds;
import dev.pacegate.limit.spi.Meter;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/**
 * What the bounded log costs, beside one that remembers everything: at most a merged entry. And it
 * lets through no more.
 */
class MergedLogTest {

  private static final long MILLISECOND = 1_000_000;
  private static final long STEP = 2 * MILLISECOND;
  private static final int STEPS = 8_000;
  private static final long LONGEST = 6_000 * MILLISECOND; // of all limits, with unanswered
  private static final long GRAIN = LONGEST / 64; // of an entry as old as that

  /** A limiter in virtual time whose requests are answered after a while. */
  private static final class Play {
    private final int most;
    private final Deque<Long> open = new ArrayDeque<>(); // starts
    private Limit limit;
    private Meter meter;
    private long sent;

    Play(Limit first, int most) {
      this.limit = first;
      this.meter = first.newMeter(0);
      this.most = most;
    }

    void change(Limit next, long now) {
      List<OpenRequest> requests =
          open.stream().map(start -> new OpenRequest(start, Cost.ONE)).toList();
      meter =
          ChangedMeter.of(
              new Takeover(limit, meter, 0, next, now, () -> Instant.EPOCH, requests), most);
      limit = next;
    }

    long nanosUntilNext(long now) {
      return meter.nanosUntil(now, now, Cost.ONE);
    }

    void release(long now) {
      meter.release(now, now, Cost.ONE);
      sent++;
      if (meter.tracks()) {
        open.add(now);
      }
    }

    void releaseAtMost(int most, long now) {
      for (int tries = 0; tries < most && nanosUntilNext(now) == 0; tries++) {
        release(now);
      }
    }

    void endThoseSince(long age, long now) {
      while (!open.isEmpty() && now - open.peek() >= age) {
        meter.end(open.remove(), now, Cost.ONE, Outcome.ANSWERED);
      }
    }
  }

  private static Limit limit(SplittableRandom random) {
    String rate = 500 + random.nextInt(4_000) + "/" + (1_000 + random.nextInt(3_000)) + "ms";
    String end = ", unanswered=1s)";
    return Limits.parse(
        switch (random.nextInt(4)) {
          case 0 -> "peer(" + rate + end;
          case 1 -> "peer(" + rate + ", counted=" + random.nextInt(1_000) + "ms)";
          case 2 -> "spacing(" + (100 + random.nextInt(2_000)) + "us)";
          default -> rate;
        });
  }

  private static List<Limit> chain(SplittableRandom random) {
    var limits = new ArrayList<>(List.of(Limits.parse("unlimited")));
    for (int i = 0; i < 8; i++) {
      limits.add(limit(random));
    }
    return limits;
  }

  /** Calls {@code requests} in each step, when all have changed their limits and had answers. */
  private static void play(List<Limit> chain, List<Play> plays, LongConsumer requests) {
    for (int i = 0; i < STEPS; i++) {
      long now = i * STEP;
      for (Play play : plays) {
        if (i % (STEPS / 8) == 1) {
          play.change(chain.get(1 + i / (STEPS / 8)), now);
        }
        play.endThoseSince(40 * MILLISECOND, now);
      }
      requests.accept(now);
    }
  }

  /** Both are told the same, and asked the same. */
  @Test
  void noWaitIsLongerByMoreThanAMergedEntry() {
    Seeds.forEach(
        40,
        random -> {
          List<Limit> chain = chain(random);
          var bounded = new Play(chain.get(0), EntryLog.MOST);
          var unbounded = new Play(chain.get(0), Integer.MAX_VALUE);
          play(
              chain,
              List.of(bounded, unbounded),
              now -> {
                int burst = 1 + random.nextInt(12);
                for (int tries = 0; tries < burst; tries++) {
                  long wait = bounded.nanosUntilNext(now);
                  long reference = unbounded.nanosUntilNext(now);
                  assertTrue(
                      wait <= reference || wait >= Meter.AT_EVENT || wait - reference <= GRAIN,
                      () -> wait + ", not " + reference + " at " + now + " by " + chain);
                  if (wait == 0 && reference == 0) {
                    bounded.release(now);
                    unbounded.release(now);
                  }
                }
              });
        });
  }

  /** Each lets through what it allows by itself. */
  @Test
  void nearlyAllIsDelivered() {
    Seeds.forEach(
        40,
        random -> {
          List<Limit> chain = chain(random);
          var bounded = new Play(chain.get(0), EntryLog.MOST);
          var unbounded = new Play(chain.get(0), Integer.MAX_VALUE);
          var plays = List.of(bounded, unbounded);
          play(chain, plays, now -> plays.forEach(play -> play.releaseAtMost(12, now)));
          assertTrue(
              bounded.sent >= 0.99 * unbounded.sent,
              () -> bounded.sent + " of " + unbounded.sent + " by " + chain);
        });
  }

  /**
   * Ten open ones of the first limit were merged with later ones, and its window with them: 206.
   */
  @Test
  void aWindowLastsForRequestsThatAreMergedWithLaterOnes() {
    for (int most : new int[] {8, EntryLog.MOST}) {
      var play = new Play(Limits.parse("peer(10/10s, margin=0s, unanswered=0s)"), most);
      play.releaseAtMost(10, 0);
      play.change(Limits.parse("peer(2/100ms, margin=0s, unanswered=0s)"), second(1));
      play.endThoseSince(0, second(8));
      for (long now = second(8); now < second(18); now += 10 * MILLISECOND) {
        if (now == second(16)) {
          play.change(Limits.parse("peer(2/101ms, margin=0s, unanswered=0s)"), now);
        }
        play.releaseAtMost(2, now);
        play.endThoseSince(0, now);
      }
      assertTrue(play.sent <= 200, play.sent + " in ten seconds with " + most);
    }
  }

  private static long second(int number) {
    return number * 1_000L * MILLISECOND;
  }
}
