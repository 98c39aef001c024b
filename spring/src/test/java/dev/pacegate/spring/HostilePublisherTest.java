package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.spring.Place.PlaceEnding;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Whatever the publisher of a method does when it is subscribed to, the permit ends. */
@Timeout(60)
class HostilePublisherTest {

  private final Limiter limiter =
      Limiter.builder("peer(1/1s, margin=0s, unanswered=10s)")
          .time(ManualTime.manual())
          .executor(Runnable::run)
          .build();

  static List<Throwable> failures() {
    return List.of(
        new IllegalStateException("a test"),
        new AssertionError("a test"),
        new StackOverflowError("a test"),
        new NoClassDefFoundError("a test"));
  }

  private static void sneak(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  private Flux<Object> flux(Publisher<Object> sent) {
    return Place.flux(limiter::acquireAsync, permit -> sent);
  }

  private Mono<Object> mono(Mono<Object> sent) {
    return Place.mono(limiter::acquireAsync, PlaceEnding.OF_PERMIT, (permit, handOn) -> sent);
  }

  private static Mono<Object> hostile(Throwable mine) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Object> actual) {
        sneak(mine);
      }
    };
  }

  /** The permit ends as if a job had thrown it. */
  private void assertFailed(Throwable mine, CompletableFuture<?> result) {
    assertEquals(0, limiter.snapshot().open());
    assertTrue(result.isDone(), "the subscriber learns of it");
    Throwable told =
        requireNonNull(assertThrows(CompletionException.class, result::join).getCause());
    assertTrue(told == mine || told.getCause() == mine, () -> "told: " + told);
    assertEquals(Duration.ofSeconds(mine instanceof Error ? 11 : 1), limiter.estimateWait(1));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aPublisherThatThrowsFailsAndEndsThePermit(Throwable mine) {
    assertFailed(mine, flux(subscriber -> sneak(mine)).collectList().toFuture());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFluxThatThrowsFailsAndEndsThePermit(Throwable mine) {
    assertFailed(mine, flux(hostile(mine).flux()).collectList().toFuture());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aMonoThatThrowsFailsAndEndsThePermit(Throwable mine) {
    assertFailed(mine, mono(hostile(mine)).toFuture());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aPublisherThatThrowsFailsAfterAWaitToo(Throwable mine) {
    Permit before = limiter.tryAcquire().orElseThrow();
    var result = flux(subscriber -> sneak(mine)).collectList().toFuture();
    before.notSent();
    assertFailed(mine, result);
  }

  @Test
  void theFirstOfTwoEndsOfAPublisherCounts() {
    var result =
        flux(subscriber -> {
              subscriber.onSubscribe(
                  new Subscription() {
                    @Override
                    public void request(long n) {}

                    @Override
                    public void cancel() {}
                  });
              subscriber.onComplete();
              subscriber.onError(new IllegalStateException("a test"));
              throw new IllegalStateException("a test");
            })
            .collectList()
            .toFuture();
    assertEquals(List.of(), result.join());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(1), "answered");
  }

  /** Reactor would log each as an error. */
  @Test
  void aWaitThatIsCancelledDropsNoError() {
    var dropped = new ArrayList<Throwable>();
    Consumer<Throwable> local = dropped::add;
    Permit before = limiter.tryAcquire().orElseThrow();
    for (var waiting : List.of(mono(Mono.never()), flux(Flux.never()).next())) {
      Context context = Context.of("reactor.onErrorDropped.local", local);
      waiting.subscribe(value -> {}, failure -> {}, () -> {}, context).dispose();
    }
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(List.of(), dropped);
    before.notSent();
  }

  @Test
  void aPublisherThatThrowsWhenItIsCancelledEndsThePermit() {
    var mine = new IllegalStateException("a test");
    var sent =
        flux(subscriber ->
                subscriber.onSubscribe(
                    new Subscription() {
                      @Override
                      public void request(long n) {}

                      @Override
                      public void cancel() {
                        throw mine;
                      }
                    }))
            .subscribe();
    assertEquals(mine, assertThrows(IllegalStateException.class, sent::dispose));
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(11), limiter.estimateWait(1), "lost");
  }

  @Test
  void aPublisherThatNeverBeginsMayBeCancelled() {
    flux(subscriber -> {}).subscribe().dispose();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(11), limiter.estimateWait(1));
  }
}
