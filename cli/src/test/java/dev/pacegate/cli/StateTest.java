package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.cli.Session.Written;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --state}: one run after the other, under one limit. */
class StateTest {

  private static final long SECOND = 1_000_000_000L;

  @TempDir Path folder;

  private Session session(String input, ManualTime time) {
    Session session = Session.given(input);
    session.time = time;
    return session;
  }

  @Test
  void thePipeGoesOnWhereTheLastOneStopped() {
    String state = folder.resolve("state").toString();
    var time = ManualTime.selfAdvancing();
    session("1\n2\n", time).run("pipe", "-q", "starts(3/1s)", "--state", state).succeeds("1\n2\n");
    Session next = session("3\n4\n", time).run("pipe", "-q", "starts(3/1s)", "--state", state);
    assertEquals(List.of(new Written(0, "3\n"), new Written(SECOND, "4\n")), next.writes);
    // With another limit, too.
    next = session("5\n", time).run("pipe", "-q", "starts(1/1m)", "--report", "--state", state);
    assertEquals(61 * SECOND, next.writes.get(0).at());
  }

  @Test
  void theRunGoesOnWhereTheLastOneStopped() {
    String state = folder.resolve("state").toString();
    String[] once = {"run", "-q", "peer(1/300ms, margin=0s)", "--state", state, "--", "true"};
    long began = System.nanoTime(); // when it ended is not known as precisely
    Session.given("1\n").inRealTime().run(once).succeeds("");
    Session.given("2\n").inRealTime().run(once).succeeds("");
    assertTrue(System.nanoTime() - began >= 300_000_000L);
  }

  @Test
  void tellsWhatIsWrongWithTheFile() throws IOException {
    String noName = "the state file must have a name: \"\"";
    Session.given("1\n").run("pipe", "3/1s", "--state", "").fails(2, noName);
    Session.given("1\n").run("run", "3/1s", "--state", "", "--", "echo").fails(2, noName);
    Session.given("")
        .run("pipe", "3/1s", "--state", folder.toString())
        .fails(2, "the state file " + folder + " must be a regular file");
    Path text = Files.writeString(folder.resolve("text"), "hello, world: this is some text");
    Session pipe = Session.given("1\n").run("pipe", "3/1s", "--state", text.toString());
    assertEquals(
        "pacegate: "
            + text
            + " is not a state file of Pacegate; name another file, unless this was one: to"
            + " start over, delete it and begin with the limit"
            + " 'peer(3/1s, initial=spent)'\n",
        pipe.err());
    assertEquals(2, pipe.status());
    assertEquals("", pipe.out());
    Path below = text.resolve("state");
    Session.given("1\n")
        .run("pipe", "3/1s", "--state", below.toString())
        .fails(2, "the state file " + below + " cannot be opened: Not a directory");
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nothing"));
    Session.given("1\n")
        .run("pipe", "3/1s", "--state", link.toString())
        .fails(2, "the state file " + link + " is a link to nothing");
    Path used = folder.resolve("used");
    try (Limiter limiter = Limiter.builder("1/1s").state(used).build()) {
      limiter.tryAcquire();
      Session.given("1\n")
          .run("run", "-q", "3/1s", "--state", used.toString(), "--", "echo")
          .fails(
              2,
              "the state file "
                  + used
                  + " is in use by another limiter: a limiter reads it only when it begins, so it would"
                  + " not know what the other lets through; give each its own. Processes share a"
                  + " limit by --store redis://HOST:PORT --name NAME");
    }
  }
}
