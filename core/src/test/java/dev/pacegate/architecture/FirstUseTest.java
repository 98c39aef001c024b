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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the first limiter of a process costs, and what an error at that moment leaves behind. */
@Tag("jdk")
class FirstUseTest {

  @TempDir Path folder;

  /** A process that does nothing. */
  static final class Nothing {
    public static void main(String[] arguments) {}
  }

  /** A process that takes one permit. */
  static final class OnePermit {
    public static void main(String[] arguments) throws InterruptedException {
      try (Permit permit = Limiter.of(arguments[0]).acquire()) {
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

  /** A lambda or a stream loads a hundred; a class or two of ours must not fail this. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "10/1m, 150",
        "9000/1m of tokens, 150",
        "\"bucket(100/1s, burst=20, initial=full)\", 165",
        "peer(10/1m), 165",
        "concurrent(4), 155",
        "spacing(100ms), 155",
        "fixed(3/1s), 160",
        "10/1s & concurrent(4), 170",
        "peer(10/1s & 100/1m), 170"
      })
  void loadsFewClasses(String limit, int most) throws Exception {
    long more = classes(OnePermit.class, limit) - classes(Nothing.class, limit);
    assertTrue(more <= most, () -> more + " classes for the first permit of " + limit);
  }

  @Test
  void anErrorAtTheFirstRefusalBreaksNoLaterOne() throws Exception {
    assertEquals(List.of("refused"), run(RefusedAtTheEnd.class, List.of("-Xss512k")));
  }

  private long classes(Class<?> main, String argument) throws Exception {
    Path log = folder.resolve(main.getSimpleName());
    run(main, List.of("-Xlog:class+load:file=" + log), argument);
    try (var lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(" source: ")).count();
    }
  }

  private static List<String> run(Class<?> main, List<String> options, String... arguments)
      throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(home(Limiter.class) + System.getProperty("path.separator") + home(main));
    command.add(main.getName());
    command.addAll(List.of(arguments));
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
