package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Report;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The calls that write, in virtual time: the reader stalls, and the process is stopped anywhere. A
 * line counts at each instant from the entry of its call to the return.
 */
class PipeWritesTest {

  private static final long SECOND = 1_000_000_000;

  private final WriteCalls calls = new WriteCalls();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** A clock that jumps at random readings, as that of a process that is stopped and continued. */
  private static final class Jumping implements Time {
    private final ManualTime time = ManualTime.selfAdvancing();
    private final Random random;
    private long jumped;

    Jumping(Random random) {
      this.random = random;
    }

    void jump() {
      jumped += random.nextInt(4) == 0 ? random.nextLong(2 * SECOND) : random.nextLong(SECOND / 50);
    }

    long now() {
      return time.nanoTime() + jumped;
    }

    @Override
    public long nanoTime() {
      if (random.nextInt(40) == 0) {
        jump();
      }
      return now();
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH.plusNanos(nanoTime());
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant - jumped, task);
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
      time.parkUntil(blocker, instant - jumped);
    }
  }

  private int run(byte[] input, Random random, String... arguments) {
    var time = new Jumping(random);
    var exits = new ArrayList<Runnable>();
    var recorder =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new AssertionError("a byte at a time");
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            long entry = time.now();
            if (random.nextInt(4) == 0) {
              time.jump(); // the reader stalls
            }
            out.write(bytes, from, length);
            calls.add(entry, time.now(), length);
          }
        };
    var world =
        new World(
            inPieces(input, random),
            recorder,
            new PrintStream(err, true, UTF_8),
            time,
            exits::add,
            World.Screen.NONE,
            Map.of());
    int status = Main.run(world, arguments);
    exits.forEach(Runnable::run);
    return status;
  }

  private static FilterInputStream inPieces(byte[] input, Random random) {
    int longest = 1 << random.nextInt(17);
    return new FilterInputStream(new ByteArrayInputStream(input)) {
      @Override
      public int read(byte[] buffer, int from, int length) throws IOException {
        return super.read(buffer, from, Math.min(length, 1 + random.nextInt(longest)));
      }
    };
  }

  private static byte[] lines(Random random, int bytes, int newlines) {
    byte[] input = new byte[bytes];
    for (int i = 0; i < newlines; i++) {
      input[random.nextInt(bytes)] = '\n';
    }
    return input;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5/1s",
        "20/1s & 70/10s",
        "1000/1s",
        "bucket(20/1s, burst=7)",
        "spacing(50ms)",
        "7/1s & concurrent(3)",
        "peer(9/1s, margin=0s)"
      })
  void neverHoldMoreThanTheLimit(String limit) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    var random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      calls.clear();
      out.reset();
      err.reset();
      boolean inBytes = round % 4 == 3 && !limit.startsWith("spacing"); // which counts no bytes
      byte[] input =
          lines(random, 1 + random.nextInt(inBytes ? 300 : 100_000), random.nextInt(200));
      String unit = inBytes ? "bytes" : "lines";
      int status = run(input, random, "pipe", limit, "--report", "--cost", unit);
      assertArrayEquals(input, out.toByteArray(), "seed " + seed);
      String asThePeerCounts =
          err.toString(UTF_8).lines().findFirst().orElse("").replace("pacegate: limit ", "");
      assertTrue(asThePeerCounts.contains("peer("), asThePeerCounts);
      Report report = inBytes ? calls.bytes(asThePeerCounts) : calls.lines(asThePeerCounts, input);
      assertTrue(report.kept(), () -> "seed " + seed + ": " + report.text());
      assertTrue(err.toString(UTF_8).contains("pacegate: kept: "), "seed " + seed + ": " + err);
      assertEquals(Status.OK, status);
    }
  }

  /** Not so where starts are counted: this is what the others must not do. */
  @Test
  void holdMoreWhereOnlyStartsCount() {
    byte[] input = lines(new Random(1), 20_000, 400);
    assertEquals(Status.OK, run(input, new Random(2), "pipe", "starts(5/1s)", "--report"));
    Report report = calls.lines("peer(5/1s)", input);
    assertFalse(report.kept(), report.text());
    String last = err.toString(UTF_8).lines().reduce((one, next) -> next).orElse("");
    assertTrue(last.startsWith("pacegate: what counts starts was judged by when lines"), last);
    assertFalse(last.endsWith(" 0s later"), last);
  }
}
