package dev.pacegate.peer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Small limits with {@code counted=headers}, requests of one instant, lost bodies, headers without
 * counts, drifting clocks and changes of limits, at random. What the peer has counted is checked
 * afterwards, in any interval of its own.
 */
class StatedSearchTest {

  private static final long MILLI = 1_000_000;
  private static final long INTERVAL = 10_000 * MILLI;
  private static final int MOST = 4;
  private static final String TARGET = "peer(4/10s, counted=headers, margin=1%)";
  private static final List<String> OTHERS =
      List.of(
          TARGET,
          "peer(4/1s)",
          "peer(2/10s)",
          "concurrent(2)",
          "peer(4/10s, counted=headers) & peer(2/1s)");

  /** When the peer counts a request. */
  private enum Counts {
    BY_HEADERS,
    /** By the headers if these say how much is counted, and later if not. */
    LATER_IF_SILENT,
    AFTER_HEADERS,
    AT_END
  }

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private record Counted(long at, long amount, int phase) {}

  /** One client and one peer for a few minutes. */
  private static final class World {
    final SplittableRandom random;
    final Counts counts;
    final boolean changes;
    final ManualTime time = ManualTime.manual();
    final long origin = time.nanoTime();
    final PriorityQueue<Event> events = new PriorityQueue<>();
    final List<Counted> counted = new ArrayList<>();
    final Limiter api;
    final long peerInterval;
    final int kind; // of the peer's windows
    final long longestBody;
    long order;
    long begun = Long.MIN_VALUE / 2; // the window of a peer whose windows begin with a request
    int phase; // grows with each change of the limit
    boolean isTarget = true;

    World(SplittableRandom random, Counts counts, boolean changes) {
      this.random = random;
      this.counts = counts;
      this.changes = changes;
      Duration late = Duration.ofSeconds(random.nextInt(1, 4));
      this.api =
          Limiter.builder(TARGET).name("api").time(time).late(late).executor(Runnable::run).build();
      this.peerInterval = INTERVAL + random.nextLong(-INTERVAL / 110, INTERVAL / 110);
      this.kind = random.nextInt(3);
      this.longestBody = random.nextBoolean() ? 25_000 * MILLI : 3_000 * MILLI;
    }

    long now() {
      return time.nanoTime() - origin;
    }

    void at(long instant, Runnable action) {
      events.add(new Event(instant, order++, action));
    }

    long upTo(long span) {
      return random.nextInt(4) == 0 ? 0 : random.nextLong(span + 1) / MILLI * MILLI;
    }

    void run() {
      long pace = random.nextLong(200, 8_000) * MILLI;
      for (long at = 0; at < 300_000 * MILLI; at += random.nextLong(pace) + MILLI) {
        at(at, this::burst);
      }
      while (!events.isEmpty()) {
        Event next = events.remove();
        time.advance(Duration.ofNanos(next.at - now()));
        next.action.run();
      }
      api.close();
    }

    void burst() {
      if (changes && random.nextInt(12) == 0) {
        String next = isTarget ? OTHERS.get(random.nextInt(OTHERS.size())) : TARGET;
        api.setLimit(Limits.parse(next));
        isTarget = next.equals(TARGET);
        phase++;
      }
      for (int i = random.nextInt(4); i >= 0; i--) {
        int cost = random.nextInt(5) == 0 ? 2 : 1;
        api.tryAcquire(cost).ifPresent(permit -> request(permit, cost));
      }
    }

    void request(Permit permit, int cost) {
      long start = now();
      if (random.nextInt(12) == 0) {
        at(start + upTo(2_000 * MILLI), permit::notSent);
        return;
      }
      long sent = start + (random.nextInt(8) == 0 ? upTo(3_000 * MILLI) : 0);
      at(sent, permit::sending);
      long said = sent + upTo(500 * MILLI);
      long headers = said + upTo(500 * MILLI);
      long end = headers + upTo(longestBody) + MILLI;
      boolean lost = random.nextInt(6) == 0;
      boolean silent = random.nextInt(6) == 0;
      long over = lost ? Math.max(end, start + INTERVAL) : end; // unanswered is 10 s
      boolean early = counts == Counts.BY_HEADERS || (counts == Counts.LATER_IF_SILENT && !silent);
      long after = counts == Counts.AT_END ? over : random.nextLong(said + 1, over + 1);
      int now = isTarget ? phase : -1;
      at(early ? random.nextLong(sent, said + 1) : after, () -> count(cost, now));
      if (!silent) {
        at(said, () -> say(permit, headers));
      }
      at(end, lost ? permit::lost : permit::answered);
    }

    void count(int cost, int phaseOfRequest) {
      if (now() - begun >= peerInterval) {
        begun = now();
      }
      counted.add(new Counted(now(), cost, phaseOfRequest));
    }

    void say(Permit permit, long headers) {
      long used = Math.min(MOST, used());
      Quota quota = Quota.remaining(MOST - used).withLimit(MOST).withWindow(Duration.ofSeconds(10));
      var answer = PeerAnswer.of(PeerVerdict.ACCEPTED).withQuotas(List.of(quota));
      for (int i = random.nextInt(3) == 0 ? 2 : 1; i > 0; i--) {
        at(headers, () -> api.heard(permit, answer, Backoff.standard()));
      }
    }

    long used() {
      long from =
          switch (kind) {
            case 0 -> now() - peerInterval + 1;
            case 1 -> now() - begun < peerInterval ? begun : now() + 1;
            default -> Math.floorDiv(now(), peerInterval) * peerInterval;
          };
      return counted.stream().filter(one -> one.at >= from).mapToLong(Counted::amount).sum();
    }

    /** Returns the most that was counted in an interval of requests sent under one limit. */
    long most() {
      long most = 0;
      for (Counted first : counted) {
        long sum = 0;
        for (Counted one : counted) {
          boolean isIn = one.at >= first.at && one.at - first.at < peerInterval;
          sum += isIn && first.phase >= 0 && one.phase == first.phase ? one.amount : 0;
        }
        most = Math.max(most, sum);
      }
      return most;
    }
  }

  private static void search(Counts counts, boolean changes) {
    Seeds.forEach(
        400,
        random -> {
          var world = new World(random, counts, changes);
          world.run();
          assertTrue(world.most() <= MOST, counts + ": " + world.most() + " in an interval");
        });
  }

  @ParameterizedTest
  @EnumSource(Counts.class)
  void noIntervalOfThePeerContainsMoreThanTheLimit(Counts counts) {
    search(counts, false);
  }

  @ParameterizedTest
  @EnumSource(Counts.class)
  void noIntervalAfterAChangeContainsMoreThanTheLimit(Counts counts) {
    search(counts, true);
  }

  @Test
  void theSearchSendsRequests() {
    var world = new World(new SplittableRandom(1), Counts.BY_HEADERS, false);
    world.run();
    assertTrue(world.most() > 1);
  }
}
