package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * With Reactor's automatic context propagation, what its context holds is in thread-locals wherever
 * code of the user's runs: above and below each operator, and in the functions that it calls.
 */
@Timeout(60)
class ThreadLocalsTest {

  private static final String KEY = "pacegate.user";
  private static final ThreadLocal<String> USER = new ThreadLocal<>();

  private final ManualTime time = ManualTime.manual();
  private final ExecutorService executor = Executors.newSingleThreadExecutor(); // knows no user
  private final ExecutorService peer = Executors.newSingleThreadExecutor();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

  @BeforeAll
  static void propagate() {
    ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, USER);
    Hooks.enableAutomaticContextPropagation();
  }

  @AfterAll
  static void propagateNoMore() {
    Hooks.disableAutomaticContextPropagation();
    ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
  }

  @AfterEach
  void close() {
    executor.shutdownNow();
    peer.shutdownNow();
    assertNull(USER.get(), "left behind");
  }

  static Set<String> operators() {
    return ContextOperators.names();
  }

  private String see(String where) {
    seen.add(where + " " + USER.get());
    return where;
  }

  /** The peer answers on a thread of its own; the request is a Mono that reads the user. */
  private CompletionStage<String> call(String sms) {
    return Mono.fromSupplier(() -> see("request"))
        .toFuture()
        .thenApplyAsync(Objects::requireNonNull, peer);
  }

  private Flux<String> source() {
    return Flux.generate(
        () -> 0,
        (count, sink) -> {
          see("above");
          if (count == 3) {
            sink.complete();
          } else {
            sink.next("function");
          }
          return count + 1;
        });
  }

  @ParameterizedTest
  @MethodSource("operators")
  void theUserIsThereWhereverCodeOfTheUserRuns(String name) throws InterruptedException {
    var over = new CountDownLatch(1);
    Operator<String, ?> operator =
        new ContextOperators(time, executor).operator(name, this::see, this::call);
    source()
        .transform(upstream -> Flux.from(operator.apply(Flux.from(upstream))))
        .doOnNext(element -> see("below"))
        .doFinally(end -> over.countDown())
        .contextWrite(Context.of(KEY, "ann"))
        .subscribe();
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      time.advance(Duration.ofSeconds(1));
    }
    assertTrue(seen.contains("above ann") && seen.contains("below ann"), seen::toString);
    assertEquals(List.of(), seen.stream().filter(where -> !where.endsWith(" ann")).toList());
  }

  @Test
  void theUserIsThereForASubscriberOfTheOperatorItself() throws InterruptedException {
    var over = new CountDownLatch(1);
    var subscriber =
        new BaseSubscriber<String>() {
          @Override
          protected void hookOnNext(String element) {
            see(Thread.currentThread().getName());
          }

          @Override
          protected void hookOnComplete() {
            over.countDown();
          }

          @Override
          public Context currentContext() {
            return Context.of(KEY, "ann");
          }
        };
    Limiter limiter = Limiter.builder("1/1s").time(time).executor(executor).build();
    limiter.tryAcquire();
    Pace.<String>throttle(limiter).apply(Flux.just("a", "b")).subscribe(subscriber);
    while (!over.await(1, TimeUnit.MILLISECONDS)) {
      time.advance(Duration.ofSeconds(1));
    }
    assertEquals(2, seen.size());
    assertEquals(List.of(), seen.stream().filter(where -> !where.endsWith(" ann")).toList());
  }

  @Test
  void theUserIsThereForACostOfAnElementFromAnotherLibrary() {
    var source = new ByHand<String>();
    Flux.from(
            Pace.<String>enforce(
                    Limiter.of("unlimited"),
                    element -> {
                      see(element);
                      return Cost.ONE;
                    })
                .apply(source))
        .contextWrite(Context.of(KEY, "ann"))
        .subscribe();
    source.send("cost");
    assertEquals(List.of("cost ann"), seen);
  }

  @Test
  void withoutAutomaticPropagationThreadLocalsAreLeftAlone() {
    Hooks.disableAutomaticContextPropagation();
    try {
      Limiter limiter = Limiter.builder("1/1s").time(time).executor(Runnable::run).build();
      Flux.just("a", "b")
          .transform(Pace.throttle(limiter))
          .doOnNext(this::see)
          .contextWrite(Context.of(KEY, "ann"))
          .subscribe();
      time.advance(Duration.ofSeconds(10));
      assertEquals(List.of("a null", "b null"), seen);
      assertFalse(Hooks.isAutomaticContextPropagationEnabled());
    } finally {
      Hooks.enableAutomaticContextPropagation();
    }
  }

  /** Code of the user's in the middle of ours: it must not cost a permit, nor stop a stream. */
  @ParameterizedTest
  @MethodSource("operators")
  void aThreadLocalThatCannotBeSetFailsTheStream(String name) {
    var armed = new AtomicBoolean();
    String broken = "pacegate.broken";
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor(
            broken,
            () -> null,
            value -> {
              if (armed.getAndSet(false)) { // later it can be set, as Reactor needs it to go on
                throw new IllegalStateException("on purpose");
              }
            },
            () -> {});
    try {
      Operator<String, ?> operator =
          new ContextOperators(time, Runnable::run)
              .operator(name, this::see, CompletableFuture::completedFuture);
      Flux.just("a", "b", "c")
          .transform(upstream -> Flux.from(operator.apply(Flux.from(upstream))))
          .contextWrite(Context.of(broken, "x"))
          .subscribe(element -> see("below"), failure -> see("failed"), () -> see("completed"));
      armed.set(true);
      time.advance(Duration.ofSeconds(10));
      assertTrue(String.join(",", seen).matches(".*(failed|completed) null"), seen::toString);
    } finally {
      ContextRegistry.getInstance().removeThreadLocalAccessor(broken);
    }
  }
}
