package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Report;
import dev.pacegate.limit.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The calls that write, as strace sees them: under load, with a reader that stalls, with a process
 * that is stopped and continued. A line counts from the entry of its first call to the return of
 * its last.
 */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("servers") // strace has to be installed
class PipeTraceTest {

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<Process> started = new ArrayList<>();

  private Strace trace = new Strace(Path.of(""), "");

  @TempDir Path folder;

  @AfterEach
  void killAll() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "20/500ms, 80, 10000",
    "500/250ms, 3000, 300",
    "'bucket(80/1s, burst=10)', 150, 10000",
    "spacing(20ms), 100, 10",
    "5/100ms & concurrent(2), 80, 20000"
  })
  void neverHoldMoreThanTheLimit(String limit, int lines, int length) throws Exception {
    byte[] input = ("x".repeat(length - 1) + "\n").repeat(lines).getBytes(US_ASCII);
    Process strace = trace(input, limit);
    Thread stopper = new Thread(() -> stopAndContinue(strace));
    stopper.start();
    byte[] output = read(strace, input.length / 8);
    stopper.join();
    assertEquals(0, strace.waitFor());
    assertArrayEquals(input, output);
    Report report = report(limit, output);
    assertTrue(report.kept(), () -> "seed " + seed + ": " + report.text());
  }

  /** What it would look like otherwise: a long stall, after which the starts before it are over. */
  @Test
  void holdMoreWhereOnlyStartsCount() throws Exception {
    byte[] input = ("x".repeat(9_999) + "\n").repeat(40).getBytes(US_ASCII);
    Process strace = trace(input, "starts(20/4s)");
    InputStream out = strace.getInputStream();
    byte[] before = out.readNBytes(100_000); // with what a pipe holds, less than 20 lines
    Thread.sleep(5000); // the reader stalls, and so does the last write of these lines
    byte[] after = out.readAllBytes();
    assertEquals(0, strace.waitFor());
    var output = new ByteArrayOutputStream();
    output.write(before);
    output.write(after);
    Report report = report("20/4s", output.toByteArray());
    assertFalse(report.kept(), report.text());
  }

  private Process trace(byte[] input, String limit) throws IOException {
    Strace.assumeInstalled();
    Path lines = Files.write(folder.resolve("lines"), input);
    trace = new Strace(folder, "trace");
    List<String> command =
        trace.of(ProcessTest.java(Main.class, "pipe", "-q", limit, lines.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(folder.resolve("stderr").toFile()).start();
    started.add(process);
    return process;
  }

  /** Reads all, and stalls now and then. */
  private byte[] read(Process process, int piece) throws Exception {
    var output = new ByteArrayOutputStream();
    InputStream in = process.getInputStream();
    byte[] bytes = in.readNBytes(1 + random.nextInt(piece));
    while (bytes.length > 0) {
      output.write(bytes);
      Thread.sleep(random.nextInt(3) == 0 ? 300 + random.nextInt(1200) : 0); // the reader stalls
      bytes = in.readNBytes(1 + random.nextInt(piece));
    }
    return output.toByteArray();
  }

  private void stopAndContinue(Process strace) {
    var times = new Random(seed + 1);
    try {
      while (strace.isAlive()) {
        Thread.sleep(50 + times.nextInt(400)); // it runs
        signal("-STOP", strace);
        Thread.sleep(times.nextInt(2) == 0 ? times.nextInt(1200) : times.nextInt(20)); // stands
        signal("-CONT", strace);
      }
    } catch (InterruptedException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void signal(String signal, Process strace)
      throws IOException, InterruptedException {
    ProcessHandle traced = MixedRound.traced(strace);
    if (traced != null) {
      new ProcessBuilder("kill", signal, String.valueOf(traced.pid()))
          .redirectErrorStream(true)
          .start()
          .waitFor(10, TimeUnit.SECONDS);
    }
  }

  /** Judges the calls that the traces of all threads have. */
  private Report report(String limit, byte[] output) throws IOException {
    return trace
        .calls(output.length, false)
        .lines(Limits.parse(limit).asPeerCounts().toString(), output);
  }
}
