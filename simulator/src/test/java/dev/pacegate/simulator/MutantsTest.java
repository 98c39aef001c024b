package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Senders that make one mistake each, in a world in which the right one makes none. */
class MutantsTest {

  private static final String PEER = "sliding(10/1s)";

  private static void assertOnlyTheMutantIsRefused(Scenario right, Pacer.Maker mutant) {
    assertEquals(0, Simulation.run(right).refused(), () -> "seed " + right.seed());
    SimulationResult wrong = Simulation.run(right, mutant);
    assertTrue(wrong.refused() > 0, () -> wrong.worst() + ", seed " + right.seed());
  }

  /** Returns a maker of pacers that hand out other permits than the limiter does. */
  private static Pacer.Maker permits(Scenario right, UnaryOperator<Permit> change) {
    return time -> {
      Pacer pacer = Pacer.of(right.limit(), time);
      return (cost, go) -> pacer.enter(cost, permit -> go.accept(change.apply(permit)));
    };
  }

  /** No margin: our clock goes 0.2% fast, so the peer's goes slow. */
  @Test
  void aSenderWithoutAMarginIsRefused() {
    String[] world = {"clock-error", "-0.2%", "delay", "0ms..40ms", "back", "0s"};
    Scenario right = Worlds.world("peer(10/1s, margin=0.3%+1ms)", PEER, world);
    Limit bare = Limits.parse("peer(10/1s, margin=0s)");
    assertOnlyTheMutantIsRefused(right, time -> Pacer.of(bare, time));
  }

  /** Close on time-out. */
  @Test
  void aSenderThatEndsPermitsOnItsTimeOutIsRefused() {
    Scenario right =
        Worlds.world(
            "peer(10/1s, unanswered=5s)",
            PEER,
            "stalls",
            "2% of 500ms..3s",
            "timeout",
            "300ms",
            "counts",
            "completion");
    assertOnlyTheMutantIsRefused(right, MutantsTest::impatient);
  }

  private static Pacer impatient(Time time) {
    Pacer pacer = Pacer.of(Limits.parse("peer(10/1s, unanswered=5s)"), time);
    return (cost, go) ->
        pacer.enter(
            cost,
            permit -> {
              time.at(permit.releasedAt() + 300_000_000, permit::answered);
              go.accept(permit);
            });
  }

  @Test
  void aSenderThatTakesLostForAnsweredIsRefused() {
    Scenario right =
        Worlds.world(
            "peer(10/1s, unanswered=2s)",
            PEER,
            "resets",
            "10%",
            "work",
            "50ms..500ms",
            "counts",
            "completion");
    assertOnlyTheMutantIsRefused(right, permits(right, Forgetful::new));
  }

  /** No anchor: the interval begins with the start instead of the end. */
  @Test
  void aSenderWhosePermitsEndAtTheirStartIsRefused() {
    Scenario right = Worlds.world("peer(10/1s)", PEER);
    assertOnlyTheMutantIsRefused(
        right,
        permits(
            right,
            permit -> {
              permit.answered();
              return permit;
            }));
  }

  private static Scenario countedOnArrival(String... more) {
    String[] world = {"delay", "0ms..100ms", "work", "0s", "back", "0s..2s"};
    String[] all = Arrays.copyOf(world, world.length + more.length);
    System.arraycopy(more, 0, all, world.length, more.length);
    return Worlds.world("peer(10/1s, counted=101ms)", PEER, all);
  }

  /** Spent until one interval after the start, as if it had been counted at once. */
  @Test
  void aSenderThatForgetsTheBoundIsRefused() {
    Scenario right = countedOnArrival();
    Limit atOnce = Limits.parse("peer(10/1s, counted=0s)");
    assertOnlyTheMutantIsRefused(right, time -> Pacer.of(atOnce, time));
  }

  /** Lost requests end when they are given up, though they may be on their way. */
  @Test
  void aSenderThatEndsLostRequestsBeforeTheirBoundIsRefused() {
    Scenario right = countedOnArrival("timeout", "5ms");
    assertOnlyTheMutantIsRefused(right, permits(right, Forgetful::new));
  }

  @Test
  void aBoundForAPeerThatCountsAtTheEndIsRefused() {
    String[] world = {"work", "0s..2s", "counts", "completion"};
    Scenario right = Worlds.world("peer(10/1s)", PEER, world);
    Limit bound = Limits.parse("peer(10/1s, counted=100ms)");
    assertOnlyTheMutantIsRefused(right, time -> Pacer.of(bound, time));
  }

  /** No shadow cap: the level rises to the burst whatever is in flight. */
  @Test
  void aSenderThatRefillsUnderWhatIsInFlightIsRefused() {
    String[] world = {"demand", "bursts(5, every=600ms)", "stalls", "10% of 300ms..1s"};
    Scenario right = Worlds.world("peer(bucket(10/1s, burst=5))", "bucket(10/1s, burst=5)", world);
    Limit starts = Limits.parse("bucket(9990/1000s, burst=5, initial=empty)");
    assertOnlyTheMutantIsRefused(right, time -> Pacer.of(starts, time));
  }

