package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed while they make or use a state file. Whatever they leave, the next one
 * can use it, and what all of them wrote is within the limit.
 */
@EnabledOnOs(OS.LINUX) // where the clocks of all processes have one origin
@Tag("slow")
class DeathsTest {

  private static final String LIMIT = "20/200ms";
  private static final String PEER = "peer(20/200ms, unanswered=300ms)";
  private static final String LARGE = PEER + " & peer(1000/1s, unanswered=300ms)"; // so is its file
  private static final long MILLI = 1_000_000;

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<Life> started = new ArrayList<>();

  /** A process, and where its errors go. */
  private record Life(Process process, Path errors) {
    String error() {
      try {
        return Files.readString(errors);
      } catch (IOException e) {
        return e.toString();
      }
    }

    /** Returns the status with which an interrupt ends it. */
    int interrupt() throws Exception {
      boolean ignored = ProcessTest.ignoresInterrupts(process); // of a shell in the background
      new ProcessBuilder("kill", ignored ? "-TERM" : "-INT", String.valueOf(process.pid()))
          .start()
          .waitFor();
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it hangs");
      return Status.SIGNALLED + (ignored ? 15 : 2);
    }
  }

  private Path log = Path.of("");
  private Path state = Path.of("");
  private int starts;
  private int deaths;
  private int unfinished; // deaths before the file was whole

  @TempDir Path folder;

  @AfterEach
  void killAll() {
    started.forEach(life -> life.process.destroyForcibly());
  }

  /** A pipe with endless input, which notes each write in a log as it takes place. */
  static final class Mortal {
    private Mortal() {}

    /** Runs with a log and a state file, and says on standard output when it is about to begin. */
    public static void main(String[] arguments) throws IOException {
      Path rehearsal = Files.createTempFile("pacegate", "state");
      String limit = arguments[2];
      pipe(
          limit,
          new ByteArrayInputStream(new byte[] {'\n'}),
          OutputStream.nullOutputStream(),
          rehearsal);
      Files.delete(rehearsal);
      var log = new FileOutputStream(arguments[0], true);
      System.out.write('m');
      System.out.flush();
      System.exit(pipe(limit, new Endless(), new Noted(log), Path.of(arguments[1])));
    }

    private static int pipe(String limit, InputStream in, OutputStream out, Path state) {
      var exits = new ArrayList<Runnable>();
      boolean rehearses = in instanceof ByteArrayInputStream;
      var world =
          new World(
              in,
              out,
              new PrintStream(System.err, true, US_ASCII),
              Time.system(),
              exit -> {
                if (rehearses) {
                  exits.add(exit);
                } else {
                  World.whenProcessEnds(exit);
                }
              },
              World.Screen.NONE,
              Map.of());
      int status = Main.run(world, "pipe", "-q", limit, "--state", state.toString());
      exits.forEach(Runnable::run);
      return status;
    }
  }

  private static final class Endless extends InputStream {
    @Override
    public int read() {
      return '\n';
    }

    @Override
    public int read(byte[] bytes, int from, int length) {
      Arrays.fill(bytes, from, from + length, (byte) '\n');
      return length;
    }
  }

  /** Appends the instant and the number of lines of each write, with one call. */
  private static final class Noted extends OutputStream {
    private final OutputStream log;

    Noted(OutputStream log) {
      this.log = log;
    }

    @Override
    public void write(int b) {
      throw new AssertionError("a byte at a time");
    }

    @Override
    public void write(byte[] bytes, int from, int lines) throws IOException {
      log.write((System.nanoTime() + " " + lines + "\n").getBytes(US_ASCII));
    }
  }

  @Test
  @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
  void twelveDeathsSpoilNothing() throws Exception {
    die(12);
  }

  @Test
  @Tag("heavy")
  @Timeout(value = 3600, threadMode = ThreadMode.SEPARATE_THREAD)
  void fiveHundredDeathsSpoilNothing() throws Exception {
    die(500);
  }

