package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A plain cost other than 1 that no limit of a request counts is an error, whatever the verb. Each
 * verb gets a fresh limiter, so that no request waits.
 */
class UncountedCostTest {

  private static final Duration LONG = Duration.ofSeconds(1);

  /** A method that takes a plain cost. */
  @FunctionalInterface
  interface Verb {
    void ask(Limiter limiter, long cost) throws Exception;
  }

  private static final Map<String, Verb> VERBS = new LinkedHashMap<>();

  static {
    VERBS.put("acquire(long)", Limiter::acquire);
    VERBS.put("acquire(Cost)", (l, n) -> l.acquire(Cost.of(n)));
    VERBS.put("acquireUninterruptibly(long)", Limiter::acquireUninterruptibly);
    VERBS.put("acquireUninterruptibly(Cost)", (l, n) -> l.acquireUninterruptibly(Cost.of(n)));
    VERBS.put("tryAcquire(long)", (l, n) -> assertTrue(l.tryAcquire(n).isPresent()));
    VERBS.put("tryAcquire(Cost)", (l, n) -> assertTrue(l.tryAcquire(Cost.of(n)).isPresent()));
    VERBS.put("tryAcquire(long, Duration)", (l, n) -> l.tryAcquire(n, LONG));
    VERBS.put("tryAcquire(Cost, Duration)", (l, n) -> l.tryAcquire(Cost.of(n), LONG));
    VERBS.put("tryAcquireUpTo", (l, n) -> assertTrue(l.tryAcquireUpTo(n).isPresent()));
    VERBS.put("poll", (l, n) -> l.poll(Cost.of(n)));
    VERBS.put("acquireAsync(long)", (l, n) -> done(l.acquireAsync(n)));
    VERBS.put("acquireAsync(Cost)", (l, n) -> done(l.acquireAsync(Cost.of(n))));
    VERBS.put("acquireAsync(long, Duration)", (l, n) -> done(l.acquireAsync(n, LONG)));
    VERBS.put("acquireAsync(Cost, Duration)", (l, n) -> done(l.acquireAsync(Cost.of(n), LONG)));
    VERBS.put(
        "acquireAsync(Cost, Executor, Consumer)",
        (l, n) -> done(l.acquireAsync(Cost.of(n), Runnable::run, permit -> {})));
    VERBS.put("call(long)", (l, n) -> l.call(n, () -> "done"));
    VERBS.put("call(Cost)", (l, n) -> l.call(Cost.of(n), () -> "done"));
    VERBS.put("call(long, Duration)", (l, n) -> l.call(n, LONG, () -> "done"));
    VERBS.put("call(Cost, Duration)", (l, n) -> l.call(Cost.of(n), LONG, () -> "done"));
    VERBS.put("run(long)", (l, n) -> l.run(n, () -> {}));
    VERBS.put("run(Cost)", (l, n) -> l.run(Cost.of(n), () -> {}));
    VERBS.put("callAsync(long)", (l, n) -> done(l.callAsync(n, UncountedCostTest::answer)));
    VERBS.put(
        "callAsync(Cost)", (l, n) -> done(l.callAsync(Cost.of(n), UncountedCostTest::answer)));
    VERBS.put(
        "callAsync(Cost, Duration)",
        (l, n) -> done(l.callAsync(Cost.of(n), LONG, UncountedCostTest::answer)));
    VERBS.put("estimateWait(long)", Limiter::estimateWait);
    VERBS.put("estimateWait(Cost)", (l, n) -> l.estimateWait(Cost.of(n)));
    VERBS.put("bottleneck", (l, n) -> l.bottleneck(Cost.of(n)));
    VERBS.put("requireCounted", (l, n) -> l.requireCounted(Cost.of(n)));
  }

  private static CompletableFuture<String> answer() {
    return CompletableFuture.completedFuture("answer");
  }

  private static void done(CompletableFuture<?> future) {
    assertTrue(future.isDone());
    future.join();
  }

  // ---- the limiters

  /** Makes a limiter whose requests must keep some limits, which the name tells. */
  private record Subject(String name, Supplier<Limiter> maker) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Limiter.Builder builder(String limit) {
    return Limiter.builder(limit).time(ManualTime.manual()).executor(Runnable::run);
  }

  private static Subject limiter(String limit) {
    return new Subject(limit, () -> builder(limit).build());
  }

  private static Subject lane(String limit) {
    return new Subject("a lane of " + limit, () -> withLane(limit).lane("bulk"));
  }

  private static Limiter withLane(String limit) {
    return builder(limit).lane("bulk", Share.weight(1).reserving(30)).build();
  }

  private static Subject key(String perKey, String within) {
    return new Subject(perKey + " per key within " + within, () -> keyOf(perKey, within));
  }