  /** A redirect without a permit: every other request is sent under that of the one before. */
  @Test
  void aSenderThatFollowsRedirectsWithoutAPermitIsRefused() {
    Scenario right = Worlds.world("peer(10/1s)", PEER, "demand", "loop(30)");
    assertOnlyTheMutantIsRefused(
        right,
        time -> {
          Pacer pacer = Pacer.of(right.limit(), time);
          var arrivals = new AtomicLong();
          return (cost, go) -> {
            if (arrivals.getAndIncrement() % 2 == 0) {
              pacer.enter(cost, go);
            } else {
              time.at(time.nanoTime(), () -> go.accept(Pacer.ticket(time.nanoTime())));
            }
          };
        });
  }

  /**
   * Settled into a later interval: what was estimated too high is given back where it went last.
   */
  @Test
  void aSenderThatSettlesIntoALaterIntervalIsRefused() {
    Scenario right =
        Worlds.world("20/1s", "sliding(20/1s)", "cost", "1..3", "delay", "0s", "back", "0s..2s");
    Pacer.Maker settling = time -> new Estimating(right.limit(), time, false);
    assertEquals(0, Simulation.run(right, settling).refused(), () -> "seed " + right.seed());
    assertOnlyTheMutantIsRefused(right, time -> new Estimating(right.limit(), time, true));
  }

  /** A limit on starts, seen without any way: only the instants themselves can be wrong. */
  @Test
  void aSenderThatNotesPlannedInstantsIsRefused() {
    Scenario right = Worlds.world("10/1s", PEER, "delay", "0s", "late-timers", "0ms..2ms");
    assertOnlyTheMutantIsRefused(right, time -> new Planner(time, 10, 1_000_000_000));
  }

  /** Takes every request for dearer by 4 than it is, and puts that right when the answer is in. */
  private static final class Estimating implements Pacer {

    private static final long TOO_MUCH = 4;

    private final Limiter limiter;
    private final boolean later; // the mutant
    private @Nullable Estimate newest;

    Estimating(Limit limit, Time time, boolean later) {
      this.limiter =
          Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
      this.later = later;
    }

    @Override
    public void enter(long cost, Consumer<? super Permit> go) {
      var unused =
          limiter
              .acquireAsync(cost + TOO_MUCH)
              .thenAccept(
                  permit -> {
                    var estimate = new Estimate(permit, cost + TOO_MUCH);
                    newest = estimate;
                    go.accept(new Ending(permit, () -> settle(estimate)));
                  });
    }

    private void settle(Estimate answered) {
      Estimate other = newest;
      (later && other != null ? other : answered).lower();
    }

    @Override
    public void close() {
      limiter.close();
    }

    private static final class Estimate {
      private final Permit permit;
      private long charged;

      Estimate(Permit permit, long charged) {
        this.permit = permit;
        this.charged = charged;
      }

      void lower() {
        charged = Math.max(0, charged - TOO_MUCH);
        permit.settle(charged);
      }
    }
  }

  /** Does something before it ends, however it ends. */
  private record Ending(Permit permit, Runnable before) implements Permit {

    @Override
    public void answered() {
      before.run();
      permit.answered();
    }

    @Override
    public void notSent() {
      permit.notSent();
    }

    @Override
    public void lost() {
      before.run();
      permit.lost();
    }

    @Override
    public void failed(Throwable failure) {
      permit.failed(failure);
    }

    @Override
    public void close() {
      before.run();
      permit.close();
    }

    @Override
    public Duration waited() {
      return permit.waited();
    }

    @Override
    public long releasedAt() {
      return permit.releasedAt();
    }
  }

  /** Takes what is lost for answered. */
  private record Forgetful(Permit permit) implements Permit {

    @Override
    public void answered() {
      permit.answered();
    }

    @Override
    public void notSent() {
      permit.notSent();
    }

    @Override
    public void lost() {
      permit.answered();
    }

    @Override
    public void failed(Throwable failure) {
      permit.answered();
    }

    @Override
    public void close() {
      permit.answered();
    }

    @Override
    public Duration waited() {
      return permit.waited();
    }

    @Override
    public long releasedAt() {
      return permit.releasedAt();
    }
  }

  /** A window of its own that remembers when it meant to release, not when it did. */
  private static final class Planner implements Pacer {

    private final Time time;
    private final long nanos;
    private final long[] planned;
    private int next;

    Planner(Time time, int max, long nanos) {
      this.time = time;
      this.nanos = nanos;
      this.planned = new long[max];
      java.util.Arrays.fill(planned, Long.MIN_VALUE / 2);
    }

    @Override
    public void enter(long cost, Consumer<? super Permit> go) {
      long at = Math.max(time.nanoTime(), planned[next] + nanos);
      planned[next] = at;
      next = (next + 1) % planned.length;
      time.at(at, () -> go.accept(new Ticket(time.nanoTime())));
    }
  }
}
