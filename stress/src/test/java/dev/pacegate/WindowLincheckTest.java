package dev.pacegate;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A limiter of starts behaves, under all interleavings with each other and with a clock that moves
 * on, as if one call were made after the other.
 */
@Param(name = "max", gen = IntGen.class, conf = "1:3")
@Param(name = "cost", gen = IntGen.class, conf = "1:2")
public class WindowLincheckTest {

  private static final long INTERVAL = 1_000_000_000;
  private static final long TICK = INTERVAL / 2;

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = Limiter.builder("2/1s").time(time).build();

  /** Whether there was a permit; null if this limit can never let it through. */
  @Operation
  public Boolean tryAcquire(@Param(name = "cost") int cost) {
    try {
      return limiter.tryAcquire(cost).isPresent();
    } catch (CostTooLargeException never) {
      return null;
    }
  }

  @Operation
  public void allow(@Param(name = "max") int max) {
    limiter.setLimit(max + "/1s");
  }

  @Operation
  public void tick() {
    time.advanceNanos(TICK);
  }

  @Operation
  public void pauseForATick() {
    limiter.pauseFor(Duration.ofNanos(TICK));
  }

  /** The same, for one thread, in the simplest way. */
  public static final class Specification {

    private record Release(long instant, int cost) {}

    private final List<Release> releases = new ArrayList<>();
    private long now;
    private long pausedUntil;
    private int max = 2;

    public Boolean tryAcquire(int cost) {
      if (cost > max) {
        return null;
      }
      int spent =
          releases.stream()
              .filter(release -> release.instant > now - INTERVAL)
              .mapToInt(Release::cost)
              .sum();
      boolean free = spent + cost <= max && now >= pausedUntil;
      if (free) {
        releases.add(new Release(now, cost));
      }
      return free;
    }

    public void allow(int max) {
      this.max = max;
    }

    public void tick() {
      now += TICK;
    }

    public void pauseForATick() {
      pausedUntil = Math.max(pausedUntil, now + TICK);
    }

    private List<Object> state() {
      return List.of(releases, now, pausedUntil, max);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Specification that && state().equals(that.state());
    }

    @Override
    public int hashCode() {
      return state().hashCode();
    }
  }

  @Test
  void isLinearizableInTheModel() {
    check(4);
  }

  @Test
  @Tag("heavy")
  void isLinearizableInManyScenarios() {
    check(40);
  }

  private static void check(int scenarios) {
    LinChecker.check(
        WindowLincheckTest.class,
        new ModelCheckingOptions()
            .iterations(scenarios)
            .invocationsPerIteration(100)
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(1)
            .actorsAfter(2)
            .loopBound(200) // no loop of ours is longer
            // Ten minutes: an invocation that rewrites classes on a busy machine is not hung.
            .invocationTimeout$lincheck(600_000)
            .sequentialSpecification(Specification.class));
  }
}
