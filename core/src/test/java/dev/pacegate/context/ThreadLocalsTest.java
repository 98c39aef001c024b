package dev.pacegate.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.time.ManualTime;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever runs a job, with or without a wait, runs it with the thread-locals of the caller, all of
 * them and no others, and leaves the worker's as they were: the table of {@code docs/contexts.md}.
 */
@Timeout(60)
class ThreadLocalsTest {

  private static final Path PAGE = Path.of("..", "docs", "contexts.md");

  /**
   * @param waits whether the job must wait
   * @param carries whether the pool carries contexts itself, as from the thread that hands over
   * @param micrometer whether Micrometer is used, which is found, or what a program gives
   * @param caller what the caller has; null if nothing
   */
  record Case(
      Verb verb, boolean waits, boolean carries, boolean micrometer, @Nullable String caller) {

    @Override
    public String toString() {
      return verb
          + (waits ? ", after a wait" : ", without a wait")
          + (carries ? ", on a pool that carries" : "")
          + (micrometer ? "" : ", by one line")
          + (caller == null ? ", nothing" : "");
    }
  }

  static List<Case> cases() {
    List<Boolean> either = List.of(true, false);
    var cases = new ArrayList<Case>();
    for (Verb verb : Verb.all()) {
      for (boolean waits : either) {
        for (boolean carries : either) {
          for (boolean micrometer : either) {
            cases.add(new Case(verb, waits, carries, micrometer, "caller"));
            cases.add(new Case(verb, waits, carries, micrometer, null));
          }
        }
      }
    }
    return cases;
  }

  private final ManualTime time = ManualTime.manual();
  private final ExecutorService pool = Executors.newSingleThreadExecutor();
  private final CompletableFuture<String> seen = new CompletableFuture<>();

  @AfterEach
  void stop() {
    pool.shutdownNow();
    ThreadContexts.enter(null);
  }

  private Limiter limiter(boolean micrometer, ExecutorService executor) {
    Limiter.Builder options = Limiter.builder("1/1s").time(time).executor(executor);
    return (micrometer ? options : options.context(ThreadContexts.inOneLine())).build();
  }

  /** Returns what the job of a case sees. */
  @SuppressWarnings("ThreadPriorityCheck") // lets the caller join the queue
  private String seen(Case each) throws Exception {
    pool.submit(() -> ThreadContexts.enter("worker")).get();
    ThreadContexts.enter("other"); // the thread that moves the clock
    ExecutorService executor = each.carries ? carrying(pool) : pool;
    Limiter limiter = limiter(each.micrometer, executor);
    if (each.waits) {
      limiter.acquire();
    }
    Thread caller = new Thread(() -> call(each, limiter, executor));
    caller.setDaemon(true);
    caller.start();
    while (each.waits && limiter.snapshot().waiting() == 0 && !seen.isDone()) {
      Thread.yield();
    }
    time.advance(Duration.ofSeconds(1));
    return seen.get(50, SECONDS);
  }

  private void call(Case each, Limiter limiter, ExecutorService executor) {
    ThreadContexts.enter(each.caller);
    try {
      each.verb.use().of(limiter, executor, this::look);
    } catch (Throwable failure) {
      seen.completeExceptionally(failure);
    }
  }

  private String look() {
    seen.complete(ThreadContexts.here());
    return "seen";
  }

  private static ExecutorService carrying(ExecutorService pool) {
    ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();
    return ContextExecutorService.wrap(pool, snapshots::captureAll);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void aJobSeesTheThreadLocalsOfItsCaller(Case each) throws Exception {
    assertEquals(ThreadContexts.of(each.caller), seen(each));
    assertEquals(ThreadContexts.of("worker"), pool.submit(ThreadContexts::here).get());
  }

  /** Each message is passed with the context of its own sender, several in one turn too. */
  @Test
  void eachMessageHasTheContextOfItsSender() throws Exception {
    var all = new ArrayList<String>();
    Limiter limiter = Limiter.builder("100/1s").time(time).build();
    try (var throttler = Throttler.<String>builder(limiter).executor(pool).build()) {
      for (String sender : List.of("a", "b", "c")) {
        ThreadContexts.enter(sender);
        throttler.send(sender);
      }
      throttler.target(message -> all.add(message + ": " + ThreadContexts.here()));
      throttler.drain(Duration.ofSeconds(50));
    }
    assertEquals(
        Stream.of("a", "b", "c").map(name -> name + ": " + ThreadContexts.of(name)).toList(), all);
  }

  /** Tasks take each other's places in the limiter's queue, and keep their own contexts. */
  @Test
  void eachTaskHasTheContextOfItsSubmitter() throws Exception {
    Limiter limiter = Limiter.builder("2/1s").time(time).build();
    limiter.acquire(2);
    var paced = ThrottledExecutorService.of(limiter, pool);
    var first = submitted(paced, "a");
    var second = submitted(paced, "b");
    var third = submitted(paced, "c");
    first.cancel(false);
    ThreadContexts.enter("other");
    time.advance(Duration.ofSeconds(1));
    assertEquals(ThreadContexts.of("b"), second.get(50, SECONDS));
    assertEquals(ThreadContexts.of("c"), third.get(50, SECONDS));
  }

  private static Future<String> submitted(ExecutorService paced, String submitter) {
    ThreadContexts.enter(submitter);
    return paced.submit(ThreadContexts::here);
  }

  @Test
  void nothingIsCarriedWhereAProgramHasNoMicrometer() {
    var withoutLibraries = new ClassLoader(null) {};
    assertSame(ContextPropagator.none(), MicrometerContext.in(withoutLibraries));
  }

  /** To switch it off. */
  @Test
  void aPropagatorThatDoesNothingCarriesNothing() throws Exception {
    pool.submit(() -> ThreadContexts.enter("worker")).get();
    Limiter limiter = Limiter.builder("1/1s").time(time).context(ContextPropagator.none()).build();
    limiter.acquire();
    var paced = ThrottledExecutorService.of(limiter, pool);
    var task = submitted(paced, "caller");
    time.advance(Duration.ofSeconds(1));
    assertEquals(ThreadContexts.of("worker"), task.get(50, SECONDS));
  }

  @Test
  void thePageHasTheRowsOfThisTest() throws IOException {
    Set<String> rows =
        Verb.all().stream()
            .map(
                verb ->
                    "| "
                        + verb.row()
                        + " | MDC, security, other thread-locals | kept | kept |"
                        + " [ThreadLocalsTest](../core/src/test/java/dev/pacegate/context/"
                        + "ThreadLocalsTest.java) |")
            .collect(Collectors.toCollection(LinkedHashSet::new));
    Set<String> ofPage =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| ") && line.contains("](../core/"))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    assertEquals(rows, ofPage);
  }
}
