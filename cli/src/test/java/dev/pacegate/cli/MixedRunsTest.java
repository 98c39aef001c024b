package dev.pacegate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random mixes of commands, seen from outside: the calls that write by strace, with the kernel's
 * times, and what jobs note themselves. No limit is passed, and no line is lost or doubled beyond
 * what the page promises. {@code -Dpacegate.minutes=60} plays for an hour.
 */
@EnabledOnOs(OS.LINUX)
@Tag("heavy")
class MixedRunsTest {

  @TempDir Path folder;

  @Test
  void noLimitIsPassedAndNoLineLost() throws Exception {
    Strace.assumeInstalled();
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    long until =
        System.nanoTime() + TimeUnit.MINUTES.toNanos(Integer.getInteger("pacegate.minutes", 2));
    do {
      play(seed++);
    } while (System.nanoTime() < until);
  }

  private void play(long seed) throws Exception {
    Path files = Files.createDirectory(folder.resolve("round" + seed));
    var round = new MixedRound(files, seed);
    try {
      round.play();
      System.out.println("seed " + seed + ": " + round.story());
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + round.story() + ": " + e.getMessage(), e);
    } finally {
      round.kill();
      delete(files);
    }
  }

  private static void delete(Path files) throws IOException {
    try (Stream<Path> all = Files.walk(files)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
