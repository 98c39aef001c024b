package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Processes of {@code pipe} and {@code run}, one after another with one limit and one state file,
 * which are stopped, continued, interrupted and killed, with readers that stall and a wall clock
 * that is set.
 */
final class MixedRound {

  /** Longer than a process takes to begin, so that they tell whether the state is kept. */
  private static final String[] LIMITS = {
    "peer(6/5s, unanswered=5s)",
    "peer(8/4s, unanswered=5s)",
    "peer(3/1s, unanswered=5s) & peer(8/6s, unanswered=5s)",
    "peer(bucket(8/6s, burst=5), unanswered=5s)"
  };

  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");
  private static final long HOUR = 3600;
  private static final int KILLED = 128 + 9;

  /** With less no write is blocked: in a full pipe 16 pages are at least half full on average. */
  private static final int LEAST_IN_PIPE = 16 * 4096 / 2;

  /** From the entry to the return of what a peer counts, by the kernel's clock. */
  private record SeenRequest(long begin, long end) {}

  private final Path folder;
  private final Random random;
  private final String limit;
  private final boolean remembers;
  private final MixedJobs jobs;
  private final List<SeenRequest> written = new ArrayList<>();
  private final StringBuilder story = new StringBuilder();
  private int lives;
  private int disturbed;
  private @Nullable Process running;

  private MixedRound(Path folder, Random random, String limit, boolean remembers)
      throws IOException {
    this.folder = folder;
    this.random = random;
    this.limit = limit;
    this.remembers = remembers;
    this.jobs =
        new MixedJobs(Files.createDirectory(folder.resolve("jobs")), 5 + random.nextInt(10));
    story.append(limit);
  }

  static MixedRound random(Path folder, long seed) throws IOException {
    var random = new Random(seed);
    return new MixedRound(folder, random, LIMITS[random.nextInt(LIMITS.length)], true);
  }

  /** Returns a round without a state file, whose limit is as good as never over again. */
  static MixedRound forgetting(Path folder) throws IOException {
    return new MixedRound(folder, new Random(1), "peer(10/1h, unanswered=5s)", false);
  }

  /** What happens to a process. */
  private enum Fate {
    NOTHING,
    INT,
    TERM,
    KILL
  }

  /** Plays some processes, and then as many as the jobs need that are left. */
  void play() throws Exception {
    for (int left = 2 + random.nextInt(5); left > 0; left--) {
      Fate fate = Fate.values()[random.nextInt(Fate.values().length)];
      if (random.nextBoolean()) {
        pipe(fate, 4 + random.nextInt(16));
      } else {
        run(fate);
      }
    }
    for (int tries = 0; !jobs.areDone(); tries++) {
      assertTrue(tries < 30, "jobs are never done");
      run(Fate.NOTHING);
    }
    jobs.checkAll();
    Report report = report();
    assertTrue(report.kept(), report::text);
    story.append(", ").append(report.count()).append(" requests");
  }

  /** Plays two processes that together pass the limit. */
  void playWithoutState() throws Exception {
    pipe(Fate.NOTHING, 10);
    pipe(Fate.NOTHING, 10);
    assertFalse(report().kept(), "the judge notices nothing");
  }

  String story() {
    return story + ": " + lives + " processes, of which " + disturbed + " were ended";
  }

  void kill() {
    if (running != null) {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly();
    }
  }

  // ---- pipe

