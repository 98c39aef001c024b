package dev.pacegate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
@Timeout(value = 3, unit = TimeUnit.HOURS)
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

  /** Without a state file the second process knows nothing of the first: the judge must say so. */
  @Test
  void theJudgeNoticesThatNothingIsRemembered() throws Exception {
    Strace.assumeInstalled();
    var round = MixedRound.forgetting(folder);
    try {
      round.playWithoutState();
    } finally {
      round.kill();
    }
  }

  private void play(long seed) throws Exception {
    Path files = Files.createDirectory(folder.resolve("round" + seed));
    var round = MixedRound.random(files, seed);
    try {
      round.play();
      System.out.println("seed " + seed + ": " + round.story());
    } catch (Exception | AssertionError e) {
      round.kill();
      Path kept = Path.of("target", "mixed", seed + "").toAbsolutePath();
      copy(files, kept);
      String where = "seed " + seed + ", files in " + kept + ": ";
      throw new AssertionError(where + round.story() + ": " + e.getMessage(), e);
    }
    delete(files);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.skip(1).toList()) { // the first is the folder itself
        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
      }
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
