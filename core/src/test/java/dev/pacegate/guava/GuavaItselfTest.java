package dev.pacegate.guava;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.util.concurrent.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@link GuavaModel} is Guava: the waits that the library's limiters plan, in real time, are those
 * of the model at the same instants.
 */
@Timeout(60)
class GuavaItselfTest {

  private static final double SECOND = 1e9;

  /** What is done to both: {@code 3} acquires three, {@code U0.2} sleeps, {@code =40} is a rate. */
  private record Script(double perSecond, double warmUp, String steps) {

    /**
     * Returns nothing if it may be believed, and what was seen otherwise. A thread may lose its
     * processor between reading the clock and Guava's reading it; then the two plan from different
     * instants, and may differ.
     */
    Optional<String> run() {
      long created = System.nanoTime();
      RateLimiter guava =
          warmUp == 0
              ? RateLimiter.create(perSecond)
              : RateLimiter.create(perSecond, Duration.ofNanos(Math.round(warmUp * SECOND)));
      GuavaModel model =
          warmUp == 0
              ? GuavaModel.bursty(perSecond, 1, 0)
              : GuavaModel.warmingUp(perSecond, warmUp * SECOND, 3, 0);
      double held = System.nanoTime() - created; // between two readings: no longer than this
      var planned = new ArrayList<String>();
      double tolerance = 1 / perSecond / 4;
      for (String step : steps.split(" ", -1)) {
        double now = System.nanoTime() - created;
        switch (step.charAt(0)) {
          case 'U' -> sleep(Double.parseDouble(step.substring(1)));
          case '=' -> {
            double rate = Double.parseDouble(step.substring(1));
            model.setRate(now, rate);
            guava.setRate(rate);
            held = Math.max(held, System.nanoTime() - created - now);
            tolerance = Math.min(tolerance, 1 / rate / 4);
          }
          default -> {
            int permits = Integer.parseInt(step);
            double expected = model.acquire(now, permits) / SECOND;
            double actual = guava.acquire(permits);
            planned.add("%s: %.3f %.3f".formatted(step, expected, actual));
            held = Math.max(held, System.nanoTime() - created - now - actual * SECOND);
            if (Math.abs(expected - actual) > tolerance) {
              // Of permits stored while it was cold, an instant is worth three.
              assertTrue(3 * held > tolerance * SECOND, planned::toString);
              return Optional.of(
                  "%s, held up for %.4f s of %.4f s"
                      .formatted(planned, 3 * held / SECOND, tolerance));
            }
          }
        }
      }
      return Optional.empty();
    }

    /** Real idleness of a real limiter, which knows no other. */
    private static void sleep(double seconds) {
      try {
        Thread.sleep(Math.round(seconds * 1e3));
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
    }
  }

  private static final List<Script> SCRIPTS =
      List.of(
          new Script(20, 0, "1 1 1 1 1 1 1"),
          new Script(20, 0, "1 U0.3 1 1 1 1 1 1 1 1"),
          new Script(20, 0, "1 U1.3 15 5 1 1 1"), // never more than a second's worth
          new Script(20, 0, "5 1 1 2 4 8 1"),
          new Script(10, 0, "1 1 =20 1 2 4 1 =10 1 1"),
          new Script(20, 0, "1 U0.55 10 1 =40 1 1 1 U0.25 10 5 1"),
          new Script(20, 0.4, "1 1 1 1 1 1 1 1 U0.6 1 1 1 1"),
          new Script(20, 0.4, "3 5 1 U0.25 1 1 1 1 1"), // half as long: not cold
          new Script(20, 0.4, "1 1 1 1 1 1 1 1 U0.5 1 1 1 =40 1 1 1 1 1"),
          new Script(10, 1, "1 1 1 =20 1 1 1 1"));

  /** For so long a busy machine may disturb a script: the attempt after that is the last one. */
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  @Test
  void theModelPlansWhatGuavaPlans() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(SCRIPTS.size());
    var disturbed = new ArrayList<String>();
    try {
      List<Future<Optional<String>>> runs = new ArrayList<>();
      SCRIPTS.forEach(script -> runs.add(threads.submit(() -> attempt(script))));
      for (Future<Optional<String>> run : runs) {
        run.get().ifPresent(disturbed::add);
      }
    } catch (ExecutionException failure) {
      throw new AssertionError(failure);
    } finally {
      threads.shutdownNow();
    }
    // All others have agreed. These say nothing about the model, only about the machine.
    assumeTrue(disturbed.isEmpty(), () -> "never undisturbed: " + disturbed);
  }

  /** Returns nothing once the two agree, and the last plans if they never could. */
  private static Optional<String> attempt(Script script) {
    RateLimiter.create(1).acquire(); // its classes are loaded before the first script
    RateLimiter.create(1, Duration.ofMillis(1)).acquire();
    long began = System.nanoTime();
    for (int attempts = 1; ; attempts++) {
      Optional<String> seen = script.run();
      if (seen.isEmpty() || System.nanoTime() - began > PATIENCE.toNanos()) {
        int made = attempts;
        return seen.map(plans -> script + ", " + made + " attempts, planned " + plans);
      }
    }
  }
}