  private void pipe(Fate fate, int lines) throws Exception {
    byte[] input = input(lines);
    Path file = Files.write(folder.resolve("lines" + lives), input);
    Path rest = folder.resolve("rest" + lives);
    boolean waits = random.nextInt(3) > 0;
    var words = new ArrayList<>(List.of("pipe", "-q", limit, file + ""));
    words.addAll(state());
    if (!waits) {
      words.addAll(List.of("--no-wait", "--rest", rest.toString()));
    }
    var strace = new Strace(folder, "trace" + lives);
    Process process = start(strace.of(command(words)), fate, null);
    boolean stalls = random.nextBoolean();
    var stalling = new Random(random.nextLong());
    var output = new FutureTask<>(() -> read(process, stalls ? stalling : null));
    new Thread(output, "reader").start();
    int status = meetFate(process, () -> traced(process), fate);
    byte[] out = output.get();
    strace
        .calls(out.length, status == KILLED)
        .forEachLine(out, (b, e) -> written.add(new SeenRequest(b, e)));
    if (Files.exists(rest)) { // perhaps stopped after that, before its end
      byte[] left = Files.readAllBytes(rest);
      assertEquals(text(input), text(out) + text(left), "what is left is not the rest");
    } else if (status == Status.LEFT) {
      fail("lines are left, and there is no file with the rest");
    } else if (status == Status.OK) {
      assertEquals(text(input), text(out), "lines are lost or doubled");
    } else {
      assertTrue(fate != Fate.NOTHING, () -> "status " + status + errors());
      assertTrue(text(input).startsWith(text(out)), "lines are lost or doubled");
      boolean whole = out.length == 0 || out[out.length - 1] == '\n';
      boolean mayBlock = stalls || out.length > LEAST_IN_PIPE; // the machine may stall the reader
      assertTrue(fate == Fate.KILL || whole || mayBlock, "a line is cut");
    }
    lives++;
  }

  private byte[] input(int lines) {
    var text = new StringBuilder();
    boolean isLong = random.nextInt(4) == 0; // longer than what the system takes for the reader
    for (int line = 0; line < lines; line++) {
      int length = isLong ? random.nextInt(20_000) : random.nextInt(20);
      text.append(lives).append('.').append(line).append("x".repeat(length)).append('\n');
    }
    return text.toString().getBytes(US_ASCII);
  }

