package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The jobs of {@code run} with a log of what is done, over several processes. Each job notes by
 * itself when it ran and how it ends.
 */
final class MixedJobs {

  /** Three of ten fail, also where the clock is coarse. */
  private static final String SCRIPT =
      """
      #!/bin/sh
      unset LD_PRELOAD
      b=$(date +%%s%%N)
      echo "$1 $LIFE $b" >> '%1$s/begun'
      sleep 0.0$((b / 1000 %% 10))
      case $(((b / 1000 + $1 + LIFE) %% 10)) in [037]) s=1;; *) s=0;; esac
      echo "$1 $LIFE $b $(date +%%s%%N) $s" >> '%1$s/ended'
      [ $s = 1 ] || echo "$1"
      exit $s
      """;

  /** A job that has ended: which line it was for, in which process, and when. */
  record EndedJob(int line, int life, long begin, long end, boolean failed) {}

  private final Path folder;
  private final int lines;

  MixedJobs(Path folder, int lines) throws IOException {
    this.folder = folder;
    this.lines = lines;
    Files.writeString(script(), SCRIPT.formatted(folder));
    Files.setPosixFilePermissions(script(), PosixFilePermissions.fromString("rwx------"));
    Files.createFile(folder.resolve("begun"));
    Files.createFile(folder.resolve("ended"));
    Files.write(input(), IntStream.range(0, lines).mapToObj(String::valueOf).toList());
  }

  Path input() {
    return folder.resolve("input");
  }

  Path log() {
    return folder.resolve("joblog");
  }

  Path script() {
    return folder.resolve("job.sh");
  }

  private List<String[]> records(String name) throws IOException {
    return Files.readAllLines(folder.resolve(name), UTF_8).stream().map(r -> r.split(" ")).toList();
  }

  List<EndedJob> ended() throws IOException {
    var ended = new ArrayList<EndedJob>();
    for (String[] r : records("ended")) {
      ended.add(
          new EndedJob(
              Integer.parseInt(r[0]),
              Integer.parseInt(r[1]),
              Long.parseLong(r[2]),
              Long.parseLong(r[3]),
              r[4].equals("1")));
    }
    return ended;
  }

  /** Returns when each job has begun that has not ended, or not yet. */
  List<Long> unended() throws IOException {
    Set<Long> ended = new HashSet<>();
    ended().forEach(job -> ended.add(job.begin));
    return records("begun").stream()
        .map(r -> Long.valueOf(r[2]))
        .filter(b -> !ended.contains(b))
        .toList();
  }

  /** Returns the lines that the log says are done. */
  Set<Integer> done() throws IOException {
    Set<Integer> done = new HashSet<>();
    String log = Files.exists(log()) ? Files.readString(log(), UTF_8) : "";
    for (String entry : log.substring(0, log.lastIndexOf('\n') + 1).lines().toList()) {
      String[] columns = entry.split("\t", -1);
      if (columns[6].equals("0") && columns[7].equals("0")) {
        int line = Integer.parseInt(columns[8].replaceAll(".* ", ""));
        assertTrue(done.add(line), () -> "line " + line + " is done twice by the log");
      }
    }
    return done;
  }

  boolean areDone() throws IOException {
    return done().size() == lines;
  }

  /**
   * Checks one process.
   *
   * @param before what was done before it
   * @param printed what it has printed
   * @param disturbed whether it was stopped or killed: then a job may have ended without an entry
   */
  void check(int life, Set<Integer> before, List<String> printed, boolean disturbed)
      throws IOException {
    for (String[] begun : records("begun")) {
      boolean again = begun[1].equals(life + "") && before.contains(Integer.valueOf(begun[0]));
      assertTrue(!again, () -> "line " + begun[0] + " was done, and is run again");
    }
    Set<Integer> done = done();
    assertTrue(done.containsAll(before), "what was done is not any more");
    Set<Integer> succeeded = new HashSet<>();
    for (EndedJob job : ended()) {
      if (job.life == life && !job.failed) {
        assertTrue(succeeded.add(job.line), () -> job + " succeeds a second time");
        assertTrue(disturbed || done.contains(job.line), () -> job + " is not in the log");
      }
    }
    for (int line : done) {
      boolean now = !before.contains(line);
      assertTrue(!now || succeeded.contains(line), () -> "line " + line + " was never done");
      assertTrue(!now || printed.contains(line + ""), () -> "line " + line + " was not printed");
    }
  }

  void checkAll() throws IOException {
    Set<Integer> succeeded = new HashSet<>();
    for (EndedJob job : ended()) {
      if (!job.failed) {
        succeeded.add(job.line);
      }
    }
    assertEquals(lines, succeeded.size(), "lines are lost");
  }
}
