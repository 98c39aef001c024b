package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys in use and keys with limits of their own take room, each once. */
class KeyRoomTest {

  private static final int MOST = 3;
  private static final String COMMON = "1/10ms";
  private static final String OWN = "2/10ms";

  private final ManualTime time = ManualTime.manual();

  private KeyedLimiter<Integer> keyed() {
    return KeyedLimiter.builder(COMMON)
        .maxKeys(MOST)
        .time(time)
        .executor(Runnable::run)
        .name("api")
        .build();
  }

  private void rest() {
    time.advance(Duration.ofSeconds(1));
  }

  @Test
  void limitsOfSingleKeysAreNoMoreThanMaxKeys() {
    KeyedLimiter<Integer> keyed = keyed();
    IntStream.range(0, MOST).forEach(key -> keyed.limiter(key).setLimit(OWN));
    Limiter more = keyed.limiter(MOST);
    String message =
        assertThrows(TooManyKeysException.class, () -> more.setLimit(OWN)).getMessage();
    assertEquals("limiter api: there are 3 keys already", message);
    assertEquals(COMMON, more.limit().toString());
    assertTrue(more.tryAcquire().isEmpty());
    keyed.limiter(0).setLimit(COMMON);
    more.setLimit(OWN);
    assertEquals(MOST, keyed.size());
  }

  @Test
  void thereIsAlwaysRoomForAKeyWithALimitOfItsOwn() {
    KeyedLimiter<Integer> keyed = keyed();
    keyed.limiter(9).setLimit(OWN);
    IntStream.range(0, MOST).forEach(keyed::tryAcquire);
    assertTrue(keyed.tryAcquire(9).isPresent());
    assertTrue(keyed.tryAcquire(MOST).isEmpty());
  }

  /** Plays at random; {@code own} has the keys that have limits of their own. */
  private void play(KeyedLimiter<Integer> keyed, Set<Integer> own, SplittableRandom random) {
    int key = random.nextInt(6);
    switch (random.nextInt(4)) {
      case 0 -> {
        if (set(keyed, key)) {
          own.add(key);
        }
      }
      case 1 -> {
        keyed.limiter(key).setLimit(COMMON);
        own.remove(key);
      }
      case 2 -> keyed.tryAcquire(key);
      default -> rest();
    }
  }

  private static boolean set(KeyedLimiter<Integer> keyed, int key) {
    try {
      keyed.limiter(key).setLimit(OWN);
      return true;
    } catch (TooManyKeysException full) {
      assertEquals(MOST, keyed.size());
      return false;
    }
  }

  @Test
  void aKeyTakesRoomWhileItIsInUseOrHasALimitOfItsOwn() {
    Seeds.forEach(
        1_000,
        random -> {
          KeyedLimiter<Integer> keyed = keyed();
          var own = new HashSet<Integer>();
          for (int i = 0; i < 60; i++) {
            play(keyed, own, random);
            assertTrue(keyed.size() <= MOST && keyed.size() >= own.size());
          }
          rest();
          assertEquals(own.size(), keyed.size());
        });
  }

  @Test
  void threadsThatComeTogetherLeaveTheRoomAsItWas() throws Exception {
    KeyedLimiter<Integer> keyed = keyed();
    List<Thread> threads =
        IntStream.range(0, 3)
            .mapToObj(
                seed -> {
                  var random = new SplittableRandom(seed);
                  return new Thread(
                      () -> {
                        for (int i = 0; i < 20_000; i++) {
                          crowd(keyed, random);
                        }
                      });
                })
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    IntStream.range(0, 6).forEach(key -> keyed.limiter(key).setLimit(COMMON));
    rest();
    assertEquals(0, keyed.size());
  }

  private void crowd(KeyedLimiter<Integer> keyed, SplittableRandom random) {
    int key = random.nextInt(6);
    switch (random.nextInt(4)) {
      case 0 -> {
        try {
          keyed.limiter(key).setLimit(OWN);
        } catch (TooManyKeysException full) {
          Thread.onSpinWait(); // the others make room
        }
      }
      case 1 -> keyed.limiter(key).setLimit(COMMON);
      case 2 -> keyed.tryAcquire(key);
      default -> time.advance(Duration.ofMillis(20));
    }
  }
}
