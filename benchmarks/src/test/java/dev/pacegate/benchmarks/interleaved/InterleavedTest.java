package dev.pacegate.benchmarks.interleaved;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sees that everything works; nothing can be said of speed within seconds. */
class InterleavedTest {

  @TempDir Path work;

  @Test
  void everySubjectIsMeasuredAndPlaced() throws Exception {
    String page = Interleaved.page(work, true);
    for (String must :
        List.of(
            "| the floor | 1.000 | 1.000 to 1.000 |",
            "| Pacegate window |",
            "| Guava |",
            "| Failsafe, bursty |",
            "| Pacegate peer window, refused |",
            "So few JVMs say nothing of speed.")) {
      assertTrue(page.contains(must), () -> "no " + must + " in\n" + page);
    }
  }

  @Test
  void twoVersionsAreCompared() throws Exception {
    Path core = core();
    List<Subject> some = List.of(Subject.FLOOR, Subject.BUCKET, Subject.CONCURRENT, Subject.PEER);
    String page = Comparison.page(Plan.of(true), new Lineup(some, List.of(core, core)), work);
    for (Subject subject : some) {
      assertTrue(page.contains("| " + subject.title), () -> "no " + subject + " in\n" + page);
    }
  }

  @Test
  void everyLoopHasClassesOfItsOwn() {
    var turn = new Case(Subject.WINDOW, true, 0);
    Loop one = turn.loop(Optional.empty());
    Loop other = turn.loop(Optional.empty());
    assertNotSame(one.getClass(), other.getClass());
    assertEquals(Loop.CALLS, one.run());
    assertEquals(Loop.CALLS, other.run());
  }

  @Test
  void aVersionIsNotMadeUpFromAnother() throws Exception {
    Path empty = Files.createDirectory(work.resolve("empty"));
    var turn = new Case(Subject.WINDOW, true, 0);
    assertThrows(IllegalStateException.class, () -> turn.loop(Optional.of(empty)));
  }

  @Test
  void aLimiterThatDoesNotKeepToItsOutcomeIsNoticed() {
    var refusing = new Case(Subject.GUAVA, false, 0);
    var runner = new Runner(refusing, () -> 1);
    assertThrows(IllegalStateException.class, () -> runner.run(1));
  }

  private static Path core() throws Exception {
    return Path.of(Limiter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
