package dev.pacegate.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A visit asks few lanes, however many wait: a count of questions, not of time. */
class InnerWorkTest {

  private static final int FEW = 100;
  private static final int MANY = 10_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Keys that all wait, each with one request. */
  private static final class World implements AutoCloseable {
    final ManualTime time = ManualTime.manual();
    final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // of the limiter's executor
    final AtomicInteger granted = new AtomicInteger();
    int spent;
    final Limiter all;
    final KeyedLimiter<Integer> keys;

    World(String ofAll, String ofEach, int waiting) {
      this(Limiter.builder(ofAll), all -> all, ofEach, waiting);
    }

    /** Half of the limit is reserved for {@code vip}; the keys wait in {@code lane}. */
    static World reserved(String lane, int waiting) {
      Limiter.Builder builder = Limiter.builder("10/1h").lane("vip", new Share(1, 50));
      return new World(builder, all -> all.lane(lane), "1000/1s", waiting);
    }

    private World(
        Limiter.Builder builder, UnaryOperator<Limiter> lane, String ofEach, int waiting) {
      this.all = builder.time(time).executor(tasks::add).build();
      Limiter within = lane.apply(all);
      this.keys = KeyedLimiter.builder(ofEach).within(within).build();
      for (int i = 0; i < 10; i++) {
        spent += within.tryAcquire().isPresent() ? 1 : 0;
      }
      for (int key = 0; key < waiting; key++) {
        keys.tryAcquire(key);
        CompletableFuture<Permit> place = keys.acquireAsync(key);
        assertFalse(place.isDone());
        var unused = place.thenAccept(permit -> granted.incrementAndGet());
      }
    }

    /** Returns how many questions {@code operation} asks of lanes. */
    long work(Consumer<World> operation) {
      long before = EngineWatch.touches();
      operation.accept(this);
      return EngineWatch.touches() - before;
    }

    @Override
    public void close() {
      keys.close();
      all.close();
    }
  }

  private static void assertFlat(String ofAll, String ofEach, Consumer<World> operation) {
    assertFlat(waiting -> new World(ofAll, ofEach, waiting), operation);
  }

  private static void assertFlat(IntFunction<World> worlds, Consumer<World> operation) {
    try (World few = worlds.apply(FEW);
        World many = worlds.apply(MANY)) {
      long least = few.work(operation);
      long most = many.work(operation);
      assertTrue(most < 2 * least + 50, () -> least + " of " + FEW + ", " + most + " of " + MANY);
    }
  }

  /** Keys wait for the limit of all, or each for its own. */
  private static void assertFlat(Consumer<World> operation) {
    assertFlat("1/1h", "1000/1s", operation);
    assertFlat("unlimited", "1/1h", operation);
  }

  @Test
  void aPauseOfAllKeys() {
    assertFlat(world -> world.all.pauseFor(SECOND));
    assertFlat(world -> world.all.pause());
  }

  @Test
  void theEndOfAPause() {
    assertFlat(
        world -> {
          world.all.pauseFor(SECOND);
          world.time.advance(SECOND);
        });
  }

  @Test
  void aPeerThatRefusesAllKeys() {
    assertFlat(world -> world.all.peerRefused(SECOND));
  }

  @Test
  void anotherLimitOfAllKeys() {
    assertFlat("1/1h", "1000/1s", world -> world.all.setLimit("1/2h"));
    assertFlat("1000/1h", "1/1h", world -> world.all.setLimit("999/1h"));
  }

  @Test
  void anotherLimitOfOneKey() {
    assertFlat(world -> world.keys.limiter(1).setLimit("1/2h"));
  }

  @Test
  void aPauseWhileSomeAreCalled() {
    assertFlat(
        "1/1h",
        "1000/1s",
        world -> {
          world.all.setLimit("3/1h"); // two are called, and do not come
          world.all.pauseFor(SECOND);
          world.tasks.forEach(Runnable::run);
          assertEquals(0, world.granted.get());
        });
  }

  @Test
  void aSnapshot() {
    assertFlat(
        world -> {
          world.time.advance(SECOND);
          assertEquals(SECOND, world.all.snapshot().oldestWait());
        });
  }

  @Test
  void aRequestThatComesAndLeaves() {
    assertFlat(
        world -> {
          CompletableFuture<Permit> place = world.keys.acquireAsync(1);
          assertTrue(place.cancel(true));
          assertTrue(world.keys.tryAcquire(2).isEmpty());
        });
  }

  @Test
  void aReservedShareThatIsFree() {
    assertFlat(
        waiting -> World.reserved("default", waiting),
        world -> {
          assertEquals(5, world.spent);
          CompletableFuture<Permit> place = world.keys.acquireAsync(1);
          assertTrue(place.cancel(true));
          assertTrue(world.keys.tryAcquire(2).isEmpty());
          assertTrue(world.all.lane("vip").tryAcquire().isPresent());
        });
  }

  @Test
  void aReservedShareThatIsSpent() {
    assertFlat(
        waiting -> World.reserved("vip", waiting),
        world -> {
          assertEquals(10, world.spent);
          CompletableFuture<Permit> place = world.keys.acquireAsync(1);
          assertTrue(place.cancel(true));
          assertTrue(world.all.tryAcquire().isEmpty());
        });
  }
}
