package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the scenarios that come with Pacegate claim. */
class ScenariosTest {

  @TestFactory
  Stream<DynamicTest> everyScenarioShowsWhatItClaims() {
    return Scenarios.names().stream()
        .flatMap(
            name ->
                Scenarios.named(name).runs().stream()
                    .map(
                        run ->
                            DynamicTest.dynamicTest(
                                name + ": " + run.scenario().limit(), () -> holds(run))));
  }

  private static void holds(Study.Run run) {
    assertFalse(run.refused() == Study.Refused.ANY, "nothing is claimed");
    SimulationResult outcome = Simulation.run(run.scenario());
    assertTrue(run.refused().of(outcome), () -> outcome.refused() + " refused, " + outcome.worst());
    assertEquals(outcome.worst().tooMuch(), outcome.refused() > 0, outcome.worst()::toString);
  }

  @Test
  void everyFileIsListed() throws Exception {
    var files = new TreeSet<String>();
    try (Stream<Path> folder = Files.list(Path.of("scenarios"))) {
      folder.forEach(file -> files.add(String.valueOf(file.getFileName()).replace(".yaml", "")));
    }
    assertEquals(new TreeSet<>(Scenarios.names()), files);
  }

  @Test
  void everyScenarioHasAQuestionAndAnAnswer() {
    for (String name : Scenarios.names()) {
      Study study = Scenarios.named(name);
      assertEquals(name, study.name());
      assertTrue(study.question().contains("?"), name);
      assertTrue(study.answer().endsWith("."), name);
    }
  }
}
