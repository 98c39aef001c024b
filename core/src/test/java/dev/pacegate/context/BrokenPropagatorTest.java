package dev.pacegate.context;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A context propagator is code of the user: whatever it does, no permit and no waiter is left, and
 * a request that was not sent is not counted.
 */
@Timeout(60)
class BrokenPropagatorTest {

  private final IllegalStateException broken = new IllegalStateException("thrown by a test");

  /** As the peer counts, so that a permit that does not end as not sent shows in the next wait. */
  private static final String LIMIT = "peer(1/1s, margin=0s, unanswered=10s)";

  private final ManualTime time = ManualTime.manual();
  private final AtomicInteger captures = new AtomicInteger();
  private int jobs;

  private Limiter limiter(ContextPropagator propagator) {
    return Limiter.builder(LIMIT)
        .time(time)
        .executor(Runnable::run)
        .context(
            job -> {
              captures.incrementAndGet();
              return propagator.wrap(job);
            })
        .build();
  }

  private CompletableFuture<String> job() {
    jobs++;
    return CompletableFuture.completedFuture("done");
  }

  /** A way to run a job; its result is that of the job, or the failure that the caller learns. */
  private interface Way {
    Future<String> start(Limiter limiter, BrokenPropagatorTest test) throws Exception;
  }

  private static Future<String> submitted(Limiter limiter, BrokenPropagatorTest test) {
    var paced = ThrottledExecutorService.of(limiter, Runnable::run);
    return paced.submit(() -> test.job().join());
  }

  private static Future<String> sent(Limiter limiter, BrokenPropagatorTest test)
      throws InterruptedException {
    var result = new CompletableFuture<String>();
    Throttler<String> throttler =
        Throttler.<String>builder(limiter)
            .executor(Runnable::run)
            .onFailure((message, failure) -> result.completeExceptionally(failure))
            .build();
    throttler.targetAsync(
        message -> {
          CompletableFuture<String> done = test.job();
          result.complete(done.join());
          return done;
        });
    throttler.send("message");
    return result;
  }

  private static final List<Arguments> WAYS =
      List.of(
          Arguments.of("callAsync", (Way) (limiter, test) -> limiter.callAsync(test::job)),
          Arguments.of("submit", (Way) BrokenPropagatorTest::submitted),
          Arguments.of("send", (Way) BrokenPropagatorTest::sent));

  private static Stream<Arguments> times(List<Arguments> propagators) {
    return WAYS.stream()
        .flatMap(
            way ->
                propagators.stream()
                    .map(
                        each ->
                            Arguments.of(
                                way.get()[0], each.get()[0], way.get()[1], each.get()[1])));
  }

  private static Arguments of(String name, ContextPropagator propagator) {
    return Arguments.of(name, propagator);
  }

  // ---- before the job

  private static Runnable fail() {
    throw new IllegalStateException("thrown by a test");
  }

