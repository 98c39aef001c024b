package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of keyed limiters. */
class KeyedLimiterBuilderTest {

  private final ManualTime time = ManualTime.manual();

  private KeyedLimiter.Builder builder(String perKey) {
    return KeyedLimiter.builder(perKey).time(time).executor(Runnable::run);
  }

  @Test
  void theOptionsOfALimiterAreThoseOfTheLimiterForAll() {
    var costs = new ArrayList<Cost>();
    KeyedLimiter<String> keyed =
        builder("2/1s")
            .within(Limits.parse("concurrent(3)"))
            .name("api")
            .stamped(true)
            .classifier(failure -> Outcome.NOT_SENT)
            .spin(Duration.ZERO)
            .listener(
                new LimiterListener() {
                  @Override
                  public void onRelease(Cost cost, long instant, long waited) {
                    costs.add(cost);
                  }
                })
            .build();
    assertEquals("api", keyed.all().name());
    assertEquals("concurrent(3)", keyed.all().limit().toString());
    assertEquals(time.nanoTime(), keyed.tryAcquire("a").orElseThrow().releasedAt());
    assertEquals(List.of(Cost.ONE), costs);
    assertThrows(
        IllegalStateException.class,
        () ->
            keyed.call(
                "a",
                () -> {
                  throw new IllegalStateException("of the job");
                }));
    assertEquals(1, keyed.all().snapshot().open());
  }

  @Test
  void itIsNamedByItsLimitsUnlessItIsNamed() {
    assertEquals("2/1s per key", KeyedLimiter.of("2/1s").all().name());
    KeyedLimiter<String> within = KeyedLimiter.builder("2/1s").within("9/1s").build();
    assertEquals("2/1s per key within 9/1s", within.all().name());
  }

  @Test
  void theCrowdOfOneKeyDoesNotRefuseAnother() {
    KeyedLimiter<String> keyed = builder("1/1s").maxWaitingPerKey(2).maxWaiting(4).build();
    for (String key : List.of("a", "b", "c")) {
      assertTrue(keyed.tryAcquire(key).isPresent());
    }
    for (String key : List.of("a", "a", "b")) {
      assertFalse(keyed.acquireAsync(key).isDone());
    }
    assertFull(keyed.acquireAsync("a"));
    assertFalse(keyed.acquireAsync("b").isDone());
    assertFull(keyed.acquireAsync("b"));
    assertFull(keyed.acquireAsync("c")); // four wait in all
    time.advance(Duration.ofSeconds(1));
    assertFalse(keyed.acquireAsync("a").isDone(), "one of its two has gone");
  }

  private static void assertFull(CompletableFuture<Permit> place) {
    var failure = assertThrows(CompletionException.class, place::join);
    assertInstanceOf(WaitQueueFullException.class, failure.getCause());
  }

  @Test
  void noCallerMayWaitForAKeyIfSoWanted() throws Exception {
    KeyedLimiter<String> keyed = builder("1/1s").maxWaitingPerKey(0).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    assertThrows(WaitQueueFullException.class, () -> keyed.acquire("a"));
    assertTrue(keyed.limiter("a").tryAcquire(Cost.ONE, Duration.ofMinutes(1)).isEmpty());
  }

  @Test
  void anOptionOfTheLimiterThatIsGivenIsRefused() {
    Limiter all = Limiter.of("9/1s");
    List<UnaryOperator<KeyedLimiter.Builder>> options =
        List.of(
            b -> b.time(time),
            b -> b.executor(Runnable::run),
            b -> b.name("api"),
            b -> b.listener(new LimiterListener() {}),
            b -> b.spin(Duration.ZERO),
            b -> b.stamped(true),
            b -> b.classifier(failure -> Outcome.LOST),
            b -> b.maxWaiting(3));
    for (UnaryOperator<KeyedLimiter.Builder> option : options) {
      KeyedLimiter.Builder builder = option.apply(KeyedLimiter.builder("1/1s")).within(all);
      assertThrows(IllegalStateException.class, builder::build);
      assertEquals("9/1s", builder.within("9/1s").build().all().limit().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  void boundsAreChecked(int bad) {
    KeyedLimiter.Builder builder = builder("1/1s");
    for (var wrong :
        List.<Runnable>of(
            () -> builder.maxKeys(bad),
            () -> builder.maxKeys(0),
            () -> builder.maxWaiting(bad),
            () -> builder.maxWaitingPerKey(bad))) {
      assertThrows(IllegalArgumentException.class, wrong::run);
    }
  }
}
