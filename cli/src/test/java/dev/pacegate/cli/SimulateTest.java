package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.simulator.Rule;
import dev.pacegate.simulator.Scenarios;
import dev.pacegate.simulator.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code pacegate simulate}. */
class SimulateTest {

  private static final String FORMS = "expected one of " + Rule.FORMS;

  @TempDir Path folder;

  private static Session simulate(String... arguments) {
    var all = new String[arguments.length + 1];
    all[0] = "simulate";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Session.given("").run(all);
  }

  @Test
  void saysWhetherThePeerRefusedAny() {
    Session wrong = simulate("10/1s", "--peer", "sliding(10/1s)", "--sends", "1000");
    assertEquals(Status.BROKEN, wrong.status());
    assertTrue(wrong.out().contains("refused    "), wrong.out());
    assertFalse(wrong.out().contains("refused    none"), wrong.out());
    Session right = simulate("peer(10/1s)", "--peer", "sliding(10/1s)", "--sends", "1000");
    assertEquals(Status.OK, right.status());
    assertTrue(
        right.out().contains("refused    none of 1000; fullest window: 10 of 10"), right.out());
  }

  @Test
  void triesSeveralLimitsInTheSameWorld() {
    String out = simulate("10/1s", "peer(10/1s)", "--peer", "sliding(10/1s)").out();
    assertTrue(out.contains("limit      10/1s\n"), out);
    assertTrue(out.contains("limit      peer(10/1s)\n"), out);
    String note = "unless a term says peer; pipe, run and proxy read 10/1s as peer(10/1s). ";
    assertTrue(out.replaceAll("\\s+", " ").endsWith(note), out);
    assertFalse(simulate("peer(10/1s)", "--peer", "sliding(10/1s)").out().contains("run and"));
  }

  @Test
  void explainsTheWordsThatAreThereAndNoOthers() {
    String[] world = {"peer(10/1s)", "--peer", "sliding(10/1s)", "--sends", "100"};
    String refusing = simulate(world).out();
    assertTrue(refusing.contains("\nrefused: "), refusing);
    assertFalse(refusing.contains("too many: "), refusing);
    String[] counting = {"10/1s", "--peer", "sliding(10/1s)", "--sends", "100", "--refuses", "no"};
    String out = simulate(counting).out();
    assertTrue(out.contains("\ntoo many: ") && out.contains("in limit: "), out);
    assertFalse(out.contains("refused") || out.contains("accepted: "), out);
    assertEquals(out.contains("; expected: "), out.contains(". expected: "), out);
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    String[] arguments = {"10/1s", "--peer", "sliding(10/1s)", "--stalls", "1%", "--seed", "7"};
    assertEquals(simulate(arguments).out(), simulate(arguments).out());
    arguments[6] = "8";
    assertFalse(simulate(arguments).out().equals(simulate("10/1s").out()));
  }

  @Test
  void runsAScenarioThatComesWithPacegate() {
    Session session = simulate("tick-skew");
    assertEquals(Status.OK, session.status());
    assertTrue(session.out().startsWith("The peer allows 10 in each second"), session.out());
    assertTrue(session.out().contains("needs no common clock."), session.out());
  }

  @Test
  void saysWhenAScenarioDoesNotShowWhatItClaims() throws Exception {
    Path file = folder.resolve("mine.yaml");
    Files.writeString(file, "peer: sliding(10/1s)\nruns:\n  - limit: 10/1s\n    refused: none\n");
    Session session = simulate(file.toString(), "--sends", "500");
    assertEquals(Status.BROKEN, session.status());
    assertTrue(session.out().contains("not what the scenario claims"), session.out());
    assertTrue(session.out().contains("sent       500 in"), session.out());
  }

  @Test
  void drawsTheWorstPlaceOfEachRun() throws Exception {
    Path file = folder.resolve("skew.svg");
    simulate("tick-skew", "--svg", file.toString());
    assertTrue(Files.readString(folder.resolve("skew-1.svg")).contains("of 10<"));
    assertTrue(Files.readString(folder.resolve("skew-2.svg")).contains("10 of 10<"));
    simulate("1/1s", "--peer", "spacing(1s)", "--svg", file.toString());
    assertTrue(Files.readString(file).startsWith("<svg"));
  }

