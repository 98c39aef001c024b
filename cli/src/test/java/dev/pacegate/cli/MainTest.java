package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.LimitForm;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What all commands have in common. */
class MainTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0/1s",
        "-1/1s",
        "10/0s",
        "10/1x",
        "10000000000000000000",
        "10000000000000000000/1s",
        "10",
        "bucket(",
        "",
        " ",
        "10/1s &",
        "no\nlimit",
        "\u0000",
        "1.5/1s",
        "peer(concurrent(1))"
      })
  void tellsInOneLineWhatIsWrongWithALimit(String limit) {
    for (String command : List.of("pipe", "audit")) {
      var session = Session.given("1\n").run(command, limit);
      assertEquals(Status.BAD, session.status());
      assertEquals(1, session.err().lines().count(), session.err());
      assertTrue(session.err().startsWith("pacegate: \""), session.err());
      assertFalse(session.err().contains("pause()"), session.err());
      assertEquals("", session.out());
    }
  }

  @ParameterizedTest
  @CsvSource({"xterm, true", "dumb, false", "'', false"})
  void helpHasColorsWhereTheTerminalKnowsMoreThanLetters(String terminal, boolean hasColors) {
    CommandLine command = Main.command(Session.given("").in(Map.of("TERM", terminal)).world());
    assertEquals(hasColors ? Ansi.AUTO : Ansi.OFF, command.getColorScheme().ansi());
  }

  /** U+202E turns round what follows, the rest of the message included. */
  @Test
  void textOfOthersTurnsNothingRound() {
    assertEquals("a\\u202eb\\u2066c", World.oneLine("a\u202eb\u2066c"));
    String family = "\ud83d\udc68\u200d\ud83d\udc67 u\u0308 \u05d0";
    assertEquals(family, World.oneLine(family));
  }

  /** A status of 1 would say that a limit was broken. */
  @Test
  void aCrashIsNoVerdict() {
    var crashing =
        new InputStream() {
          @Override
          public int read() {
            throw new StackOverflowError();
          }

          @Override
          public int read(byte[] bytes, int from, int length) {
            throw new StackOverflowError();
          }
        };
    for (var arguments :
        List.of(new String[] {"pipe", "-q", "1/1s"}, new String[] {"audit", "1/1s"})) {
      Session.given(crashing)
          .run(arguments)
          .fails(Status.BAD, "unexpected: java.lang.StackOverflowError");
    }
  }

  @Test
  void namesThePositionAndWhatWasExpected() {
    Session.given("")
        .run("pipe", "10/1x")
        .fails(
            Status.BAD,
            "\"10/1x\", column 4: \"1x\" has unit \"x\", expected one of ns us ms s m min h d");
  }

  @Test
  void pointsToTheHelpWhenItIsUsedWrongly() {
    Session.given("").run().fails(2, "No command is given (try 'pacegate --help')");
    Session.given("")
        .run("pipe", "1/1s", "--zzz")
        .fails(2, "there is no option --zzz (try 'pacegate pipe --help')");
    Session.given("").run("pipe").fails(2, "no LIMIT is given, such as 10/1m: see pacegate limits");
    assertEquals(Status.BAD, Session.given("").run("nope").status());
  }

  @Test
  void suggestsWhatWasMeant() {
    String[][] mistakes = {
      {"there is no command pip; did you mean pipe? (try 'pacegate --help')", "pip", "1/1s"},
      {
        "there is no option --repot; did you mean --rest or --report? (try 'pacegate pipe --help')",
        "pipe",
        "1/1s",
        "--repot"
      },
      {
        "there is no option --retires=2; did you mean --retries? (try 'pacegate run --help')",
        "run",
        "--retires=2",
        "1/1s"
      },
      {"there is no command rnu; did you mean run? (try 'pacegate --help')", "rnu", "1/1s"},
      {
        "there is no option --reprot; did you mean --report? (try 'pacegate pipe --help')",
        "pipe",
        "1/1s",
        "--reprot"
      },
      {"there is one argument too many: peer (try 'pacegate limits --help')", "limits", "peer"},
      {"--jobs takes a whole number: 5/1s (try 'pacegate run --help')", "run", "-j", "5/1s"},
    };
    for (String[] mistake : mistakes) {
      Session.given("")
          .run(Arrays.copyOfRange(mistake, 1, mistake.length))
          .fails(Status.BAD, mistake[0]);
    }
  }

  @Test
  void helpIsACommandToo() {
    String all = Session.given("").run("--help").out();
    assertTrue(all.contains("pacegate help COMMAND"), all);
    Session.given("").run("help").succeeds(all);
    Session.given("").run("help", "run").succeeds(Session.given("").run("run", "--help").out());
    Session.given("")
        .run("help", "cluster", "set")
        .succeeds(Session.given("").run("cluster", "set", "--help").out());
    Session.given("")
        .run("help", "nope")
        .fails(Status.BAD, "there is no command nope; did you mean pipe? (try 'pacegate --help')");
  }

  @Test
  void messagesAreBounded() {
    String limit = "x".repeat(5_000);
    String message = Session.given("").run("pipe", limit).err();
    assertTrue(message.length() < 1_100, message);
    assertTrue(message.contains(" … "), message);
  }

  @Test
  void opensNoFilesThatArgumentsMayName() {
    Session.given("a\n").run("pipe", "unlimited", "@/etc/passwd").fails(2, noFile("@/etc/passwd"));
    Session.given("").run("pipe", "unlimited", "/no/file").fails(2, noFile("/no/file"));
    Session.given("").run("audit", "1/1s", "/no/file").fails(2, noFile("/no/file"));
  }

  private static String noFile(String name) {
    return "cannot read " + name + " (No such file or directory)";
  }

  @Test
  void combinesLimits() {
    Session.given("")
        .run("run", "10/1s", "-l", "5/1s & concurrent(4)", "-l", "unlimited", "--", "true")
        .fails(0, "limit peer(10/1s) & peer(5/1s) & concurrent(4) & unlimited");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pipe", "run", "audit", "simulate", "limits"})
  void everyCommandHasHelpAndTheVersion(String command) {
    String help = Session.given("").run(command, "--help").out();
    assertTrue(help.startsWith("Usage: pacegate " + command), help);
    assertTrue(help.lines().allMatch(line -> line.length() <= 80), help);
    Session.given("").run(command, "--version").succeeds(Session.given("").run("-V").out());
  }

  @Test
  void printsEveryKindOfLimitWithItsPromisesAndEveryOption() {
    String text = Session.given("").run("limits").out();
    for (LimitForm form : Limits.forms()) {
      assertTrue(text.contains(form.syntax()), form.syntax());
      assertTrue(text.contains("'" + form.example() + "'"), form.example());
      for (Promise promise : Limits.parse(form.example()).promises()) {
        assertTrue(text.contains(promise.text()), promise.text());
      }
    }
    for (LimitForm.Option option : Limits.options()) {
      assertTrue(text.contains(option.meaning()), option.name());
      assertTrue(
          text.contains("default: " + option.usual() + "; allowed: " + option.range()),
          option.name());
    }
  }
}