  private static Limiter keyOf(String perKey, String within) {
    return KeyedLimiter.builder(perKey)
        .within(builder(within).build())
        .<String>build()
        .limiter("a");
  }

  private static Subject keyOfItsOwn(String own, String perKey, String within) {
    return new Subject(
        own + " for the key, " + perKey + " for others within " + within,
        () -> {
          Limiter key = keyOf(perKey, within);
          key.setLimit(own);
          return key;
        });
  }

  private static Subject keyInALane(String perKey, String within) {
    return new Subject(
        perKey + " per key within a lane of " + within,
        () ->
            KeyedLimiter.builder(perKey)
                .within(withLane(within).lane("bulk"))
                .<String>build()
                .limiter("a"));
  }

  static Stream<Subject> limitersThatCountNoPlainCost() {
    return Stream.of(
        limiter("spacing(100ms)"),
        limiter("peer(spacing(100ms))"),
        limiter("concurrent(40)"),
        limiter("90000/1m of tokens"),
        limiter("peer(90000/1m of tokens)"),
        limiter("concurrent(1000) of mb"),
        limiter("spacing(100ms) & 90000/1m of tokens & concurrent(40)"),
        limiter("unlimited & spacing(100ms)"),
        lane("concurrent(40)"),
        lane("90000/1m of tokens & concurrent(40)"),
        key("spacing(100ms)", "unlimited"),
        key("spacing(100ms)", "concurrent(40)"),
        key("unlimited", "concurrent(40)"),
        keyOfItsOwn("spacing(50ms)", "spacing(100ms)", "concurrent(40)"),
        keyInALane("spacing(100ms)", "concurrent(40)"));
  }

  static Stream<Subject> limitersThatTakePlainCosts() {
    return Stream.of(
        limiter("1000/1s"),
        limiter("peer(1000/1s)"),
        limiter("bucket(1000/1s, burst=100)"),
        limiter("fixed(1000/1s)"),
        limiter("warmup(1000/1s, over=1s)"),
        limiter("spacing(1ms) & 1000/1s"),
        limiter("90000/1m of tokens & 1000/1s"),
        limiter("unlimited"),
        lane("1000/1s & concurrent(40)"),
        key("unlimited", "unlimited"),
        key("1000/1s", "unlimited"),
        key("1000/1s", "concurrent(40)"),
        key("spacing(1ms)", "1000/1s"),
        keyOfItsOwn("1000/1s", "spacing(1ms)", "concurrent(40)"),
        keyInALane("spacing(1ms)", "1000/1s"));
  }

  private static Stream<Subject> allLimiters() {
    return Stream.concat(limitersThatCountNoPlainCost(), limitersThatTakePlainCosts());
  }

  // ---- the rule

  private static void eachVerb(Subject subject, BiTest test) {
    assertAll(
        VERBS.entrySet().stream()
            .map(verb -> () -> test.of(verb.getKey(), verb.getValue(), subject.maker.get())));
  }

  private interface BiTest {
    void of(String name, Verb verb, Limiter limiter) throws Throwable;
  }

  @ParameterizedTest
  @MethodSource("limitersThatCountNoPlainCost")
  void eachVerbRefusesACostThatNoLimitCounts(Subject subject) {
    eachVerb(
        subject,
        (name, verb, limiter) -> {
          assertThrows(IllegalArgumentException.class, () -> verb.ask(limiter, 2), name);
          assertThrows(
              IllegalArgumentException.class, () -> verb.ask(limiter, Long.MAX_VALUE), name);
          assertEquals(0, limiter.snapshot().granted(), name + " charges nothing");
          assertEquals(0, limiter.snapshot().waiting(), name + " queues nothing");
        });
  }

  @ParameterizedTest
  @MethodSource("allLimiters")
  void eachVerbTakesACostOfOne(Subject subject) {
    eachVerb(subject, (name, verb, limiter) -> assertDoesNotThrow(take(verb, limiter, 1), name));
  }

  /** It asks for nothing that would have to be counted, and is a call like any other. */
  @ParameterizedTest
  @MethodSource("allLimiters")
  void eachVerbTakesACostOfZero(Subject subject) {
    eachVerb(
        subject,
        (name, verb, limiter) -> {
          if (!name.equals("tryAcquireUpTo")) {
            assertDoesNotThrow(take(verb, limiter, 0), name);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("limitersThatTakePlainCosts")
  void eachVerbTakesACostThatALimitCounts(Subject subject) {
    eachVerb(subject, (name, verb, limiter) -> assertDoesNotThrow(take(verb, limiter, 3), name));
  }

  private static Executable take(Verb verb, Limiter limiter, long cost) {
    return () -> verb.ask(limiter, cost);
  }
}
