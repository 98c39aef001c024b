package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pauses of many keys, which one call ends. */
class ResumeOfAllKeysTest {

  /** More than are resumed in one visit. */
  private static final int KEYS = 1_050;

  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = ManualTime.manual();
  private final KeyedLimiter<Integer> keyed =
      KeyedLimiter.builder("2/1s").within("10000/1s").time(time).executor(Runnable::run).build();
  private final List<CompletableFuture<Permit>> waiting = new ArrayList<>();

  /** Whatever began the pause. */
  static Stream<Consumer<Limiter>> pauses() {
    return Stream.of(Limiter::pause, key -> key.pauseFor(HOUR), key -> key.peerRefused(HOUR));
  }

  private void pauseEach(Consumer<Limiter> pause) {
    for (int key = 0; key < KEYS; key++) {
      pause.accept(keyed.limiter(key));
      waiting.add(keyed.acquireAsync(key));
    }
    time.advance(Duration.ofSeconds(2));
    assertEquals(KEYS, keyed.all().snapshot().waiting());
  }

  private long done() {
    return waiting.stream().filter(CompletableFuture::isDone).count();
  }

  @ParameterizedTest
  @MethodSource("pauses")
  void oneCallResumesAllKeys(Consumer<Limiter> pause) {
    pauseEach(pause);
    keyed.all().resume();
    time.advance(Duration.ofSeconds(2)); // a key that the peer has refused goes evenly
    assertEquals(KEYS, done());
    for (int key = 0; key < KEYS; key++) {
      assertFalse(keyed.limiter(key).snapshot().paused(), "key " + key);
    }
  }

  @ParameterizedTest
  @MethodSource("pauses")
  void anotherLimitEndsNoPauseAndIsInForceAfterIt(Consumer<Limiter> pause) {
    pauseEach(pause);
    keyed.setLimit("1/1h");
    time.advance(Duration.ofMinutes(1));
    assertEquals(0, done());
    keyed.all().resume();
    time.advance(Duration.ofSeconds(2));
    assertEquals(KEYS, done());
    for (int key = 0; key < KEYS; key++) {
      assertEquals("1/1h", keyed.limiter(key).limit().toString());
      assertTrue(keyed.tryAcquire(key).isEmpty(), "key " + key);
    }
  }
}