  @Test
  void theGalleryTakesNothingElseAndNamesAFolderThatCannotBe() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    simulate("10/1s", "--gallery", file.toString())
        .fails(2, "--gallery draws the scenarios as they are: leave out everything else");
    simulate("--gallery", file.toString())
        .fails(2, "cannot write into " + file + " (Not a directory)");
  }

  /** Made by {@code pacegate simulate long-requests --svg docs/long-requests.svg}. */
  @Test
  @Tag("pages")
  void theDrawingsOfTheReadmeAreUpToDate() throws Exception {
    simulate("long-requests", "--svg", folder.resolve("long-requests.svg").toString());
    for (String name : List.of("long-requests-1.svg", "long-requests-2.svg")) {
      Path drawn = folder.resolve(name);
      assertEquals(-1, Files.mismatch(drawn, Path.of("..", "docs", name)), name);
    }
  }

  @Test
  void tellsWhatIsWrongAndWhatIsAllowed() {
    simulate("10/1s").fails(2, "--peer is missing, " + FORMS);
    simulate("10/1s", "--peer", "slding(10/1s)")
        .fails(2, "--peer: \"slding(10/1s)\" is no rule of a peer, " + FORMS);
    simulate("10/1s", "--peer", "fixed(10/1x)")
        .fails(
            2,
            "--peer: \"fixed(10/1x)\": \"1x\" has unit \"x\", expected one of ns us ms s m min h d");
    simulate("10/1s", "--peer", "sliding(10/1s)", "--stalls", "5")
        .fails(
            2,
            "--stalls: \"5\" is no share: expected 0% to 100% with at most 4 decimals, as in 0.5%");
    simulate("10/1s", "--peer", "sliding(10/1s)", "--delay", "80ms..20ms")
        .fails(
            2,
            "--delay: a delay must go from the shorter to the longer, of at most an hour:"
                + " 80ms..20ms");
    simulate("10/1s", "--peer", "sliding(10/1s)", "--cost", "5..1")
        .fails(2, "--cost: a cost must be at least 1, the lower first: 5..1");
    simulate("spacing(100ms)", "--peer", "sliding(10/1s)", "--cost", "1..3")
        .fails(
            2,
            "--cost: spacing(100ms) counts no plain cost, so 1..3 limits nothing: leave it at 1, or"
                + " add a limit that counts the cost");
    simulate("10/1s", "--peer", "sliding(10/1s)", "--sends", "0")
        .fails(2, "--sends: must be from 1 to 1000000000: 0");
    simulate("tick-skw")
        .fails(
            2, "there is no scenario \"tick-skw\", only " + String.join(", ", Scenarios.names()));
    simulate()
        .fails(
            2,
            "no LIMIT and no SCENARIO is given; a SCENARIO is a file or one of "
                + String.join(", ", Scenarios.names()));
    simulate("10/1x", "--peer", "sliding(10/1s)")
        .fails(
            2, "\"10/1x\", column 4: \"1x\" has unit \"x\", expected one of ns us ms s m min h d");
    simulate(
            "10/1s & bucket(1/1s, burst=2, oversize=never)",
            "--peer",
            "sliding(9/1s)",
            "--cost",
            "5")
        .fails(
            2,
            "only 0 of 10000 requests could ever be released under 10/1s & bucket(1/1s, burst=2,"
                + " oversize=never)");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void filesThatCannotBeReadOrWrittenAreNoTypo() throws Exception {
    Path latin = Files.write(folder.resolve("latin.yaml"), new byte[] {'#', (byte) 0xe4, '\n'});
    simulate(latin.toString()).fails(Status.BAD, "cannot read " + latin + " (not UTF-8)");
    Path memory = folder.resolve("memory.yaml");
    Files.createSymbolicLink(memory, Path.of("/proc/self/mem"));
    var unread = simulate(memory.toString());
    assertEquals(Status.IO, unread.status(), unread.err());
    Path full = folder.resolve("full.svg");
    Files.createSymbolicLink(full, Path.of("/dev/full"));
    var unwritten = simulate("peer(5/1s)", "--peer", "sliding(5/1s)", "--svg", full.toString());
    assertEquals(Status.IO, unwritten.status(), unwritten.err());
  }

  @Test
  void tellsWhereAFileIsWrong() throws Exception {
    Path file = folder.resolve("mine.yaml");
    Files.writeString(file, "peer: sliding(10/1s)\ndelya: 5ms\nruns: []\n");
    Session session = simulate(file.toString());
    assertEquals(Status.BAD, session.status());
    assertTrue(
        session.err().contains("mine.yaml, line 2: there is no key \"delya\", expected question"),
        session.err());
    simulate(folder + "/none.yaml")
        .fails(2, "cannot read " + folder + "/none.yaml (No such file or directory)");
    simulate("jitter", "--svg", folder + "/no/x.svg")
        .fails(2, "cannot write " + folder + "/no/x.svg (No such file or directory)");
    simulate("jitter", "--svg", folder.toString())
        .fails(2, "cannot write " + folder + " (Is a directory)");
  }

  @Test
  void theHelpNamesEverySettingAndScenario() {
    String help = simulate("--help").out();
    for (Setting setting : Setting.values()) {
      assertTrue(help.contains("--" + setting.text() + "="), setting.text());
    }
    for (String name : Scenarios.names()) {
      assertTrue(help.contains(name), name);
    }
  }
}
