package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What {@code docs/choosing.md} says of peers that estimate: the burst decides the throughput. */
class EstimatedPeerTest {

  private static double share(int burst) {
    String limit = "peer(bucket(" + (10 - burst) + "/1s, burst=" + burst + "))";
    SimulationResult result =
        Worlds.run(limit, "estimated(10/1s)", "delay", "0ms..40ms", "back", "0ms..20ms");
    assertEquals(0, result.refused(), () -> limit + ", seed " + Worlds.SEED);
    return result.shareOfPeer();
  }

  @Test
  void theLeastBurstThatHidesTheRoundTripIsTheFastest() {
    double[] shares = IntStream.rangeClosed(1, 5).mapToDouble(EstimatedPeerTest::share).toArray();
    assertArrayEquals(
        new double[] {0.70, 0.79, 0.70, 0.60, 0.50}, shares, 0.015, () -> "seed " + Worlds.SEED);
  }
}
