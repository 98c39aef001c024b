package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short form of the proof; {@code simulator/run} is the long one. */
class ProofTest {

  private static final int SENDS = 1_000_000;
  private static final int WORLDS = 210;

  @TempDir Path folder;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private Proof proof(long sends, int worlds, @Nullable Path state) {
    var out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return new Proof(sends, worlds, Worlds.SEED, state, out);
  }

  @Test
  void noPeerRefusesAnything() throws Exception {
    assertTrue(proof(SENDS / 4, WORLDS, null).run(), printed::toString);
  }

  @Test
  @Tag("heavy")
  void noPeerRefusesAnythingAtLength() throws Exception {
    assertTrue(proof(100L * SENDS, WORLDS, null).run(), printed::toString);
  }

  /**
   * What {@code simulator/run} does, and goes on with where that has stopped; fewer with {@code
   * -Dpacegate.sends}.
   */
  @Test
  @Tag("simulation")
  void aThousandMillionSends() throws Exception {
    long all = 1000L * SENDS;
    long sends = Long.getLong("pacegate.sends", all);
    Path state = Files.createDirectories(Path.of("target/proof")).resolve("2026");
    assertTrue(new Proof(sends, 1000, 2026, sends == all ? state : null, System.out).run());
  }

  @Test
  void isGoneOnWithWhereItWasLeft() throws Exception {
    Path state = folder.resolve("state");
    proof(7_000, 7, state).run();
    assertEquals(7, Files.readAllLines(state).size());
    printed.reset();
    proof(14_000, 14, state).run();
    assertEquals(14, Files.readAllLines(state).size());
    String text = printed.toString(StandardCharsets.UTF_8);
    assertTrue(text.startsWith("done before: 7 of 14 worlds"), text);
  }

  /** The same worlds, in which the same limits count starts. */
  @Test
  void fewWorldsForgiveALimitOnStarts() {
    int refused = 0;
    int worlds = 0;
    for (int i = 0; i < 70; i++) {
      Scenario world = RandomWorlds.draw(Worlds.SEED, i, 2_000);
      if (world.limit() instanceof Peer peer && world.client().demand() instanceof Demand.Always) {
        worlds++;
        Limit starts = peer.limit();
        refused += Simulation.run(world.with(starts)).kept() ? 0 : 1;
      }
    }
    int some = refused;
    int all = worlds;
    assertTrue(some > all / 2, () -> some + " of " + all + ", seed " + Worlds.SEED);
  }

  /** The same worlds, in which the same number is taken for a window. */
  @Test
  void fewPeersThatEstimateForgiveAWindow() {
    int refused = 0;
    int worlds = 0;
    for (int i = 0; i < 300; i++) {
      Scenario world = RandomWorlds.draw(Worlds.SEED, i, 2_000);
      if (world.peer().rule() instanceof Rule.Estimated estimated
          && world.client().demand() instanceof Demand.Always) {
        worlds++;
        Limit window = Limits.parse("peer(" + estimated.rate() + ", unanswered=1h)");
        refused += Simulation.run(world.with(window)).kept() ? 0 : 1;
      }
    }
    int some = refused;
    int all = worlds;
    assertTrue(all > 5 && some > all / 2, () -> some + " of " + all + ", seed " + Worlds.SEED);
  }

  @Test
  void aBadWorldIsNotedAsBad() {
    assertTrue(new Proof.Result(1, 10, 1, Double.NaN, 1).isBad());
    assertTrue(new Proof.Result(1, 10, 0, 0.97, 1).isBad());
    assertTrue(new Proof.Result(1, 10, 0, Double.NaN, 0).isBad(), "nothing reached the peer");
    assertFalse(new Proof.Result(1, 10, 0, Double.NaN, 1).isBad());
    assertEquals(
        new Proof.Result(1, 10, 0, 0.99, 0.7),
        Proof.Result.parse(new Proof.Result(1, 10, 0, 0.99, 0.7).line()));
  }
}
