package dev.pacegate.waiting;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Spinning through the end of a wait, in real time: on virtual time there is nothing to spin. */
@Tag("jdk")
class SpinTest {

  private static final Duration SPAN = Duration.ofNanos(200_000);
  private static final int MANY = 50;

  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final Limiter limiter = spinning("spacing(1ms)");

  private Limiter spinning(String limit) {
    return Limiter.builder(limit).executor(executor).spin(SPAN).stamped(true).build();
  }

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, limiter.snapshot().waiting());
    limiter.close();
    executor.shutdown();
  }

  @Test
  void futuresAreNeverEarly() throws Exception {
    List<CompletableFuture<Permit>> places = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      places.add(limiter.acquireAsync());
    }
    long last = places.get(0).get(10, SECONDS).releasedAt();
    for (CompletableFuture<Permit> place : places.subList(1, MANY)) {
      long next = place.get(10, SECONDS).releasedAt();
      assertTrue(next - last >= 1_000_000, "early");
      last = next;
    }
  }

  @Test
  void actionsOnAnExecutorOfTheirOwnAreNeverEarly() throws Exception {
    Queue<Long> instants = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Permit>> places = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      places.add(
          limiter.acquireAsync(Cost.ONE, executor, permit -> instants.add(permit.releasedAt())));
    }
    for (CompletableFuture<Permit> place : places) {
      place.get(10, SECONDS).answered();
    }
    long last = Long.MIN_VALUE;
    for (long next : instants) {
      assertTrue(last == Long.MIN_VALUE || next - last >= 1_000_000);
      last = next;
    }
    assertEquals(MANY, instants.size());
  }

  @Test
  void anExecutorThatForgetsTheSpinnerHoldsUpNoWaiter() throws Exception {
    Executor forgetful = task -> {};
    limiter.acquire().answered();
    CompletableFuture<Permit> forgotten =
        limiter.acquireAsync(Cost.ONE, forgetful, Permit::answered);
    limiter.acquireAsync().get(10, SECONDS).answered();
    assertTrue(forgotten.cancel(false));
  }

  @Test
  void aSpinnerStopsWhenTheOneItSpinsForLeaves() throws Exception {
    for (int i = 0; i < MANY; i++) {
      CompletableFuture<Permit> place = limiter.acquireAsync();
      CompletableFuture<Permit> behind = limiter.acquireAsync();
      boolean left = place.cancel(false);
      behind.get(10, SECONDS).answered();
      assertTrue(left || place.isDone());
    }
  }

  @Test
  void aChangedLimitReschedulesTheWaiterThatIsSpunFor() throws Exception {
    for (int i = 0; i < MANY; i++) {
      limiter.setLimit("spacing(1ms)");
      long last = limiter.acquire().releasedAt();
      CompletableFuture<Permit> place = limiter.acquireAsync();
      Thread.sleep(0, 850_000); // into the time in which a thread spins, if all goes fast
      limiter.setLimit("spacing(3ms)");
      long next = place.get(10, SECONDS).releasedAt();
      assertTrue(next - last >= 1_000_000, "earlier than by either limit");
    }
  }

  @Test
  void spinsAreBounded() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Limiter.builder("1/1s").spin(Duration.ofMillis(10).plusNanos(1)));
    assertThrows(
        IllegalArgumentException.class, () -> Limiter.builder("1/1s").spin(Duration.ofNanos(-1)));
  }
}
