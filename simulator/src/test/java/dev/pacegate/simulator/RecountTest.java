package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Rate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What peers count in whole worlds, counted anew for each request from all that came before it. */
class RecountTest {

  private static final int WORLDS = 140;

  private int requests;
  private int refusals;

  @Test
  void peersCountWhatComes() {
    for (int i = 0; i < WORLDS; i++) {
      Scenario world = RandomWorlds.draw(Worlds.SEED, i, 300);
      recount(world);
      if (world.limit() instanceof Peer peer) {
        recount(world.with(peer.limit()));
      } else {
        recount(world.with(Limits.parse("unlimited")));
      }
    }
    assertTrue(requests > 200 * WORLDS, () -> requests + " were counted, seed " + Worlds.SEED);
    assertTrue(refusals > 10 * WORLDS, () -> refusals + " were refused, seed " + Worlds.SEED);
  }

  private void recount(Scenario scenario) {
    World world =
        new World(scenario, time -> Pacer.of(scenario.limit(), time)).keeping(0, Long.MAX_VALUE);
    SimulationResult outcome = world.run();
    var counted = new ArrayList<Request>();
    int refused = 0;
    var arriving = new ArrayList<>(world.kept());
    arriving.removeIf(request -> request.counts == Request.NEVER);
    arriving.sort(Comparator.comparingLong(request -> request.counts)); // stable
    var naive = new Naive(scenario);
    for (Request request : arriving) {
      boolean admits = naive.admits(counted, request);
      String where = scenario.peer() + " under " + scenario.limit() + ", seed " + Worlds.SEED;
      assertEquals(!admits, request.refused, () -> "request " + request.id + " at " + where);
      refused += admits ? 0 : 1;
      if (admits || !scenario.peer().refuses()) {
        counted.add(request);
      }
    }
    assertEquals(refused, outcome.refused());
    requests += arriving.size();
    refusals += refused;
  }

  /** Rules as one would say them, in whole numbers of any size. */
  private static final class Naive {

    private final Rule rule;
    private final PeerClock clock;
    private final long phase;

    Naive(Scenario scenario) {
      this.rule = scenario.peer().rule();
      this.clock = scenario.peer().clock();
      // The first thing that a world draws is the peer's stream, and of that the first the phase.
      Chance chance = new Chance(scenario.seed()).split();
      boolean drawn = rule instanceof Rule.Fixed || rule instanceof Rule.Estimated;
      this.phase = drawn ? chance.below(rule.nanos()) : 0;
    }

    boolean admits(List<Request> counted, Request request) {
      long now = stamp(request);
      if (rule instanceof Rule.Fixed || rule instanceof Rule.Aligned) {
        long length = rule.nanos();
        long window = Math.floorDiv(now - phase, length);
        long sum = 0;
        for (Request one : counted) {
          sum += Math.floorDiv(stamp(one) - phase, length) == window ? one.cost : 0;
        }
        return sum + request.cost <= rate().permits();
      }
      if (rule instanceof Rule.Estimated estimated) {
        return estimate(counted, now, request.cost) <= estimated.rate().permits();
      }
      if (rule instanceof Rule.Sliding) {
        long sum = 0;
        for (Request one : counted) {
          sum += stamp(one) > now - rule.nanos() ? one.cost : 0;
        }
        return sum + request.cost <= rate().permits();
      }
      if (rule instanceof Rule.Bucket bucket) {
        return holds(counted, now, bucket.rate(), bucket.burst(), request.cost);
      }
      if (rule instanceof Rule.Gcra gcra) {
        BigDecimal each = BigDecimal.valueOf(gcra.rate().nanos());
        each = each.divide(BigDecimal.valueOf(gcra.rate().permits()), 0, RoundingMode.CEILING);
        var rate = new Rate(1, each.longValueExact());
        return holds(counted, now, rate, gcra.burst(), request.cost);
      }
      if (rule instanceof Rule.Gap gap) {
        return counted.stream().allMatch(one -> now - stamp(one) >= gap.nanos());
      }
      long atWork =
          counted.stream()
              .filter(o -> o.counts <= request.counts && o.worked > request.counts)
              .count();
      return atWork < ((Rule.Open) rule).max();
    }

    /** The published formula in floating numbers, which are exact enough for these counts. */
    private double estimate(List<Request> counted, long now, long cost) {
      long length = rule.nanos();
      long window = Math.floorDiv(now - phase, length);
      double share = (double) Math.floorMod(now - phase, length) / length;
      double present = cost;
      double previous = 0;
      for (Request one : counted) {
        long its = Math.floorDiv(stamp(one) - phase, length);
        present += its == window ? one.cost : 0;
        previous += its == window - 1 ? one.cost : 0;
      }
      return present + previous * (1 - share) - 1e-9;
    }

    private boolean holds(List<Request> counted, long now, Rate rate, long burst, long cost) {
      BigInteger each = BigInteger.valueOf(rate.nanos());
      BigInteger full = BigInteger.valueOf(burst).multiply(each);
      BigInteger level = full;
      long last = 0;
      for (Request one : counted) {
        level = filled(level, stamp(one) - last, rate, full);
        level = level.subtract(BigInteger.valueOf(one.cost).multiply(each));
        last = stamp(one);
      }
      level = filled(level, now - last, rate, full);
      return level.compareTo(BigInteger.valueOf(cost).multiply(each)) >= 0;
    }

    private static BigInteger filled(BigInteger level, long nanos, Rate rate, BigInteger full) {
      BigInteger more = BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(rate.permits()));
      return level.add(more).min(full);
    }

    private Rate rate() {
      if (rule instanceof Rule.Fixed fixed) {
        return fixed.rate();
      }
      return rule instanceof Rule.Sliding s ? s.rate() : ((Rule.Aligned) rule).rate();
    }

    private long stamp(Request request) {
      return clock.stamp(request.counts);
    }
  }

  @Test
  void aClockIsAsWrongAsItSays() {
    var chance = new Chance(Worlds.SEED);
    for (int i = 0; i < 10_000; i++) {
      long ppm = chance.below(200_001) - 100_000;
      long offset = chance.below(1L << 50);
      long grain = 1 + chance.below(1L << chance.below(30));
      long instant = chance.below(1L << chance.below(58));
      long shown = new PeerClock(offset, ppm, grain).stamp(instant);
      BigDecimal exact =
          BigDecimal.valueOf(instant)
              .multiply(BigDecimal.valueOf(1_000_000 + ppm, 6))
              .add(BigDecimal.valueOf(offset));
      BigDecimal behind = exact.subtract(BigDecimal.valueOf(shown));
      assertEquals(0, Math.floorMod(shown, grain));
      assertTrue(
          behind.doubleValue() > -1.0 && behind.doubleValue() < grain + 1.0,
          () -> behind + " behind, seed " + Worlds.SEED);
    }
  }
}
