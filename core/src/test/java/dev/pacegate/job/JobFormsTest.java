package dev.pacegate.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Job;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Task;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Jobs in every form in which they are written: that this compiles is most of the test. */
class JobFormsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter =
      Limiter.builder("1000/1s & concurrent(1000)").time(time).executor(Runnable::run).build();
  private final List<String> done = new ArrayList<>();

  private static String pure() {
    return "pure";
  }

  private static String overloaded() {
    return "overloaded";
  }

  @SuppressWarnings("unused")
  private static String overloaded(int other) {
    return "other";
  }

  private static int number() {
    return 7;
  }

  private static String sends() throws IOException {
    return "sent";
  }

  private void acts() throws IOException {
    done.add("acted");
  }

  private Permit onlyPermit() {
    return limiter.tryAcquire(1).orElseThrow();
  }

  @Test
  void lambdas() throws InterruptedException {
    assertEquals("pure", limiter.call(() -> pure()));
    String block =
        limiter.call(
            () -> {
              String text = "block";
              return text;
            });
    assertEquals("block", block);
    int primitive = limiter.call(() -> number());
    assertEquals(7, primitive);
    List<String> inferred = limiter.call(() -> new ArrayList<>());
    assertEquals(List.of(), inferred);
    Class<? extends Number> wild = limiter.call(() -> Integer.class);
    assertEquals(Integer.class, wild);
    assertThrows(
        ArithmeticException.class,
        () ->
            limiter.call(
                () -> {
                  throw new ArithmeticException();
                }));
  }

  @Test
  void methodReferences() throws InterruptedException, IOException {
    assertEquals("pure", limiter.call(JobFormsTest::pure));
    String overloaded = limiter.call(JobFormsTest::overloaded);
    assertEquals("overloaded", overloaded);
    int primitive = limiter.call(JobFormsTest::number);
    assertEquals(7, primitive);
    assertEquals("sent", limiter.call(JobFormsTest::sends));
    limiter.run(this::acts);
    limiter.run(done::clear);
    limiter.run(JobFormsTest::pure);
    assertEquals(List.of(), done);
  }

  /** That this method throws nothing else is what {@link Job} is for. */
  @Test
  void exceptionsThatAreChecked() throws InterruptedException {
    try {
      assertEquals("sent", limiter.call(() -> sends()));
      limiter.run(() -> acts());
      String either =
          limiter.call(
              () -> {
                if (done.isEmpty()) {
                  throw new FileNotFoundException();
                }
                acts();
                return "either";
              });
      assertEquals("either", either);
    } catch (IOException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Test
  void variables() throws Exception {
    Callable<String> callable = () -> sends();
    Supplier<String> supplier = () -> pure();
    Runnable runnable = () -> done.add("ran");
    Job<String, IOException> job = () -> sends();
    Task<IOException> task = this::acts;

    assertEquals("sent", limiter.call(callable));
    assertEquals("pure", limiter.call(supplier));
    assertEquals("sent", limiter.call(job));
    limiter.run(runnable);
    limiter.run(task);
    assertEquals("sent", limiter.call(2, callable::call));
    assertEquals("pure", limiter.call(2, supplier::get));
    limiter.run(2, runnable::run);

    assertEquals(List.of("ran", "acted", "ran"), done);
    assertEquals(8, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void jobsOfSubclasses() throws InterruptedException {
    Supplier<Integer> supplier = () -> 1;
    Number number = limiter.call(supplier);
    assertEquals(1, number);
    Supplier<? extends Number> wild = supplier;
    Number other = limiter.call(wild);
    assertEquals(1, other);
  }

  @Test
  void jobsWithoutAnything() throws InterruptedException {
    Supplier<@Nullable String> nothing = () -> null;
    assertNull(limiter.call(nothing));
  }

  @Test
  void costs() throws InterruptedException {
    assertEquals("pure", limiter.call(5, () -> pure()));
    assertEquals("pure", limiter.call(Cost.of(5), () -> pure()));
    limiter.run(5, () -> done.add("ran"));
    limiter.run(Cost.of(5), () -> done.add("ran"));
    assertEquals("x", limiter.callAsync(5, () -> stage("x")).join());
    assertEquals(975, permitUpTo(1000).cost().amount());
  }

  private Permit permitUpTo(long max) {
    return limiter.tryAcquireUpTo(max).orElseThrow();
  }

  private static CompletableFuture<String> stage(String answer) {
    return CompletableFuture.completedFuture(answer);
  }

  @Test
  void longestWaits() throws Exception {
    assertEquals("pure", limiter.call(SECOND, () -> pure()));
    assertEquals("x", limiter.callAsync(SECOND, () -> stage("x")).join());
    assertTrue(limiter.tryAcquire(SECOND).isPresent());
    assertTrue(limiter.acquireAsync(SECOND).isDone());
    limiter.pause();
    Duration none = Duration.ZERO;
    limiter.pauseFor(SECOND.multipliedBy(2));
    limiter.resume();
    limiter.pauseFor(SECOND.multipliedBy(2));
    assertThrows(WaitTooLongException.class, () -> limiter.call(SECOND, () -> pure()));
    assertTrue(limiter.tryAcquire(SECOND).isEmpty());
    var refused = assertThrows(ExecutionException.class, limiter.acquireAsync(none)::get);
    assertInstanceOf(WaitTooLongException.class, refused.getCause());
    refused = assertThrows(ExecutionException.class, limiter.callAsync(none, () -> stage(""))::get);
    assertInstanceOf(WaitTooLongException.class, refused.getCause());
  }

  @Test
  void aFailureOfAVariableEndsThePermitAsThatOfALambda() {
    Callable<String> refused =
        () -> {
          throw new ConnectException();
        };
    assertThrows(ConnectException.class, () -> limiter.call(refused));
    Supplier<String> fails =
        () -> {
          throw new CompletionException(new ConnectException());
        };
    assertThrows(CompletionException.class, () -> limiter.call(fails));
    assertEquals(0, limiter.snapshot().open());
  }

  // ---- decorated

  @Test
  void decorated() throws Exception {
    Callable<String> callable = limiter.decorateCallable(() -> sends());
    Supplier<String> supplier = limiter.decorateSupplier(() -> pure());
    Runnable runnable = limiter.decorateRunnable(() -> done.add("ran"));
    Function<String, Integer> length = limiter.decorateFunction(String::length);

    assertEquals(0, limiter.snapshot().granted());
    assertEquals("sent", callable.call());
    assertEquals("pure", supplier.get());
    runnable.run();
    assertEquals(List.of(1, 2), List.of("a", "bb").stream().map(length).toList());
    assertEquals(List.of("ran"), done);
    assertEquals(5, limiter.snapshot().granted());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void anInterruptOfWhatMayNotThrowIt() {
    Supplier<String> supplier = limiter.decorateSupplier(() -> pure());
    Runnable runnable = limiter.decorateRunnable(done::clear);
    Function<String, String> function = limiter.decorateFunction(text -> text);
    assertInterrupted(supplier::get);
    assertInterrupted(runnable::run);
    assertInterrupted(() -> function.apply("x"));
    assertEquals(0, limiter.snapshot().granted());
  }

  private static void assertInterrupted(Executable form) {
    Thread.currentThread().interrupt();
    var failure = assertThrows(CompletionException.class, form);
    assertInstanceOf(InterruptedException.class, failure.getCause());
    assertTrue(Thread.interrupted());
  }

  @Test
  void aJobIsACallableAndASupplierAndATaskIsARunnable() throws Exception {
    Job<String, IOException> job = () -> "job";
    assertEquals("job", job.get());
    var checked = new IOException();
    Job<String, IOException> fails =
        () -> {
          throw checked;
        };
    assertSame(checked, assertThrows(CompletionException.class, fails::get).getCause());
    assertSame(checked, assertThrows(IOException.class, fails::call));
    Task<IOException> task =
        () -> {
          throw checked;
        };
    assertSame(checked, assertThrows(CompletionException.class, task::run).getCause());
  }

  @Test
  void aPermitTellsWhatItCosts() {
    Permit permit = onlyPermit();
    assertEquals(Cost.of(1), permit.cost());
    permit.settle(3);
    assertEquals(Cost.of(3), permit.cost());
    permit.answered();
    assertEquals(Cost.ONE, Limiter.of("1/1s").tryAcquire().orElseThrow().cost());
  }
}
