package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Worlds as such. */
class SimulationTest {

  private static final String[] STORMY = {
    "delay", "lognormal(30ms, p99=300ms)",
    "work", "5ms..20ms",
    "stalls", "1% of 500ms..2s",
    "lost", "0.5%",
    "resets", "0.5%",
    "timeout", "1s",
    "pauses", "0.1% of 100ms..1s",
    "late-timers", "0ms..2ms",
    "counts", "dispatch",
    "clock-error", "-0.05%",
    "clock-grain", "1ms",
    "cost", "1..3",
    "sends", "20000"
  };

  /** The same on every JDK: these were taken on 17 and hold on 25. */
  @Test
  void aSeedFixesEveryEvent() {
    assertEquals(DIGESTS, List.of(digest("always"), digest("random(20/1s)"), digest("loop(40)")));
  }

  private static final List<String> DIGESTS =
      List.of("6145f2f53c6a8341", "507e0f8347659eca", "ad67e0ab811e0023");

  private static String digest(String demand) {
    Scenario world = Worlds.world("peer(50/1s, unanswered=6s)", "sliding(50/1s)", STORMY);
    Scenario fixed =
        new Scenario(
            world.limit(),
            new Client(
                Demand.parse(demand),
                1,
                3,
                world.client().timeOut(),
                world.client().pauses(),
                world.client().pause(),
                false,
                world.client().lateness(),
                List.of()),
            world.network(),
            world.peer(),
            world.sends(),
            42);
    return String.format("%016x", Simulation.run(fixed).digest());
  }

  @Test
  void anotherSeedIsAnotherWorld() {
    long one = Worlds.run("10/1s", "sliding(10/1s)", "seed", "1").digest();
    assertNotEquals(one, Worlds.run("10/1s", "sliding(10/1s)", "seed", "2").digest());
    assertEquals(one, Worlds.run("10/1s", "sliding(10/1s)", "seed", "1").digest());
  }

  @Test
  void everythingIsSentOnceAndEnds() {
    SimulationResult outcome = Worlds.run("peer(50/1s, unanswered=6s)", "sliding(50/1s)", STORMY);
    assertEquals(20_000, outcome.sends());
    assertTrue(outcome.timedOut() > 100, () -> "only " + outcome.timedOut() + " timed out");
    assertEquals(0, outcome.refused(), () -> "seed " + Worlds.SEED);
  }

  @Test
  void aPeerThatOnlyCountsCountsWhatItWouldHaveRefused() {
    String[] world = {"demand", "random(10/1s)", "stalls", "2%"};
    SimulationResult refusing = Worlds.run("10/1s", "sliding(10/1s)", world);
    String[] lenient = {"demand", "random(10/1s)", "stalls", "2%", "refuses", "no"};
    SimulationResult counting = Worlds.run("10/1s", "sliding(10/1s)", lenient);
    assertTrue(refusing.refused() > 0);
    assertTrue(counting.refused() >= refusing.refused(), "what is counted leads to more");
  }

  @Test
  void demandIsWhatItSays() {
    assertRate(5, Worlds.run("unlimited", "sliding(10/1s)", "demand", "even(5/1s)"));
    assertRate(5, Worlds.run("unlimited", "sliding(10/1s)", "demand", "random(5/1s)"));
    assertRate(5, Worlds.run("unlimited", "sliding(10/1s)", "demand", "bursts(10, every=2s)"));
    SimulationResult loop =
        Worlds.run("unlimited", "sliding(10/1s)", "demand", "loop(5)", "delay", "250ms");
    assertRate(10, loop);
  }

  private static void assertRate(double perSecond, SimulationResult outcome) {
    double actual = outcome.perNano() * 1e9;
    assertTrue(Math.abs(actual / perSecond - 1) < 0.04, () -> actual + ", seed " + Worlds.SEED);
  }

  @Test
  void delaysAreWhatTheySay() {
    var chance = new Chance(Worlds.SEED);
    Delay delay = Delay.parse("lognormal(50ms, p99=400ms)");
    int belowMedian = 0;
    int aboveP99 = 0;
    for (int i = 0; i < 100_000; i++) {
      long nanos = delay.draw(chance);
      belowMedian += nanos < 50_000_000 ? 1 : 0;
      aboveP99 += nanos > 400_000_000 ? 1 : 0;
      assertTrue(nanos <= delay.longest());
    }
    assertEquals(50_000, belowMedian, 800);
    assertEquals(1_000, aboveP99, 160);
  }

  @Test
  void throughputIsThatOfTheTheory() {
    assertTheory("peer(10/1s)", "sliding(10/1s)");
    assertTheory("peer(spacing(100ms))", "spacing(100ms)");
    assertTheory("peer(bucket(10/1s, burst=1))", "bucket(10/1s)");
    assertTheory("peer(bucket(10/1s, burst=20))", "bucket(10/1s, burst=20)");
    assertTheory("peer(bucket(100/1s, burst=8))", "bucket(100/1s, burst=8)");
  }

  /**
   * Of a peer's bucket theory is only what to expect at least; what there can be at most is more.
   */
  @Test
  void aBucketDeliversBetweenItsBounds() {
    for (long burst : new long[] {1, 2, 3, 5, 8, 20}) {
      for (String delay : List.of("10ms", "40ms", "100ms", "200ms")) {
        SimulationResult outcome = bucket(burst, delay);
        double permit = 1e9 / 100 * 1.001;
        double cycle = outcome.meanHold() + permit + 1e6;
        double expected = Math.min(1 / permit, burst / cycle);
        double share = outcome.perNano() / expected;
        assertTrue(share > 0.95 && share < 1.005, () -> burst + " at " + delay + ": " + share);
        assertTrue(outcome.shareOfTheory() > 0.98, () -> burst + " at " + delay);
      }
      for (String delay : List.of("0ms..20ms", "5ms..150ms", "lognormal(50ms, p99=500ms)")) {
        SimulationResult outcome = bucket(burst, delay);
        double most = Math.min(100 / 1e9, burst / outcome.meanHold());
        assertTrue(outcome.perNano() < most * 1.005, () -> burst + " at " + delay);
        assertTrue(outcome.shareOfTheory() > 0.98, () -> burst + " at " + delay);
      }
    }
  }

