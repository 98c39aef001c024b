package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
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
        new double[] {0.70, 0.80, 0.70, 0.60, 0.50}, shares, 0.015, () -> "seed " + Worlds.SEED);
  }

  @Test
  @Tag("pages")
  void thePageSaysWhatABurstGives() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "choosing.md"));
    String said =
        ("a burst of 2 allows %d %% of the service's limit, a burst of 1 allows %d %% and a burst of 5"
                + " only %d %%")
            .formatted(percent(2), percent(1), percent(5));
    assertTrue(page.contains(said), said);
  }

  private static long percent(int burst) {
    return Math.round(100 * share(burst));
  }
}
