package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads can go at once: who wakes whom, and what if one that was woken never comes. */
class HandOverTest {

  private static final Duration DAY = Duration.ofDays(1);
  private static final int CROWD = 100;

  /** A time in which threads that wake up can be stopped, or die. */
  private static final class Trap implements Time {
    final Time time;
    final AtomicInteger woken = new AtomicInteger();
    final AtomicInteger alarms = new AtomicInteger();
    final Set<Thread> doomed = ConcurrentHashMap.newKeySet();
    final Map<Thread, Runnable> atFirstReading = new ConcurrentHashMap<>(); // once it has woken
    final Map<Thread, Runnable> atSecondReading = new ConcurrentHashMap<>();
    final Semaphore free = new Semaphore(0, true);
    volatile boolean stops; // all that wake, but one
    volatile @Nullable Thread goesOn;

    Trap(Time time) {
      this.time = time;
    }

    @Override
    public long nanoTime() {
      // In the gate, too: the thread that is to die cannot even leave the queue.
      dieIf(doomed.contains(Thread.currentThread()) && woken.get() > 0);
      if (woken.get() > 0) {
        reads(Thread.currentThread());
      }
      return time.nanoTime();
    }

    private void reads(Thread reader) {
      Runnable first = atFirstReading.remove(reader);
      Runnable next = first == null ? atSecondReading.remove(reader) : first;
      if (next != null) {
        next.run();
      }
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      alarms.incrementAndGet();
      return time.at(instant, task);
    }

    @Override
    public Instant instant() {
      return time.instant();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
      time.parkUntil(blocker, instant);
      woken.incrementAndGet();
      if (stops && Thread.currentThread() != goesOn) {
        free.acquireUninterruptibly();
      }
      dieIf(doomed.contains(Thread.currentThread()));
    }

    private static void dieIf(boolean doomed) {
      if (doomed) {
        throw new Death();
      }
    }
  }

  /** What ends a thread. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  private final ManualTime manual = ManualTime.manual();
  private final Trap trap = new Trap(manual);

  private static Limiter limiter(String limit, Time time) {
    return Limiter.builder(limit).time(time).build();
  }

  private static List<Place> crowd(Limiter limiter, int size) {
    var crowd = new ArrayList<Place>();
    for (int i = 0; i < size; i++) {
      crowd.add(Kind.THREAD.ask(limiter, 1, DAY));
      Crew.awaitWaiting(limiter, i + 1);
    }
    return crowd;
  }

  private void awaitWoken(int count) throws InterruptedException {
    Crew.await(count + " woken", () -> trap.woken.get() >= count);
    Thread.sleep(20); // so that one woken too many is seen
    assertEquals(count, trap.woken.get());
  }

  private static void assertAllEnd(Limiter limiter, List<Place> crowd) {
    for (Place place : crowd) {
      place.permit().answered();
    }
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }

  // ---- who wakes whom

  @Test
  void aResumeWakesTwoAndEachOfThemTwoMore() throws InterruptedException {
    Limiter limiter = limiter("concurrent(100)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    awaitWoken(2);
    trap.free.release();
    awaitWoken(4);
    trap.free.release();
    awaitWoken(6);
    assertEquals(2, limiter.snapshot().open()); // this, too, wakes two
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd);
  }

  // ---- between waking others and going

  /**
   * Makes {@code limiter} call a crowd. All but the first stop as they wake; it does something at
   * its first and second reading of the clock, each inside the gate.
   */
  private List<Place> called(Limiter limiter, Runnable atFirst, Runnable atSecond) {
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    Thread first = crowd.get(0).thread();
    trap.atFirstReading.put(first, atFirst);
    trap.atSecondReading.put(first, atSecond);
    trap.goesOn = first;
    trap.stops = true;
    limiter.resume();
    return crowd;
  }