  private static SimulationResult bucket(long burst, String delay) {
    String bucket = "bucket(100/1s, burst=" + burst + ")";
    return Worlds.run("peer(" + bucket + ")", bucket, "delay", delay, "back", "0s");
  }

  private static void assertTheory(String limit, String peer) {
    SimulationResult outcome = Worlds.run(limit, peer, "delay", "lognormal(30ms, p99=300ms)");
    double share = outcome.shareOfTheory();
    assertTrue(share > 0.99 && share < 1.12, () -> limit + ": " + share + ", seed " + Worlds.SEED);
  }

  /**
   * A minute and two seconds for 60 requests, instead of a minute and the time to the answer. What
   * the peer counts when it answers is too much then.
   */
  @Test
  void aLongAnswerCostsNothingWhereThePeerCountsOnArrival() {
    SimulationResult counted = answers("peer(60/1m, counted=2s)", "29s", "arrival");
    assertEquals(0, counted.refused(), () -> counted.worst() + ", seed " + Worlds.SEED);
    assertTrue(Math.round(100 * counted.shareOfPeer()) >= 97, () -> "" + counted.shareOfPeer());
    assertEquals(1, counted.shareOfTheory(), 0.01);
    SimulationResult whole = answers("peer(60/1m)", "29s", "arrival");
    assertEquals(0, whole.refused(), () -> whole.worst() + ", seed " + Worlds.SEED);
    assertEquals(67, Math.round(100 * whole.shareOfPeer()));
    assertTrue(answers("peer(60/1m, counted=2s)", "20s..38s", "completion").refused() > 0);
  }

  private static SimulationResult answers(String limit, String work, String counts) {
    return Worlds.run(
        limit,
        "sliding(60/1m)",
        "counts",
        counts,
        "delay",
        "20ms..2s",
        "work",
        work,
        "back",
        "20ms..80ms",
        "timeout",
        "10m",
        "sends",
        "12000"); // whole windows
  }

  /** All in one instant is no rate: neither 0 per second nor a share of anything. */
  @Test
  void sendsInOneInstantHaveNoRate() {
    SimulationResult outcome = Worlds.run("peer(10000/1s)", "fixed(10000/1s)");
    assertEquals(10_000, outcome.sends());
    assertEquals(Double.NaN, outcome.perNano());
    assertEquals(Double.NaN, outcome.shareOfPeer());
    assertEquals(Double.NaN, outcome.shareOfTheory());
    assertTrue(
        outcome.lines().contains("accepted   10000, all at once"), outcome.lines()::toString);
  }

  /** Half of what gets lost is never counted: with few requests it may be all. */
  @Test
  void aPeerThatNothingReachesIsNotFull() {
    int unreached = 0;
    for (int seed = 0; seed < 20; seed++) {
      for (String peer : Rule.FORMS.split(", (?=[a-z]+\\()", -1)) {
        SimulationResult outcome =
            Worlds.run("10/1s", peer, "sends", "1", "lost", "100%", "seed", String.valueOf(seed));
        if (outcome.worst().most() == 0) {
          unreached++;
          assertEquals(0, outcome.worst().fullness());
          assertTrue(new Proof.Result(1, 1, 0, Double.NaN, outcome.worst().fullness()).isBad());
          boolean isSaid = Timeline.svg(outcome).contains("Nothing reached the API.");
          assertEquals(outcome.accepted() == 0, isSaid); // one request alone makes no gap
        }
      }
    }
    assertTrue(unreached > 0);
  }

  @Test
  void aRequestThatCanNeverGoIsTold() {
    var e =
        assertThrows(
            IllegalStateException.class, () -> Worlds.run("5/1s", "sliding(9/1s)", "cost", "6"));
    assertEquals("only 0 of 10000 requests could ever be released under 5/1s", e.getMessage());
  }

  @Test
  void anExceptionInARunIsNotLost() {
    Scenario world = Worlds.world("10/1s", "sliding(10/1s)");
    assertThrows(
        ArithmeticException.class,
        () ->
            Simulation.run(
                world,
                time ->
                    (cost, go) ->
                        time.at(
                            time.nanoTime() + 1,
                            () -> {
                              throw new ArithmeticException();
                            })));
    Pacer.Maker fixed = time -> (cost, go) -> time.at(1, () -> go.accept(Pacer.ticket(1)));
    var settings = new Settings();
    settings.set(Setting.PEER, "sliding(10/1s)");
    settings.change("1ms", "5/1s");
    Scenario changing = settings.scenario(Limits.parse("10/1s"));
    assertThrows(UnsupportedOperationException.class, () -> Simulation.run(changing, fixed));
  }

  @Test
  void aLimitChangesInMidRun() {
    var settings = new Settings();
    settings.set(Setting.PEER, "sliding(10/1s)");
    settings.set(Setting.SENDS, "400");
    settings.change("10s", "peer(1/1s)");
    SimulationResult outcome = Simulation.run(settings.scenario(Limits.parse("peer(10/1s)")));
    assertEquals(0, outcome.refused());
    assertTrue(outcome.nanos() > 300e9, () -> Findings.span(outcome.nanos()));
  }
}
