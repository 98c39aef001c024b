package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limiter.LimitersOnManualTime;
import dev.pacegate.permit.Heard;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When errands run, and what becomes of a limiter whose source fails. */
@Timeout(30)
class FedErrandsTest {

  private final ManualTime time = ManualTime.manual();
  private final HandFedSource source = new HandFedSource();
  private final Limiter limiter =
      Limiter.builder("100/1s").time(time).executor(Runnable::run).source(source).build();
  private final HandFedMeter meter = source.meter();

  @Test
  void anErrandRunsOutsideTheGateOnTheThreadThatMadeTheVisit() {
    var seen = new ArrayList<Object>();
    meter.errand =
        () -> {
          seen.add(Thread.currentThread());
          seen.add(limiter.snapshot().granted()); // would wait for the gate for ever inside it
        };
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(List.of(Thread.currentThread(), 0L), seen);
  }

  @Test
  void anErrandThatFailsIsLoggedAndBreaksNothing() {
    try (var heard = new Heard()) {
      meter.errand =
          () -> {
            throw new IllegalStateException("no store");
          };
      assertTrue(limiter.tryAcquire().isEmpty());
      assertEquals(1, heard.lines("an errand of its source").size(), heard.lines::toString);
    }
    meter.feed(1);
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void newsThatFailAreLoggedAndTheLineMovesOnAndTheErrandIsAskedFor() {
    var waiter = limiter.acquireAsync();
    var errands = new AtomicInteger();
    meter.errand = errands::incrementAndGet;
    try (var heard = new Heard()) {
      meter
          .context
          .sink()
          .tell(
              now -> {
                meter.leased += 1;
                throw new IllegalStateException("half way");
              });
      assertEquals(1, heard.lines("its source of permits").size(), heard.lines::toString);
    }
    assertTrue(waiter.isDone());
    assertEquals(1, errands.get());
  }

  /** A store that answers within the call gives one permit a round. */
  @Test
  void anErrandThatTellsAtOnceDoesNotRecurse() {
    var deepest = new AtomicInteger();
    var depth = new AtomicInteger();
    meter.always =
        () -> {
          deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
          meter.feed(1);
          depth.decrementAndGet();
        };
    var waiters = new ArrayList<CompletableFuture<Permit>>();
    for (int i = 0; i < 200; i++) {
      waiters.add(limiter.acquireAsync());
    }
    time.advance(Duration.ofMillis(100));
    assertEquals(1, deepest.get());
    assertTrue(waiters.stream().allMatch(CompletableFuture::isDone));
  }

  /** It is due at every visit and makes a visit each time: a circle, but no busy one. */
  @Test
  void anErrandThatIsAlwaysDueKeepsNoThreadBusy() {
    var runs = new AtomicInteger();
    meter.always =
        () -> {
          runs.incrementAndGet();
          meter.context.sink().tell(now -> {});
        };
    assertTrue(limiter.tryAcquire().isEmpty());
    int once = runs.get();
    assertTrue(once <= 10, () -> once + " in a row");
    time.advance(Duration.ofMillis(10));
    int later = runs.get() - once;
    assertTrue(later > 0 && later <= 100, () -> later + " in 10 ms");
  }

  @Test
  void anErrandThatIsAlwaysDueAndTellsNothingRunsOncePerVisit() {
    var runs = new AtomicInteger();
    meter.always = runs::incrementAndGet;
    var waiter = limiter.acquireAsync();
    time.advance(Duration.ofSeconds(1));
    assertTrue(runs.get() <= 2, () -> runs.get() + " runs");
    assertFalse(waiter.isDone());
  }

  @Test
  void newsMayBeToldByACallback() {
    var second =
        limiter
            .acquireAsync()
            .thenCompose(
                first -> {
                  meter.feed(1);
                  return limiter.acquireAsync();
                });
    meter.feed(1);
    assertTrue(second.isDone());
  }

  @Test
  void aMeterThatTellsFromInsideTheGateFailsClearly() {
    var failure = new AtomicReference<RuntimeException>();
    meter
        .context
        .sink()
        .tell(
            now -> {
              try {
                meter.feed(1);
              } catch (RuntimeException e) {
                failure.set(e);
              }
            });
    RuntimeException thrown = failure.get();
    assertNotNull(thrown);
    assertTrue(String.valueOf(thrown.getMessage()).contains("errand"), thrown::toString);
    assertTrue(limiter.tryAcquire().isEmpty()); // the gate is open
  }

  @Test
  void aMeterThatFailsLetsNothingThroughAndBreaksNothing() {
    meter.feed(5);
    meter.fails = new IllegalStateException("broken");
    CompletableFuture<Permit> waiter;
    try (var heard = new Heard()) {
      assertTrue(limiter.tryAcquire().isEmpty());
      waiter = limiter.acquireAsync();
      assertEquals(Duration.ZERO, limiter.estimateWait(1));
      assertEquals(1, limiter.snapshot().waiting());
      assertEquals(0, limiter.snapshot().most().get(0).count());
      assertEquals(1, heard.lines("its source of permits").size(), heard.lines::toString);
    }
    meter.fails = null;
    meter.feed(0);
    assertTrue(waiter.isDone());
  }

  /** A source may answer before the limiter that it feeds has been made. */
  @Test
  void newsThatComeBeforeTheLimiterIsThereAreKept() {
    var early = new HandFedSource();
    Limiter made =
        Limiter.builder("100/1s")
            .time(time)
            .source(
                context -> {
                  var first = (HandFedMeter) early.newMeter(context);
                  first.feed(2);
                  return first;
                })
            .build();
    assertEquals(2, early.meter().leased);
    assertEquals(2, LimitersOnManualTime.taken(made));
  }
}
