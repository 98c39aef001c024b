package dev.pacegate.redis.rig;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * The clocks of a machine that can be paused, as a virtual one: afterwards its time of day and its
 * monotonic clock are behind. A server has them by {@link RedisSetup#clock}. Needs a C compiler.
 */
public final class StandingClock implements AutoCloseable {

  private static final String SOURCE = "standing-clock.c";

  private final Path folder;

  private StandingClock(Path folder) throws IOException {
    this.folder = folder;
    behind(Duration.ZERO);
  }

  /** Makes one that is right. */
  public static StandingClock make() throws IOException, InterruptedException {
    Path folder = Folders.make("clock");
    try {
      compile(folder);
      return new StandingClock(folder);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      Folders.delete(folder);
      throw e;
    }
  }

  private static void compile(Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve(SOURCE);
    try (InputStream in =
        Objects.requireNonNull(StandingClock.class.getResourceAsStream(SOURCE), SOURCE)) {
      Files.copy(in, source);
    }
    Path log = folder.resolve("cc.txt");
    var command =
        new ProcessBuilder(
            "cc", "-shared", "-fPIC", "-o", library(folder).toString(), source.toString());
    if (command.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor() != 0) {
      throw new IOException("cc says:\n" + Files.readString(log));
    }
  }

  /** Sets by how much it is behind, which servers that run see at once. */
  public void behind(Duration time) throws IOException {
    var number = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    number.putLong(time.toNanos()).flip();
    // Not truncated: a server that reads meanwhile would die.
    try (var file = FileChannel.open(file(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.write(number);
    }
  }

  /** Returns what a process is told that is to have this clock. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library(folder).toString(), "STANDING_CLOCK", file().toString());
  }

  private Path file() {
    return folder.resolve("behind");
  }

  private static Path library(Path folder) {
    return folder.resolve("standing-clock.so");
  }

  /** Deletes its files, once no server has it. */
  @Override
  public void close() throws IOException {
    Folders.delete(folder);
  }
}