  @SuppressWarnings("NullAway") // as programs that do not check
  static Stream<Arguments> captureFails() {
    return times(
        List.of(
            of("throws", job -> fail()),
            of("returns null", job -> null),
            of("runs the job", job -> run(job))));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("captureFails")
  void aRequestWhoseContextCannotBeCapturedFailsAndLeavesNothing(
      String way, String propagator, Way start, ContextPropagator broken) throws Exception {
    Limiter limiter = limiter(broken);
    limiter.acquire().answered();
    assertThrows(Exception.class, () -> start.start(limiter, this).get(50, SECONDS));
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(Duration.ofSeconds(1));
    assertNothingIsCounted(limiter);
  }

  private void assertNothingIsCounted(Limiter limiter) {
    assertEquals(0, jobs);
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  static Stream<Arguments> jobsThatAreNotRun() {
    return times(
        List.of(
            of("throws before", job -> BrokenPropagatorTest::fail),
            of("does not run it", job -> () -> {}),
            of("runs it on another thread", job -> () -> CompletableFuture.runAsync(job).join())));
  }

  private static Runnable run(Runnable job) {
    job.run();
    return job;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("jobsThatAreNotRun")
  void aRequestWhoseJobIsNotRunFailsAndIsNotCounted(
      String way, String propagator, Way start, ContextPropagator broken) throws Exception {
    Limiter limiter = limiter(broken);
    limiter.acquire().answered();
    var failure = assertThrows(Exception.class, () -> waited(limiter, start));
    Throwable cause = failure instanceof ExecutionException ? failure.getCause() : failure;
    assertTrue(
        Stream.iterate(cause, each -> each != null, Throwable::getCause)
            .anyMatch(IllegalStateException.class::isInstance),
        failure::toString);
    assertNothingIsCounted(limiter);
  }

  private String waited(Limiter limiter, Way start) throws Exception {
    Future<String> result = start.start(limiter, this);
    time.advance(Duration.ofSeconds(1));
    return result.get(50, SECONDS);
  }

  // ---- after the job

  static Stream<Arguments> troubleAfterTheJob() {
    return times(
        List.of(
            of("throws after", job -> () -> runAndFail(job)),
            of("runs it twice", job -> () -> run(run(job)))));
  }

  private static void runAndFail(Runnable job) {
    job.run();
    fail();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("troubleAfterTheJob")
  void theResultOfAJobThatHasRunCounts(
      String way, String propagator, Way start, ContextPropagator broken) throws Exception {
    Limiter limiter = limiter(broken);
    limiter.acquire().answered();
    assertEquals("done", waited(limiter, start));
    assertEquals(1, jobs);
    assertEquals(0, limiter.snapshot().open());
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(1));
  }

  /** A propagator that keeps the job's exception to itself does not make a failure a success. */
  @Test
  void theFailureOfAJobCountsWhateverThePropagatorCatches() throws Exception {
    Limiter limiter = limiter(job -> () -> swallow(job));
    limiter.acquire().answered();
    var result =
        limiter.callAsync(
            () -> {
              throw broken;
            });
    time.advance(Duration.ofSeconds(1));
    var failure = assertThrows(ExecutionException.class, () -> result.get(50, SECONDS));
    assertSame(broken, failure.getCause());
    assertEquals(0, limiter.snapshot().open());
  }

  private void swallow(Runnable job) {
    try {
      job.run();
    } catch (RuntimeException swallowed) {
      assertSame(broken, swallowed);
    }
  }

  // ---- when it is called

  @Test
  void aCallThatNeedNotWaitCapturesNothing() {
    Limiter limiter = limiter(job -> job);
    assertEquals("done", limiter.callAsync(this::job).join());
    assertEquals(0, captures.get());
    limiter.callAsync(this::job).cancel(false);
    assertEquals(1, captures.get());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void aRequestThatWaitsCapturesOnce(String name, Way start) throws Exception {
    Limiter limiter = limiter(job -> job);
    limiter.acquire().answered();
    assertEquals("done", waited(limiter, start));
    assertEquals(1, captures.get());
  }

  static List<Arguments> ways() {
    return WAYS;
  }

  /** Nothing is captured inside the gate: the limiter can be used there, by another thread too. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void theLimiterCanBeUsedWhileAContextIsCaptured(String name, Way start) throws Exception {
    var limiters = new ArrayList<Limiter>();
    Limiter limiter =
        limiter(
            job -> {
              Limiter same = limiters.get(0);
              assertTrue(CompletableFuture.supplyAsync(same::tryAcquire).join().isEmpty());
              return job;
            });
    limiters.add(limiter);
    limiter.acquire().answered();
    assertEquals("done", waited(limiter, start));
  }

  /** The permit comes while the context is captured, and then there is none. */
  @Test
  void aPermitThatComesBeforeTheCaptureFailsIsGivenBack() throws Exception {
    Limiter limiter =
        limiter(
            job -> {
              time.advance(Duration.ofSeconds(1));
              throw broken;
            });
    limiter.acquire().answered();
    CompletableFuture<String> result = limiter.callAsync(this::job);
    assertTrue(result.isCompletedExceptionally());
    assertNothingIsCounted(limiter);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ways")
  void aCancelledRequestRunsNothing(String name, Way start) throws Exception {
    Limiter limiter = limiter(job -> job);
    limiter.acquire().answered();
    Future<String> result = start.start(limiter, this);
    boolean leaves = !name.equals("send"); // a message cannot be taken back
    assertTrue(result.cancel(true));
    assertEquals(leaves ? 0 : 1, limiter.snapshot().waiting());
    time.advance(Duration.ofSeconds(1));
    assertEquals(leaves ? 0 : 1, jobs);
    assertEquals(0, limiter.snapshot().open());
  }

  // ---- what has it

  @Test
  void lanesAndKeysHaveThatOfTheirLimiter() {
    ContextPropagator mine = job -> job;
    Limiter limiter = Limiter.builder("1/1s").context(mine).build();
    assertSame(mine, limiter.context());
    assertSame(mine, limiter.lane("default").context());
    KeyedLimiter<String> within = KeyedLimiter.builder("1/1s").within(limiter).build();
    assertSame(mine, within.limiter("key").context());
    KeyedLimiter<String> alone = KeyedLimiter.builder("1/1s").context(mine).build();
    assertSame(mine, alone.limiter("key").context());
    var refused =
        assertThrows(
            IllegalStateException.class,
            () -> KeyedLimiter.builder("1/1s").context(mine).within(limiter).build());
    assertTrue(requireNonNull(refused.getMessage()).startsWith("context belongs"));
  }

  @Test
  void theThreadHasItsFormerValueAfterAJobThatFails() {
    var value = new ThreadLocal<String>();
    ContextPropagator propagator = ContextPropagator.of(value::get, value::set, value::remove);
    value.set("caller");
    Runnable wrapped = propagator.wrap(BrokenPropagatorTest::fail);
    value.set("worker");
    assertThrows(IllegalStateException.class, wrapped::run);
    assertEquals("worker", value.get());
  }
}
