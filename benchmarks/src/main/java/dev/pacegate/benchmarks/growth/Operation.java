package dev.pacegate.benchmarks.growth;

import dev.pacegate.Backoff;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What is done to a limiter with many keys that wait. */
enum Operation {
  JOIN("a request of a new key joins, and leaves", Operation::join),
  TRY("`tryAcquire` of a key that waits", Operation::tries),
  REFUSE("`acquireAsync` that would wait too long", Operation::refuses),
  REFUSED_BY_PEER("the peer answers 429 to a key", Operation::hears),
  PAUSE("`pause` and `resume` of all", true, Operation::pauses),
  SNAPSHOT("`snapshot` of all", world -> world.sink = world.keys.all().snapshot()),
  LIMIT_OF_ONE("`setLimit` of one key", Operation::changesOne),
  LIMIT_OF_ALL("`setLimit` of all keys", true, Operation::changesAll);

  private static final Duration SOON = Duration.ofMillis(1);

  final String title;
  final boolean visitsEachKey; // in stays of their own
  private final Consumer<World> action;

  Operation(String title, Consumer<World> action) {
    this(title, false, action);
  }

  Operation(String title, boolean visitsEachKey, Consumer<World> action) {
    this.title = title;
    this.visitsEachKey = visitsEachKey;
    this.action = action;
  }

  void run(World world) {
    action.accept(world);
  }

  private static void join(World world) {
    CompletableFuture<Permit> place = world.keys.acquireAsync(World.NEW);
    if (place.isDone()) {
      throw new IllegalStateException("a permit was left for a new key");
    }
    place.cancel(false);
  }

  private static void tries(World world) {
    if (world.keys.tryAcquire(0).isPresent()) {
      throw new IllegalStateException("a key that waits got a permit");
    }
  }

  private static void refuses(World world) {
    CompletableFuture<Permit> refused = world.keys.limiter(0).acquireAsync(Cost.ONE, SOON);
    if (!refused.isCompletedExceptionally()) {
      throw new IllegalStateException("a wait of an hour was accepted");
    }
  }

  private static void hears(World world) {
    var answer = PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(SOON, "Retry-After");
    world.sink = world.keys.limiter(0).heard(world.permit, answer, Backoff.standard());
  }

  private static void pauses(World world) {
    world.keys.all().pause();
    world.keys.all().resume();
  }

  private static void changesOne(World world) {
    world.keys.limiter(0).setLimit(world.nextLimit());
  }

  private static void changesAll(World world) {
    world.keys.setLimit(world.nextLimit());
  }
}