  /** Returns the Java process; strace also begins others, to try what the system can do. */
  static @Nullable ProcessHandle traced(Process strace) {
    return strace
        .children()
        .filter(child -> child.info().command().filter(c -> c.endsWith("/java")).isPresent())
        .findFirst()
        .orElse(null);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, US_ASCII);
  }

  private static byte[] read(Process process, @Nullable Random stalling) {
    var output = new ByteArrayOutputStream();
    try (InputStream in = process.getInputStream()) {
      byte[] bytes = in.readNBytes(1);
      while (bytes.length > 0) {
        output.writeBytes(bytes);
        if (stalling != null && stalling.nextInt(4) == 0) {
          Thread.sleep(stalling.nextInt(1500)); // the reader stalls
        }
        bytes = in.readNBytes(stalling == null ? 1 : 1 + stalling.nextInt(20_000));
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return output.toByteArray();
  }

  // ---- run

  private void run(Fate fate) throws Exception {
    var words = new ArrayList<>(List.of("run", "-q", limit, "-a", jobs.input() + ""));
    words.addAll(state());
    words.addAll(List.of("--joblog", jobs.log() + "", "--resume"));
    words.add("-j" + random.nextInt(5));
    if (random.nextInt(4) == 0) {
      words.add("--no-wait");
    } else {
      words.addAll(List.of("--retries=" + (1 + random.nextInt(3)), "--backoff=50ms"));
    }
    words.addAll(List.of("--", jobs.script().toString(), "{}"));
    Set<Integer> before = jobs.done();
    Path printed = folder.resolve("printed" + lives);
    Process process = start(command(words), fate, printed);
    int status = meetFate(process, process::toHandle, fate);
    boolean ended = status == Status.OK || status == 123 || status == Status.LEFT;
    assertTrue(ended || fate != Fate.NOTHING, () -> "status " + status + errors());
    jobs.check(lives, before, Files.readAllLines(printed), !ended);
    lives++;
  }

  // ---- processes

  private List<String> state() {
    return remembers ? List.of("--state", folder.resolve("state").toString()) : List.of();
  }

  private String errors() {
    try {
      return ": " + Files.readString(folder.resolve("errors" + lives));
    } catch (IOException e) {
      return ": " + e;
    }
  }

  /** Returns the command, at times with a wall clock that can be set. */
  private List<String> command(List<String> words) throws IOException {
    List<String> java = ProcessTest.java(Main.class, words.toArray(String[]::new));
    boolean isSet = random.nextInt(3) == 0;
    if (!isSet || !(Files.exists(FAKETIME) || "true".equals(System.getenv("CI")))) {
      return java;
    }
    assertTrue(Files.exists(FAKETIME), "no faketime");
    setClock();
    story.append(", with a clock that is set");
    var command =
        new ArrayList<>(
            List.of(
                "env",
                "LD_PRELOAD=" + FAKETIME,
                "FAKETIME_TIMESTAMP_FILE=" + clock(),
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1"));
    command.addAll(java);
    return command;
  }

  private Path clock() {
    return folder.resolve("clock");
  }

  private void setClock() throws IOException {
    Path next = folder.resolve("next-clock");
    Files.writeString(next, String.format("%+d%n", random.nextLong(-48 * HOUR, 48 * HOUR)));
    Files.move(next, clock(), StandardCopyOption.REPLACE_EXISTING); // it is read at any time
  }

  private Process start(List<String> command, Fate fate, @Nullable Path output) throws IOException {
    var builder = new ProcessBuilder(command);
    builder.environment().put("LIFE", lives + "");
    builder.redirectError(folder.resolve("errors" + lives).toFile());
    if (output != null) {
      builder.redirectOutput(output.toFile());
    }
    story.append(", ").append(output == null ? "pipe " : "run ").append(fate);
    Process process = builder.start();
    running = process;
    return process;
  }

  private interface Handle {
    @Nullable ProcessHandle get();
  }

  /** Lets the process meet its fate, and returns its status. */
  private int meetFate(Process process, Handle handle, Fate fate) throws Exception {
    long until = System.nanoTime() + random.nextLong(200_000_000, 5_000_000_000L);
    boolean isStopped = random.nextInt(3) == 0;
    while (process.isAlive() && System.nanoTime() < until) {
      Thread.sleep(random.nextInt(300)); // it runs
      if (isStopped) {
        signal("-STOP", handle.get());
        Thread.sleep(random.nextInt(1000)); // it stands
        if (Files.exists(clock())) {
          setClock();
        }
        signal("-CONT", handle.get());
      }
    }
    if (fate == Fate.INT || fate == Fate.TERM) {
      awaitBegun(process, handle);
    }
    if (fate != Fate.NOTHING && process.isAlive()) {
      boolean ignored = fate == Fate.INT && ProcessTest.ignoresInterrupts(process);
      disturbed += signal(ignored ? "-TERM" : "-" + fate, handle.get()) ? 1 : 0;
    }
    int status = process.waitFor();
    boolean known =
        List.of(Status.OK, 123, Status.LEFT, 128 + 2, KILLED, 128 + 15).contains(status);
    assertTrue(known, () -> "status " + status + errors());
    return status;
  }

  /**
   * Waits until the JVM has begun: JDK 17 that is interrupted before ends with "Bad level: 2" on
   * its standard output, whatever the program. Its last thread but the program's is that which does
   * periodic tasks.
   */
  private static void awaitBegun(Process process, Handle handle) throws Exception {
    boolean begun = false;
    while (!begun && process.isAlive()) {
      Thread.sleep(5); // polls: another process tells of nothing
      ProcessHandle jvm = handle.get();
      begun = jvm != null && threads(jvm).contains("VM Periodic Tas"); // Linux keeps 15 letters
    }
  }

  private static List<String> threads(ProcessHandle process) {
    var names = new ArrayList<String>();
    try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path task : tasks) {
        names.add(Files.readString(task.resolve("comm")).strip());
      }
    } catch (IOException | DirectoryIteratorException over) {
      // It has ended, or a thread of it.
    }
    return names;
  }

  /** Returns whether the process was still there. */
  private static boolean signal(String signal, @Nullable ProcessHandle to) throws Exception {
    if (to == null) {
      return false;
    }
    Process kill = new ProcessBuilder("kill", signal, String.valueOf(to.pid())).start();
    return kill.waitFor() == 0;
  }

  // ---- judging

  /** A job that has not ended counts at the instant of its start: more is not known of it. */
  private Report report() throws IOException {
    var all = new ArrayList<>(written);
    jobs.ended().forEach(job -> all.add(new SeenRequest(job.begin(), job.end())));
    jobs.unended().forEach(begin -> all.add(new SeenRequest(begin, begin)));
    all.sort(Comparator.comparingLong(SeenRequest::begin));
    var audit = Audit.of(Limits.parse(limit));
    all.forEach(request -> audit.add(request.begin, request.end, Cost.ONE));
    return audit.report();
  }
}
