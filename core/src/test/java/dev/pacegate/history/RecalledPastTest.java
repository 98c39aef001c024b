package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Seeds;
import dev.pacegate.limit.spi.Meter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What a limit that takes over is told of the past by a limit that never changed, beside one that
 * is told everything: nothing earlier than it was, and nothing much later.
 */
class RecalledPastTest {

  private static final long MILLISECOND = 1_000_000;
  private static final long ANSWERED = 40 * MILLISECOND; // by then
  private static final String FOREVER = "10000000/200d"; // its log does not end

  private record Open(long start, long ends, Outcome outcome, Cost cost) {}

  /** A limiter in virtual time whose limit changes once. */
  private static final class Play {
    private final boolean remembersAll;
    private final List<Open> open = new ArrayList<>();
    private Limit limit;
    private Meter meter;
    private long sent;

    Play(Limit first, boolean remembersAll) {
      this.remembersAll = remembersAll;
      this.limit = remembersAll ? Limits.parse(FOREVER) : first;
      this.meter = limit.newMeter(0);
      if (remembersAll) {
        change(first, 0);
      }
    }

    void change(Limit next, long now) {
      List<OpenRequest> requests =
          open.stream().map(each -> new OpenRequest(each.start, each.cost)).toList();
      int most = remembersAll ? Integer.MAX_VALUE : EntryLog.MOST;
      meter =
          ChangedMeter.of(
              new Takeover(limit, meter, 0, next, now, () -> Instant.EPOCH, requests), most);
      limit = next;
    }

    long nanosUntil(long now, Cost cost) {
      return meter.nanosUntil(now, now, cost);
    }

    void release(long now, Cost cost, long ends, Outcome outcome) {
      meter.release(now, now, cost);
      sent += cost.amount();
      if (meter.tracks()) {
        open.add(new Open(now, ends, outcome, cost));
      }
    }

    /** The request that has been open for longest costs more than it was charged. */
    void settle(long now, Cost actual) {
      if (!open.isEmpty()) {
        Open first = open.remove(0);
        meter.settle(first.start, now, first.cost, actual);
        open.add(new Open(first.start, first.ends, first.outcome, actual));
      }
    }

    void endUntil(long now) {
      for (Open each : List.copyOf(open)) {
        if (each.ends <= now) {
          open.remove(each);
          meter.end(each.start, now, each.cost, each.outcome);
        }
      }
    }
  }

  /** A limit that is used up, and a larger one. */
  private record Raise(Limit first, Limit next, long longest, long step, long most) {

    static Raise any(SplittableRandom random) {
      long nanos = (1_000L + random.nextInt(1_000)) * MILLISECOND;
      long max = 1L + random.nextInt(random.nextInt(5) > 0 ? 60 : 6_000);
      long factor = 2L + random.nextInt(3);
      long longer =
          switch (random.nextInt(4)) {
            case 0 -> nanos / 2;
            case 1 -> nanos * (2L + random.nextInt(4));
            case 2 -> nanos + random.nextLong(nanos);
            default -> nanos;
          };
      long larger = Math.max(max + 1, (long) (1.0 * max * factor * longer / nanos));
      String rate = max + "/" + nanos + "ns";
      String raised = larger + "/" + longer + "ns";
      int kind = random.nextInt(4);
      int counted = random.nextInt(1, 40);
      String first = text(kind, rate, counted);
      String next = text(kind == 3 ? 0 : kind, raised, counted);
      long longest = Math.max(nanos, longer);
      return new Raise(
          Limits.parse(
              kind == 3 ? "spacing(" + nanos / 100 * (100 / Math.min(max, 100)) + "ns)" : first),
          Limits.parse(next),
          longest,
          nanos / 100,
          kind == 3 ? 1 : max);
    }

    /** A window of more than 1024 merges so much, of what it is told as of what it counts. */
    long merged() {
      return most > 50 ? longest / 1_000 : 0; // the next one may allow twenty times as many
    }

    /**
     * It is used up at each step only; and ends do not tell the starts for which others have
     * waited.
     */
    long tolerance() {
      long rounds = longest / (100 * step) + 1;
      return longest / 32 + rounds * (2 * step + (first.newMeter(0).tracks() ? ANSWERED : 0));
    }

    private static String text(int kind, String rate, int counted) {
      return switch (kind) {
        case 1 -> "peer(" + rate + ", unanswered=100ms, margin=0s)";
        case 2 -> "peer(" + rate + ", counted=" + counted + "ms, margin=0s)";
        default -> rate;
      };
    }
  }

  /** Draws costs, demand and ends. */
  private static final class Demand {
    final SplittableRandom random;
    final Raise raise;
    final boolean weighted;
    final boolean more;
    final boolean spread;

    Demand(Raise raise, SplittableRandom random) {
      this.raise = raise;
      this.random = random;
      this.weighted = random.nextInt(3) == 0;
      this.more = random.nextInt(3) == 0;
      this.spread = random.nextBoolean();
    }

