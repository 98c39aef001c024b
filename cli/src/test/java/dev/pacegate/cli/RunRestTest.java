package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of lines that may not go now. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class RunRestTest {

  @TempDir Path folder;

  private static Session run(String input, String... arguments) {
    Stream<String> all = Stream.concat(Stream.of("run", "-q", "-kj2"), Stream.of(arguments));
    return Session.given(input).inRealTime().run(all.toArray(String[]::new));
  }

  private Path file(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text);
  }

  private List<String> files() throws Exception {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void linesThatMayNotGoNowAreLeft() throws Exception {
    Path queue = Files.writeString(folder.resolve("queue"), "1\n2\n3\n4\n5");
    String state = folder.resolve("state").toString();
    String[] all = {
      "2/1d", "--no-wait", "--state", state, "-a", "" + queue, "--rest", "" + queue, "--", "echo"
    };
    var session = run("", all);
    assertEquals("1\n2\n", session.out());
    assertEquals("pacegate: 3 lines are left in " + queue + "\n", session.err());
    assertEquals(Status.LEFT, session.status());
    assertEquals("3\n4\n5\n", Files.readString(queue));
    assertEquals("", run("", all).out());
    assertEquals("3\n4\n5\n", Files.readString(queue));
  }

  @Test
  void nothingIsLeftIfAllMayGo() {
    run("1\n2\n", "2/1d", "--no-wait", "--", "echo").succeeds("1\n2\n");
    assertEquals(
        "pacegate: 1 line is left\n", run("1\n2\n", "1/1d", "--no-wait", "--", "echo").err());
  }

  @Test
  void aRunThatStopsKeepsItsInput() throws Exception {
    Path queue = Files.writeString(folder.resolve("queue"), "1\n2\n3\n");
    run(
        "",
        "1/1d",
        "--no-wait",
        "-a",
        "" + queue,
        "--rest",
        "" + queue,
        "--",
        "sh",
        "-c",
        "exit 255");
    assertEquals("1\n2\n3\n", Files.readString(queue, UTF_8));
    assertEquals(List.of("queue"), files());
  }

  // ---- the file

  @Test
  void noOtherFileIsTouched() throws Exception {
    Path other = file("rest.new", "1\n2\n");
    String rest = folder.resolve("rest").toString();
    run("", "1/1d", "--no-wait", "--retries=1", "--rest", rest, "--", "echo");
    assertEquals("1\n2\n", Files.readString(other));
    var session = run("", "1/1d", "--no-wait", "-a", "" + other, "--rest", rest, "--", "echo");
    assertEquals("1\n", session.out());
    assertEquals("1\n2\n", Files.readString(other));
    assertEquals("2\n", Files.readString(Path.of(rest)));
    assertEquals(List.of("rest", "rest.new"), files());
  }

  @Test
  void nothingIsMadeBeforeALineIsLeft() throws Exception {
    String rest = folder.resolve("rest").toString();
    run("a\n", "1/1d", "--no-wait", "--rest", rest, "--", "sh", "-c", "ls -A $0", "" + folder)
        .succeeds("");
    assertEquals(List.of("rest"), files());
  }

  @Test
  void theModeAndALinkAreKept() throws Exception {
    Path queue = file("queue", "1\n2\n");
    Files.setPosixFilePermissions(queue, PosixFilePermissions.fromString("rw-rw--w-"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), queue);
    run("", "1/1d", "--no-wait", "-a", "" + link, "--rest", "" + link, "--", "echo");
    assertEquals("2\n", Files.readString(queue));
    assertTrue(Files.isSymbolicLink(link));
    assertEquals("rw-rw--w-", PosixFilePermissions.toString(Files.getPosixFilePermissions(queue)));
  }

  @Test
  void refusesWhatCannotBeReplaced() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    refuses(Status.BAD, "" + pipe, "Not a regular file");
    refuses(Status.BAD, "" + folder, "Is a directory");
    refuses(Status.BAD, folder + "/no/rest", "No such file or directory");
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("no"));
    refuses(Status.BAD, "" + link, "A link to a file that does not exist");
  }

  private static void refuses(int status, String rest, String why) {
    run("1\n", "1/1d", "--no-wait", "--rest", rest, "--", "echo")
        .fails(status, "cannot write " + rest + " (" + why + ")");
  }

  @Test
  void aSignalLeavesNoTemporaryFile() throws Exception {
    Path queue = file("queue", "1\n");
    var rest = new Rest(ReplacedFile.of("--rest", queue.toString()), '\n');
    rest.addLine("2".getBytes(UTF_8));
    assertEquals(2, files().size());
    rest.close();
    var unused = new Rest(ReplacedFile.of("--rest", queue.toString()), '\n');
    unused.close();
    unused.addLine("3".getBytes(UTF_8)); // by a thread that has not ended yet
    assertEquals(List.of("queue"), files());
    assertEquals("1\n", Files.readString(queue));
  }

  // ---- which lines

  @Test
  void linesThatAreDoneAreNotLeft() {
    String log = folder.resolve("log").toString();
    run("3\n", "unlimited", "--joblog", log, "--", "echo").succeeds("3\n");
    var session = run("1\n2\n3\n", "1/1d", "--no-wait", "--joblog", log, "--resume", "--", "echo");
    assertEquals("1\n", session.out());
    assertTrue(session.err().endsWith("pacegate: 1 line is left\n"), session.err());
  }

  @Test
  void linesThatThePeerRefusedAreLeft() throws Exception {
    Path queue = file("queue", "0\n75\n1\n");
    String[] all = {
      "run",
      "-q",
      "concurrent(1)",
      "--no-wait",
      "-j1",
      "--pause-on",
      "75=1h",
      "-a",
      "" + queue,
      "--rest",
      "" + queue,
      "--",
      "sh",
      "-c",
      "exit $1",
      "x"
    };
    var session = Session.given("").inRealTime().run(all);
    assertEquals("75\n1\n", Files.readString(queue));
    assertEquals(Status.LEFT, session.status(), session.err());
  }
}
