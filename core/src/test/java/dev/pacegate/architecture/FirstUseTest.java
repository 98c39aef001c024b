package dev.pacegate.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Job;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the first limiter of a process costs, and what an error at that moment leaves behind. */
@Tag("jdk")
class FirstUseTest {

  private static final int MOST_CLASSES = 250;

  @TempDir Path folder;

  /** A process that does nothing. */
  static final class Nothing {
    public static void main(String[] arguments) {}
  }

  /** A process that takes one permit. */
  static final class OnePermit {
    public static void main(String[] arguments) throws InterruptedException {
      try (Permit permit = Limiter.of("10/1m").acquire()) {
        permit.answered();
      }
    }
  }

  /**
   * A process whose first refusals, of either kind, come at the end of a stack: on the way up each
   * frame asks with a little more room than the one before.
   */
  static final class RefusedAtTheEnd {

    /** No lambda, as the first one of a process is the JDK's own matter at the end of a stack. */
    private static final Job<String, RuntimeException> JOB =
        new Job<>() {
          @Override
          public String call() {
            return "never";
          }
        };

    private static int overflows;

    public static void main(String[] arguments) throws InterruptedException {
      Limiter limiter = Limiter.of("1/1h");
      limiter.acquire().answered();
      descend(limiter);
      try {
        limiter.call(Cost.ONE, Duration.ZERO, JOB);
      } catch (WaitTooLongException refused) {
        System.out.println((overflows > 0 ? "" : "no overflow, ") + "refused");
      }
    }

    @SuppressWarnings("InfiniteRecursion") // the end of the stack is what it is for
    private static void descend(Limiter limiter) {
      try {
        descend(limiter);
      } catch (StackOverflowError end) {
        overflows++;
      }
      ask(limiter);
    }

    private static void ask(Limiter limiter) {
      try {
        if (overflows < 300) {
          limiter.call(Cost.ONE, Duration.ZERO, JOB);
        }
      } catch (RefusedException refused) {
        overflows = 1000;
      } catch (Throwable atTheEnd) {
        overflows++;
      }
    }
  }

  @Test
  void loadsFewClasses() throws Exception {
    long bare = classes(Nothing.class);
    long first = classes(OnePermit.class);
    assertTrue(
        first - bare <= MOST_CLASSES, () -> (first - bare) + " classes for the first permit");
  }

  @Test
  void anErrorAtTheFirstRefusalBreaksNoLaterOne() throws Exception {
    assertEquals(List.of("refused"), run(RefusedAtTheEnd.class, "-Xss512k"));
  }

  private long classes(Class<?> main) throws Exception {
    Path log = folder.resolve(main.getSimpleName());
    run(main, "-Xlog:class+load:file=" + log);
    try (var lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(" source: ")).count();
    }
  }

  private static List<String> run(Class<?> main, String... options) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(home(Limiter.class) + System.getProperty("path.separator") + home(main));
    command.add(main.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<String> lines = lines(process);
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    assertEquals(0, process.exitValue(), lines::toString);
    return lines;
  }

  private static List<String> lines(Process process) throws IOException {
    try (var reader = process.inputReader()) {
      return reader.lines().toList();
    }
  }

  private static Path home(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
