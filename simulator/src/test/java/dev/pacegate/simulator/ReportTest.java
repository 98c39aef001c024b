package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is printed of a run does not flatter it. */
class ReportTest {

  private static String line(SimulationResult outcome, String name) {
    return outcome.lines().stream()
        .filter(line -> line.startsWith(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " in " + outcome.lines()));
  }

  @Test
  void aRefusedRequestIsNotAccepted() {
    String[] world = {"counts", "completion", "delay", "5ms..20ms", "work", "100ms..2s"};
    SimulationResult outcome = Worlds.run("10/1s", "sliding(10/1s)", world);
    assertTrue(outcome.refused() > 1000, () -> outcome.refused() + " refused");
    assertEquals(outcome.sends(), outcome.accepted() + outcome.refused());
    double share = (double) outcome.accepted() / outcome.sends();
    assertEquals(outcome.perNano() * share, outcome.acceptedPerNano(), 1e-15);
    assertTrue(outcome.shareOfPeer() < 0.9, () -> outcome.shareOfPeer() + " of what it allows");
    String refused = line(outcome, "refused");
    assertTrue(
        refused.matches(
            "refused    \\d+ of 10000 \\(\\d\\d\\.?\\d? %\\); worst window: \\d+ of 10, at .* s"),
        refused);
    String accepted = line(outcome, "accepted");
    assertTrue(
        accepted.matches(
            "accepted   \\d+, [78][.\\d]* per second: [78]\\d.* % of what the peer allows"),
        accepted);
  }

  @Test
  void aRequestThatNeverReachesThePeerIsNotAccepted() {
    SimulationResult outcome =
        Worlds.run("peer(10/1s)", "sliding(10/1s)", "sends", "2000", "lost", "20%");
    assertEquals(0, outcome.refused());
    assertTrue(outcome.accepted() < 1900, () -> outcome.accepted() + " accepted");
  }

  @Test
  void onlyAllIsAHundredPercent() {
    assertEquals("100 %", Findings.percent(1));
    assertEquals("99.9 %", Findings.percent(0.9999));
    assertEquals("19.7 %", Findings.percent(0.1967));
  }

  @Test
  void aPeerThatOnlyCountsIsToldFromOneThatRefuses() {
    SimulationResult outcome = Worlds.run("10/1s", "sliding(10/1s)", "refuses", "no");
    String line = line(outcome, "too many");
    assertTrue(line.contains(" %), and counted all the same; worst window: "), line);
  }

  @Test
  void theWorstIsNamedAfterTheRule() {
    assertWorst("; shortest gap: [^;]* \\(at least 100 ms wanted\\), at .*", "spacing(100ms)");
    assertWorst("; worst burst: .* of 5, at .*", "bucket(10/1s, burst=5)");
    assertWorst("; highest estimate: .* of 10, at .*", "estimated(10/1s)");
    assertWorst("; most at work: .* of 1, at .*", "concurrent(1)");
    SimulationResult kept = Worlds.run("peer(10/1s)", "sliding(10/1s)");
    String line = line(kept, "refused");
    assertTrue(line.startsWith("refused    none of 10000; fullest window: 10 of 10, at "), line);
  }

  private static void assertWorst(String words, String peer) {
    String line = line(Worlds.run("10/1s", peer, "work", "300ms"), "refused");
    assertTrue(line.matches("refused    \\d+ of 10000 \\(.* %\\)" + words), line);
  }
}