    Cost cost() {
      long most = Math.max(1, raise.most / 4);
      return Cost.of(weighted ? 1 + random.nextLong(most) : Math.max(1, raise.most / 40));
    }

    /** The limit is used up little by little at first, or at once; from then on always. */
    int wanted(long now) {
      return now < 100 * raise.step && spread ? random.nextInt(3) : 1_000;
    }

    /** Returns whether a request starts late, or costs more than it was charged. */
    boolean isMore() {
      return more && random.nextInt(30) == 0;
    }
  }

  private static void use(Demand demand, List<Play> plays, Play asked, long now) {
    plays.forEach(play -> play.endUntil(now));
    for (int wanted = demand.wanted(now); wanted > 0; wanted--) {
      Cost cost = demand.cost();
      while (asked.nanosUntil(now, cost) != 0 && cost.amount() > 1) {
        cost = Cost.of(cost.amount() / 2); // so that it is used up
      }
      if (asked.nanosUntil(now, cost) != 0) {
        break;
      }
      long ends = now + demand.random.nextLong(ANSWERED);
      Outcome outcome = demand.random.nextInt(10) == 0 ? Outcome.LOST : Outcome.ANSWERED;
      for (Play play : plays) {
        play.release(now, cost, ends, outcome);
      }
    }
    if (demand.isMore()) {
      Cost cost = demand.cost();
      plays.forEach(play -> play.meter.startsLate(now, cost));
      plays.forEach(play -> play.settle(now, Cost.of(demand.raise.most / 2 + 1)));
    }
  }

  @Test
  void aUsedUpWindowThatIsRaisedGivesTheDifferenceAtOnce() {
    long minute = 60_000 * MILLISECOND;
    for (String text : List.of("10/1m", "4000/1m", "peer(10/1m, margin=0s)")) {
      Limit first = Limits.parse(text);
      long max = first.promises().get(0).atOnce();
      var play = new Play(first, false);
      for (int i = 0; i < 5; i++) {
        play.release(i * minute, Cost.of(max), i * minute, Outcome.ANSWERED);
        play.endUntil(i * minute);
      }
      long now = 4 * minute + minute / 2;
      play.change(Limits.parse(text.replace(max + "/", 2 * max + "/")), now);
      assertEquals(0, play.nanosUntil(now, Cost.of(max)), text);
      play.release(now, Cost.of(max), now, Outcome.ANSWERED);
      assertEquals(minute / 2, play.nanosUntil(now, Cost.ONE), text);
    }
  }

  /** Both are told the same, and asked the same. */
  @Test
  void noWaitIsShorterOrMuchLongerThanIfAllWereRemembered() {
    Seeds.forEach(
        400,
        random -> {
          var raise = Raise.any(random);
          var play = new Play(raise.first, false);
          var reference = new Play(raise.first, true);
          var plays = List.of(play, reference);
          var demand = new Demand(raise, random);
          int change = 300 + random.nextInt(400);
          for (int i = 0; i < change; i++) {
            use(demand, plays, play, i * raise.step);
          }
          for (int i = change; i < change + 800; i++) {
            long now = i * raise.step;
            if (i == change) {
              plays.forEach(each -> each.change(raise.next, now));
            }
            plays.forEach(each -> each.endUntil(now));
            for (int tries = 0; tries < 3; tries++) {
              Cost cost = demand.cost();
              long wait = play.nanosUntil(now, cost);
              long known = reference.nanosUntil(now, cost);
              assertTrue(
                  wait >= known - raise.merged()
                      && (wait - known <= raise.tolerance() || wait >= Meter.AT_EVENT),
                  () -> wait + ", not " + known + " at " + now + " by " + raise);
              if (wait == 0 && known == 0) {
                plays.forEach(each -> each.release(now, cost, now, Outcome.ANSWERED));
              }
            }
          }
        });
  }

  /** Each lets through what it allows by itself. */
  @Test
  void nearlyAllIsDelivered() {
    Seeds.forEach(
        400,
        random -> {
          var raise = Raise.any(random);
          var play = new Play(raise.first, false);
          var reference = new Play(raise.first, true);
          var plays = List.of(play, reference);
          var demand = new Demand(raise, random);
          int change = 300 + random.nextInt(400);
          for (int i = 0; i < change; i++) {
            use(demand, plays, play, i * raise.step);
          }
          plays.forEach(each -> each.change(raise.next, change * raise.step));
          Cost cost = demand.cost();
          plays.forEach(each -> each.sent = 0);
          for (int i = change; i < change + 1_500; i++) {
            long now = i * raise.step;
            for (Play each : plays) {
              each.endUntil(now);
              for (int tries = 0; tries < 50 && each.nanosUntil(now, cost) == 0; tries++) {
                each.release(now, cost, now + 10 * MILLISECOND, Outcome.ANSWERED);
              }
            }
          }
          assertTrue(
              play.sent >= 0.99 * reference.sent - cost.amount(),
              () -> play.sent + " of " + reference.sent + " by " + raise);
        });
  }
}