  private void die(int times) throws Exception {
    long began = System.nanoTime();
    // On a loaded machine the file may be whole sooner or later than usual.
    for (int file = 0; deaths < times || (unfinished == 0 && deaths < 20 * times); file++) {
      log = Files.createFile(folder.resolve("log" + file));
      state = folder.resolve("state" + file);
      for (int life = random.nextInt(4); life >= 0; life--) {
        live();
      }
      last();
      audit();
      Files.delete(state);
    }
    System.out.printf(
        "%d deaths, %d of them before the file was whole, in %d s, seed %d%n",
        deaths, unfinished, (System.nanoTime() - began) / 1000 / MILLI, seed);
    assertTrue(unfinished > 0, "none died while it made the file");
  }

  /** Lives until it is killed, at times beside another that may have come first. */
  private void live() throws Exception {
    boolean making = random.nextInt(10) < 7;
    Life rival = random.nextInt(10) == 0 ? start() : null;
    Life life = start();
    awaitBegin(life);
    boolean atOnce = random.nextBoolean(); // as a file is soon whole
    long lives = random.nextLong(making ? 30 * MILLI : 400 * MILLI);
    sleep(atOnce && !isWhole() ? 0 : lives);
    kill(life, rival != null);
    if (rival != null) {
      kill(rival, true);
    }
    unfinished += isWhole() ? 0 : 1;
  }

  /** Whatever was left, it can be used. */
  private void last() throws Exception {
    Life life = start();
    awaitBegin(life);
    long written = Files.size(log);
    for (int i = 0; i < 6000 && Files.size(log) == written && life.process.isAlive(); i++) {
      sleep(10 * MILLI); // until it has written something
    }
    sleep(random.nextLong(200 * MILLI));
    assertTrue(life.process.isAlive(), () -> "seed " + seed + ": " + life.error());
    assertTrue(Files.size(log) > written, "seed " + seed + ": nothing was written");
    int status = life.interrupt();
    started.remove(life);
    assertEquals(status, life.process.exitValue(), "seed " + seed);
    assertEquals("", life.error(), "seed " + seed);
  }

  private Life start() throws IOException {
    Path errors = folder.resolve("stderr" + starts++);
    Process process =
        new ProcessBuilder(
                ProcessTest.java(
                    Mortal.class,
                    log.toString(),
                    state.toString(),
                    random.nextBoolean() ? PEER : LARGE))
            .redirectError(errors.toFile())
            .start();
    var life = new Life(process, errors);
    started.add(life);
    return life;
  }

  private static void awaitBegin(Life life) throws IOException {
    assertEquals('m', life.process.getInputStream().read(), life::error);
  }

  private static void sleep(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos); // the life of another process
  }

  /** One that came second may have said so, and been killed before it ended. */
  private void kill(Life life, boolean hasRival) throws Exception {
    if (random.nextInt(5) == 0) {
      life.interrupt();
    } else {
      life.process.destroyForcibly().waitFor();
    }
    deaths++;
    started.remove(life);
    String error = life.error();
    boolean isSecond = hasRival && error.contains("is in use");
    assertTrue(isSecond || error.isEmpty(), () -> "seed " + seed + ": " + error);
  }

  private boolean isWhole() throws IOException {
    try (InputStream in = Files.newInputStream(state)) {
      return new String(in.readNBytes(8), US_ASCII).equals("PACEGATE");
    } catch (NoSuchFileException none) {
      return false;
    }
  }

  private void audit() throws IOException {
    var audit = Audit.of(Limits.parse(LIMIT));
    Files.readAllLines(log).stream()
        .map(line -> line.split(" "))
        .sorted((one, other) -> Long.compare(Long.parseLong(one[0]), Long.parseLong(other[0])))
        .forEach(write -> audit.add(Long.parseLong(write[0]), Long.parseLong(write[1])));
    Report report = audit.report();
    assertTrue(report.kept(), () -> "seed " + seed + ": " + report.text());
  }
}
