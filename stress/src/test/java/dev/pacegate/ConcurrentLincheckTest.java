package dev.pacegate;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A limiter of what is open behaves, under all interleavings, as if one call were made after the
 * other.
 */
@Param(name = "max", gen = IntGen.class, conf = "1:3")
public class ConcurrentLincheckTest {

  private static final int THREADS = 8; // more than Lincheck numbers

  private final Limiter limiter =
      Limiter.builder("concurrent(2)").time(ManualTime.manual()).build();
  private final ArrayDeque<Permit>[] permits = stacks();
  private final Permit shared = limiter.tryAcquire().orElseThrow();

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static ArrayDeque<Permit>[] stacks() {
    ArrayDeque<Permit>[] stacks = new ArrayDeque[THREADS];
    Arrays.setAll(stacks, i -> new ArrayDeque<>());
    return stacks;
  }

  @Operation
  public boolean tryAcquire(@Param(gen = ThreadIdGen.class) int thread) {
    var permit = limiter.tryAcquire();
    permit.ifPresent(permits[thread]::push);
    return permit.isPresent();
  }

  /** Ends the thread's latest permit; whether it had one. */
  @Operation
  public boolean close(@Param(gen = ThreadIdGen.class) int thread) {
    Permit permit = permits[thread].poll();
    if (permit == null) {
      return false;
    }
    permit.answered();
    return true;
  }

  /** Ends a permit that every thread has. */
  @Operation
  public void closeShared() {
    shared.answered();
  }

  @Operation
  public void loseShared() {
    shared.lost();
  }

  @Operation
  public void allow(@Param(name = "max") int max) {
    limiter.setLimit(Limits.concurrent(max));
  }

  @Operation
  public void pause() {
    limiter.pause();
  }

  @Operation
  public void resume() {
    limiter.resume();
  }

  @Operation
  public int open() {
    return limiter.snapshot().open();
  }

  /** The same, for one thread, in the simplest way. */
  public static final class Specification {

    private final int[] permits = new int[THREADS];
    private boolean sharedOpen = true;
    private int open = 1;
    private int max = 2;
    private boolean paused;

    public boolean tryAcquire(int thread) {
      boolean free = open < max && !paused;
      if (free) {
        open++;
        permits[thread]++;
      }
      return free;
    }

    public boolean close(int thread) {
      boolean had = permits[thread] > 0;
      if (had) {
        permits[thread]--;
        open--;
      }
      return had;
    }

    public void closeShared() {
      open -= sharedOpen ? 1 : 0;
      sharedOpen = false;
    }

    public void loseShared() {
      closeShared();
    }

    public void allow(int max) {
      this.max = max;
    }

    public void pause() {
      paused = true;
    }

    public void resume() {
      paused = false;
    }

    public int open() {
      return open;
    }

    private List<Object> state() {
      return List.of(Arrays.hashCode(permits), sharedOpen, open, max, paused);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Specification that
          && Arrays.equals(permits, that.permits)
          && state().equals(that.state());
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
        ConcurrentLincheckTest.class,
        new ModelCheckingOptions()
            .iterations(scenarios)
            .invocationsPerIteration(100)
            .threads(3)
            .actorsPerThread(2)
            .actorsBefore(2)
            .actorsAfter(2)
            .loopBound(200) // no loop of ours is longer
            // Ten minutes: an invocation that rewrites classes on a busy machine is not hung.
            .invocationTimeout$lincheck(600_000)
            .sequentialSpecification(Specification.class));
  }
}
