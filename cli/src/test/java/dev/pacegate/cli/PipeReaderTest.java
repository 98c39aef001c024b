package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the reader at the other end of the system's pipe knows for certain, in real time: a byte was
 * written after the last look that found the pipe empty began, and before the read that got it had
 * returned.
 */
@Timeout(180)
class PipeReaderTest {

  private static final int LINES = 40;
  private static final int LENGTH = 10_000; // so that some six of them fill the pipe
  private static final int AT_MOST = 10;
  private static final long INTERVAL = 200_000_000;

  private final long[] firstByteBefore = new long[LINES];
  private final long[] lastByteAfter = new long[LINES];
  private int read;

  @Test
  void holdsNoMoreThanTheLimitInAnyIntervalAlsoAfterTheReaderStalled() throws Exception {
    Pipe pipe = Pipe.open();
    var status = CompletableFuture.supplyAsync(() -> write(pipe));
    try (var source = pipe.source()) {
      source.configureBlocking(false);
      var buffer = ByteBuffer.allocate(1 << 20); // more than the pipe holds
      long looked = System.nanoTime();
      int stalls = 0;
      while (read < LINES * LENGTH) {
        long looking = System.nanoTime();
        int bytes = source.read(buffer.clear());
        note(bytes, looked, System.nanoTime());
        looked = looking;
        if (read >= AT_MOST * LENGTH * (2 * stalls + 1) && stalls < 2) {
          stalls++;
          Thread.sleep(450); // the reader stalls: meanwhile the next lines fill the pipe
        } else {
          Thread.sleep(1); // between two looks
        }
      }
    }
    assertEquals(Status.OK, status.get(30, TimeUnit.SECONDS));
    for (int line = AT_MOST; line < LINES; line++) {
      long apart = firstByteBefore[line] - lastByteAfter[line - AT_MOST];
      assertTrue(apart >= INTERVAL, "lines " + (line - AT_MOST) + " and " + line + ": " + apart);
    }
  }

  private void note(int bytes, long after, long before) {
    for (int i = 0; i < bytes; i++, read++) {
      int line = read / LENGTH;
      if (read % LENGTH == 0) {
        firstByteBefore[line] = before;
      }
      lastByteAfter[line] = after;
    }
  }

  private static int write(Pipe pipe) {
    String line = "x".repeat(LENGTH - 1) + "\n";
    var in = new ByteArrayInputStream(line.repeat(LINES).getBytes(US_ASCII));
    try (OutputStream out = Channels.newOutputStream(pipe.sink())) {
      var world =
          new World(
              in,
              out,
              new PrintStream(System.err),
              Time.system(),
              task -> {},
              World.Screen.NONE,
              Map.of());
      return Main.run(world, "pipe", "-q", AT_MOST + "/" + INTERVAL + "ns");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process at the other end may have made the output non-blocking. */
  @Test
  void waitsForTheReaderOfANonBlockingPipe() throws Exception {
    Pipe pipe = Pipe.open();
    pipe.sink().configureBlocking(false);
    byte[] all = new byte[1 << 20];
    new SplittableRandom(1).nextBytes(all);
    var writing =
        CompletableFuture.runAsync(
            () -> {
              try (var out = new StandardOutput(pipe.sink())) {
                out.write(all, 0, all.length);
                pipe.sink().close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try (var in = Channels.newInputStream(pipe.source())) {
      assertArrayEquals(all, in.readAllBytes());
    }
    writing.get(30, TimeUnit.SECONDS);
  }
}
