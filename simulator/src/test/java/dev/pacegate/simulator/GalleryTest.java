package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GalleryTest {

  @TempDir Path folder;

  static List<String> scenarios() {
    return Scenarios.names();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyRunHasADrawingANameOfItsOwnAndFourNumbers(String name) throws IOException {
    Study study = shorter(Scenarios.named(name));
    new Gallery(List.of(study), folder).write();
    String page = Files.readString(folder.resolve("index.html"));
    assertEquals(study.runs().size(), page.split("<figure ", -1).length - 1, page);
    assertEquals(study.runs().size(), names(page), page);
    for (int i = 0; i < study.runs().size(); i++) {
      String drawing = name + "-" + (i + 1) + ".svg";
      assertTrue(page.contains("src=\"" + drawing + "\""), page);
      assertTrue(Files.readString(folder.resolve(drawing)).startsWith("<svg"), drawing);
      SimulationResult outcome = Simulation.run(study.runs().get(i).scenario());
      for (String number :
          List.of(
              ">" + outcome.refused() + " of " + outcome.sends() + " (",
              ">" + Findings.span(outcome.wait50()) + "<",
              ">" + Findings.span(outcome.wait99()) + "<",
              " per second<")) {
        assertTrue(page.contains(number), () -> number + " in " + page);
      }
    }
  }

  private static Study shorter(Study study) {
    List<Study.Run> runs =
        study.runs().stream()
            .map(run -> new Study.Run(Worlds.shorter(run.scenario(), 300), run.refused()))
            .toList();
    return new Study(study.name(), study.question(), runs, study.answer());
  }

  /** Returns how many different names of runs are offered. */
  private static long names(String page) {
    return page.lines()
        .filter(line -> line.startsWith("<figure "))
        .map(line -> line.replaceAll(".* data-limit=", ""))
        .distinct()
        .count();
  }

  @Test
  @Tag("pages")
  void thePageListsEveryScenario() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "gallery.md"));
    for (String name : Scenarios.names()) {
      String row = "| `" + name + "` | " + Scenarios.named(name).question() + " |\n";
      assertTrue(page.contains(row), () -> row + page);
    }
  }
}