  @Test
  void thoseThatOneWakesAreAwakeBeforeItReadsTheClockForItsPermit() {
    Limiter limiter = limiter("concurrent(100)", trap);
    var awake = new AtomicInteger();
    Runnable asleep = () -> awake.set(-trap.woken.get());
    Runnable waits =
        () -> {
          Crew.await("the two that it wakes", () -> trap.woken.get() >= 4);
          awake.set(trap.woken.get());
        };
    List<Place> crowd = called(limiter, asleep, waits);
    crowd.get(0).permit().answered();
    assertEquals(4, awake.get());
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd.subList(1, CROWD));
  }

  @Test
  void oneThatHasItsPermitWakesNoneWhileOthersAreToCome() throws InterruptedException {
    Limiter limiter = limiter("concurrent(100)", trap);
    List<Place> crowd = called(limiter, () -> {}, () -> {});
    Permit first = crowd.get(0).permit();
    awaitWoken(4);
    first.answered(); // an end wakes two: it is in no hurry
    awaitWoken(6);
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd.subList(1, CROWD));
  }

  @Test
  void anArrivalWakesNoneWhileOthersAreToCome() throws InterruptedException {
    Limiter limiter = limiter("concurrent(101)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    awaitWoken(2);
    Permit taken = limiter.acquire();
    awaitWoken(2);
    taken.answered();
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd);
  }

  @Test
  void oneThatDiesAfterWakingOthersHoldsUpNone() {
    Limiter limiter = limiter("concurrent(1000)", trap);
    var doomed = new CompletableFuture<Thread>();
    Runnable dies =
        () -> {
          trap.doomed.add(Thread.currentThread());
          doomed.complete(Thread.currentThread());
          throw new Death();
        };
    List<Place> crowd = called(limiter, () -> {}, dies);
    assertInstanceOf(Death.class, crowd.get(0).failure());
    assertSame(crowd.get(0).thread(), doomed.getNow(null));
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd.subList(1, CROWD));
  }

  @Test
  void oneThatIsInterruptedAfterWakingOthersTakesNothing() {
    Limiter limiter = limiter("99/1h", trap);
    List<Place> crowd = called(limiter, () -> Thread.currentThread().interrupt(), () -> {});
    assertInstanceOf(InterruptedException.class, crowd.get(0).failure());
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd.subList(1, CROWD)); // with as many permits as there are others
  }

  @Test
  void oneThatLeavesWakesTwoMore() throws InterruptedException {
    Limiter limiter = limiter("concurrent(100)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, 5);
    trap.stops = true;
    limiter.resume();
    awaitWoken(2);
    crowd.get(0).giveUp();
    crowd.get(1).giveUp();
    trap.free.release(2);
    assertInstanceOf(InterruptedException.class, crowd.get(0).failure());
    assertInstanceOf(InterruptedException.class, crowd.get(1).failure());
    awaitWoken(5);
    trap.free.release(CROWD);
    assertAllEnd(limiter, crowd.subList(2, 5));
  }

  /** An arrival need not queue for permits that are there for all. */
  @Test
  void anArrivalGoesAtOnceIfThereIsEnoughForAll() throws InterruptedException {
    Limiter limiter = limiter("concurrent(101)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    Permit passed = limiter.tryAcquire().orElseThrow();
    assertTrue(limiter.tryAcquire().isEmpty());
    trap.free.release(2 * CROWD);
    passed.answered();
    assertAllEnd(limiter, crowd);
  }

  @Test
  void aBatchTakesWhatTheCrowdLeaves() throws InterruptedException {
    Limiter limiter = limiter("150/1h", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    assertEquals(50, limiter.tryAcquireUpTo(CROWD).orElseThrow().cost().amount());
    assertTrue(limiter.tryAcquireUpTo(CROWD).isEmpty());
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd);
  }

  // ---- who never comes

  @Test
  void anAlarmWakesTheRestIfNoneComes() throws InterruptedException {
    Limiter limiter = limiter("concurrent(100)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    awaitWoken(2);
    manual.advance(Duration.ofMillis(1));
    awaitWoken(CROWD);
    trap.free.release(CROWD);
    assertAllEnd(limiter, crowd);
  }

  @Test
  void oneThatDiesWithoutATraceHoldsUpNone() {
    Limiter limiter = limiter("concurrent(1)", trap);
    Permit held = Crew.spend(limiter);
    List<Place> crowd = crowd(limiter, 3);
    trap.doomed.add(crowd.get(0).thread());
    held.answered();
    assertInstanceOf(Death.class, crowd.get(0).failure());
    assertFalse(crowd.get(1).result().isDone());
    manual.advance(Duration.ofMillis(1));
    assertAllEnd(limiter, crowd.subList(1, 3));
  }

  /** Of a crowd some are interrupted, and some die as they wake, or in the gate. */
  @Test
  @Tag("slow")
  void theOthersGoWhateverHappensToSome() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int run = 0; run < 5; run++) {
      var real = new Trap(Time.system());
      Limiter limiter = limiter("concurrent(" + CROWD + ")", real);
      limiter.pause();
      List<Place> crowd = crowd(limiter, CROWD);
      var others = new ArrayList<Place>();
      var unlucky = new ArrayList<Place>();
      for (Place place : crowd) {
        int fate = random.nextInt(3);
        if (fate == 0) {
          real.doomed.add(place.thread());
        }
        (fate == 2 ? others : unlucky).add(place);
      }
      Thread interrupts = Crew.start("interrupts", () -> unlucky.forEach(Place::giveUp));
      limiter.resume();
      for (Place place : others) {
        place.permit();
      }
      Crew.join(interrupts);
      for (Place place : unlucky) {
        place.result().handle((permit, failure) -> permit).orTimeout(20, TimeUnit.SECONDS).join();
      }
      for (Place place : crowd) {
        var unused = place.result().thenAccept(Permit::answered);
      }
      Crew.await("nothing is left, seed " + seed, () -> isIdle(limiter));
    }
  }

  @Test
  void dryRunRefusesNoneWhileTheOthersAreWoken() throws InterruptedException {
    Limiter limiter = limiter("10/1h", trap);
    limiter.acquire(10);
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.dryRun(true);
    assertTrue(limiter.tryAcquire().isPresent());
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd);
  }

  /** A thread that does not come costs an alarm a second, not a busy timer. */
  @Test
  void alarmsGrowRareWhileNoneComes() throws InterruptedException {
    Limiter limiter = limiter("concurrent(100)", trap);
    limiter.pause();
    List<Place> crowd = crowd(limiter, CROWD);
    trap.stops = true;
    limiter.resume();
    awaitWoken(2);
    for (int i = 0; i < 10_000; i++) {
      manual.advance(Duration.ofMillis(1));
    }
    int alarms = trap.alarms.get();
    assertTrue(alarms < 40, alarms + " alarms in 10 s");
    trap.free.release(2 * CROWD);
    assertAllEnd(limiter, crowd);
  }

  /** A left-over alarm would keep the limiter in memory. */
  @Test
  void noAlarmIsLeftWhenTheLastHasGone() throws InterruptedException {
    Limiter limiter = limiter("100/1h", trap);
    limiter.acquire(CROWD);
    List<Place> crowd = crowd(limiter, CROWD);
    for (int i = 1; i <= 20; i++) {
      limiter.setLimit(Limits.parse((CROWD + i) + "/1h")); // lets one more go
      crowd.get(i - 1).permit();
    }
    crowd.subList(20, CROWD).forEach(Place::giveUp);
    crowd.subList(20, CROWD).forEach(Place::failure);
    Crew.awaitWaiting(limiter, 0);
    Crew.await("all alarms are cancelled", () -> manual.pending() == 0);
  }

  private static boolean isIdle(Limiter limiter) {
    return limiter.snapshot().waiting() == 0 && limiter.snapshot().open() == 0;
  }

  /** On the clock of this machine the first of a crowd leaves it to an alarm to wake the next. */
  @Test
  void aWindowThatOpensLetsAllGo() throws InterruptedException {
    Limiter limiter = Limiter.builder("100/200ms").stamped(true).build();
    limiter.acquire(CROWD);
    var crowd = new ArrayList<Place>();
    for (int i = 0; i < CROWD; i++) {
      crowd.add(Kind.THREAD.ask(limiter, 1, DAY));
    }
    for (Place place : crowd) {
      assertTrue(place.permit().waited().toDays() < 1);
    }
    assertEquals(0, limiter.snapshot().waiting());
  }
}
