package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.engine.Waiter.State;
import dev.pacegate.engine.keys.KeyLane;
import dev.pacegate.gate.Gate;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@link EngineCheck} says of an engine whose state is broken by hand. */
class EngineCheckTest {

  private final ManualTime time = ManualTime.manual();
  private final List<CompletableFuture<Permit>> waiting = new ArrayList<>();

  /** None that was broken here is checked again. */
  @AfterEach
  void forgetTheBroken() {
    EngineWatch.take();
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).name("api").time(time).executor(task -> {}).build();
  }

  /** Returns a limiter with two open permits and two waiters. */
  private Limiter busy() {
    Limiter limiter = limiter("concurrent(2) & 1000/1s");
    for (int i = 0; i < 4; i++) {
      waiting.add(limiter.acquireAsync(i + 1));
    }
    assertEquals(List.of(), broken(limiter));
    return limiter;
  }

  private static EngineMonitor engine(Limiter limiter) {
    return Fields.get(limiter, "engine", EngineMonitor.class);
  }

  private static Lane lane(Limiter limiter) {
    return engine(limiter).lanes.get(0);
  }

  private static WaitQueue queue(Limiter limiter) {
    return Fields.get(engine(limiter).state, "queue", WaitQueue.class);
  }

  private static Pool whole(Limiter limiter) {
    return Fields.get(engine(limiter).state, "pools", Pools.class).whole;
  }

  private static List<String> broken(Limiter limiter) {
    return requireNonNull(EngineCheck.broken(engine(limiter), List.of()));
  }

  private static void assertSaid(String expected, Limiter limiter) {
    List<String> broken = broken(limiter);
    assertTrue(broken.contains(expected), broken::toString);
  }

  @Test
  void allEnginesAndKeysAreKnown() {
    Limiter limiter = limiter("10/1m");
    KeyedLimiter<String> keyed = KeyedLimiter.builder("10/1m").within(limiter).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    EngineWatch.Made made = EngineWatch.take();
    assertTrue(made.engines().contains(engine(limiter)));
    List<KeyLane<?>> lanes = made.keys();
    assertEquals(List.of("a"), lanes.stream().map(lane -> lane.key).toList());
    assertEquals(List.of(), EngineCheck.broken(engine(limiter), lanes));
    lanes.get(0).open = 1;
    assertEquals(
        List.of("open permits of a key's lane default: 1 is kept, 0 was found"),
        EngineCheck.broken(engine(limiter), lanes));
  }

  @Test
  void aSumOfWaiters() {
    Limiter limiter = busy();
    Fields.set(lane(limiter), "all", Cost.sum(2, 8));
    assertSaid(
        "the costs of all waiters of lane default: 2 calls of 8 is kept, 2 calls of 7 was found",
        limiter);
  }

  @Test
  void aSumOfCalledWaiters() {
    Limiter limiter = busy();
    whole(limiter).call(Cost.of(3));
    assertSaid(
        "the costs of called waiters of all lanes: 1 calls of 3 is kept, 0 calls of 0 was found",
        limiter);
  }

  @Test
  void aSumAtRest() {
    Limiter limiter = limiter("10/1m");
    whole(limiter).call(Cost.ONE);
    Fields.set(lane(limiter), "all", Cost.ONE);
    assertEquals(
        List.of(
            "lane default, where nobody waits: their cost: 1 calls of 1 is kept, 0 calls of 0 was"
                + " found",
            "the costs of called waiters of all lanes: 1 calls of 1 is kept, 0 calls of 0 was"
                + " found",
            "called while the gate is free: 1 is kept, 0 was found"),
        broken(limiter));
  }

  @Test
  void aSumOfAReservedShare() {
    Limiter limiter =
        Limiter.builder("10/1m").lane("vip", Share.weight(1).reserving(20)).time(time).build();
    Lane vip = engine(limiter).lanes.get(1);
    requireNonNull(vip.reserve()).call(Cost.ONE);
    assertEquals(
        List.of(
            "the costs of called waiters of the reserved share of lane vip: 1 calls of 1 is kept,"
                + " 0 calls of 0 was found"),
        broken(limiter));
  }

  @Test
  void theWatch() {
    Limiter limiter = busy();
    Waiter second = requireNonNull(requireNonNull(lane(limiter).first()).next);
    Fields.set(lane(limiter), "watch", second);
    assertSaid("not so: the watch of lane default is the first uncalled", limiter);
  }

  @Test
  void aStateOutOfOrder() {
    Limiter limiter = busy();
    requireNonNull(requireNonNull(lane(limiter).first()).next).state = State.CALLED;
    assertSaid("lane default: the state of a waiter: CALLED is kept, WAITING was found", limiter);
  }

  @Test
  void aCountOfWaiters() {
    Limiter limiter = busy();
    FairQueue lanes = Fields.get(queue(limiter), "lanes", FairQueue.class);
    Fields.set(lanes, "waiting", 3);
    assertSaid("all waiters in lanes: 3 is kept, 2 was found", limiter);
  }

  @Test
  void aRequestMissingAmongArrivals() {
    Limiter limiter = busy();
    FairQueue lanes = Fields.get(queue(limiter), "lanes", FairQueue.class);
    lanes.departs(requireNonNull(lane(limiter).first()));
    assertSaid("the requests in order of arrival: 1 is kept, 2 was found", limiter);
  }

  /** An error has come between leaving the lane and leaving the list. */
  @Test
  void aRequestThatIsOnlyAmongArrivals() {
    Limiter limiter = busy();
    time.advance(Duration.ofMillis(1));
    FairQueue lanes = Fields.get(queue(limiter), "lanes", FairQueue.class);
    lanes.remove(requireNonNull(lane(limiter).first()), false, 0);
    lanes.remove(requireNonNull(lane(limiter).first()), false, 0);
    lane(limiter).alarm = null;
    assertSaid("not so: a request that is listed waits", limiter);
    engine(limiter).needsRepair = true;
    assertEquals(Duration.ZERO, limiter.snapshot().oldestWait());
    assertEquals(List.of(), broken(limiter));
  }

  @Test
  void aPlaceAmongTheTurns() {
    Limiter limiter = busy();
    lane(limiter).place = -1;
    assertSaid("not so: the turn of lane default may come, or it waits for its own pool", limiter);
  }

  @Test
  void aLinkThatDoesNotLeadBack() {
    Limiter limiter = busy();
    requireNonNull(requireNonNull(lane(limiter).first()).next).previous = null;
    assertSaid(
        "not so: the waiters of lane default: a member leads back to the one before", limiter);
  }

  @Test
  void aCountOfOpenPermits() {
    Limiter limiter = busy();
    lane(limiter).open--;
    assertSaid("open permits of lane default: 1 is kept, 2 was found", limiter);
  }

  @Test
  void aListedPermitThatHasEnded() {
    Limiter limiter = busy();
    ((OpenPermit) waiting.get(0).join()).ended = true;
    assertSaid("not so: a listed permit is open", limiter);
  }

  @Test
  void theEntryOfALongOpenPermit() {
    Limiter limiter = busy();
    time.advance(Duration.ofSeconds(30));
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(List.of(), broken(limiter));
    ((OpenPermit) waiting.get(1).join()).cost = Cost.of(7);
    assertSaid("the cost of a long-open permit: 2 is kept, 7 was found", limiter);
  }

  @Test
  void aCalledFutureThatNoThreadCompletes() {
    Limiter limiter = busy();
    waiting.get(0).join().answered();
    assertEquals(List.of(), broken(limiter));
    ((FutureWaiter) requireNonNull(lane(limiter).first())).queued = false;
    assertSaid("not so: a called future is to be completed", limiter);
  }

  @Test
  void aGateThatIsHeldIsNotWaitedFor() {
    Limiter limiter = limiter("10/1m");
    engine(limiter).gate.enter();
    assertNull(EngineCheck.broken(engine(limiter), List.of()));
    engine(limiter).gate.leave(Gate.FREE);
  }

  @Test
  void lookingChangesNothing() {
    Limiter limiter = busy();
    assertEquals(List.of(), broken(limiter));
    waiting.get(0).join().answered();
    waiting.get(1).join().answered();
    assertEquals(List.of(), broken(limiter));
    assertEquals(Gate.SLOW, engine(limiter).gate.word);
    Limiter quiet = limiter("10/1m");
    assertEquals(List.of(), broken(quiet));
    assertEquals(Gate.FREE, engine(quiet).gate.word);
  }
}
