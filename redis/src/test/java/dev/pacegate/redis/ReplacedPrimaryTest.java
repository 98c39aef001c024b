package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.RedisSetup;
import dev.pacegate.redis.rig.StandingClock;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A primary stands still, a replica is promoted at once, and the primary goes on: one program calls
 * the one, another the other. Together they never pass the limit.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class ReplacedPrimaryTest {

  private static final String LIMIT = "100/1s";
  private static final Duration SOON = Duration.ofSeconds(60);

  /** So short that no client takes it for a lost connection. */
  private static final Duration SHORT = Duration.ofMillis(500);

  private static final Duration LONG = Duration.ofSeconds(5);

  /** So often a replica tells its primary what it has, and a little more. */
  private static final Duration REPORT = Duration.ofMillis(1200);

  /** So long the two have to pass the limit: more than a fence and an interval. */
  private static final Duration TOGETHER = Duration.ofMillis(2800);

  @Test
  @Tag("servers")
  void aPrimaryThatStoodStillGrantsNothingMore() throws Exception {
    standStill(RedisServer.with(Version.V7), Duration.ZERO, SHORT, ClockOf.A_MACHINE);
  }

  @Test
  @Tag("heavy")
  void aPrimaryThatStoodStillForLongGrantsNothingMore() throws Exception {
    for (int i = 0; i < 10; i++) {
      standStill(RedisServer.with(Version.V7), REPORT, LONG, ClockOf.A_MACHINE);
    }
  }

  /** A virtual machine that was paused. */
  @Test
  @Tag("servers")
  void aPrimaryWhoseClockStoodAsWellGrantsNothingMore() throws Exception {
    pause(Duration.ZERO, SHORT);
  }

  @Test
  @Tag("heavy")
  void aPrimaryWhoseClockStoodAsWellForLongGrantsNothingMore() throws Exception {
    for (int i = 0; i < 10; i++) {
      pause(REPORT, LONG);
    }
  }

  private static void pause(Duration before, Duration after) throws Exception {
    try (var clock = StandingClock.make()) {
      standStill(RedisServer.with(Version.V7).clock(clock), before, after, clock::behind);
    }
  }

  /** Is told how long its server stood still, before that goes on. */
  private interface ClockOf {
    ClockOf A_MACHINE = stop -> {};

    void stood(Duration stop) throws Exception;
  }

  private static void standStill(RedisSetup setup, Duration before, Duration after, ClockOf server)
      throws Exception {
    try (var first = setup.start();
        var link = new CutProxy(first.port());
        var second = replica(link)) {
      second.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var ofFirst = new Program(first.uri(), LIMIT, starts)) {
        ofFirst.begin();
        awaitMore(ofFirst, 50);
        first.stop();
        long stopped = System.nanoTime();
        Thread.sleep(before.toMillis()); // what the replica tells meanwhile is read late
        link.hold();
        second.promote();
        try (var ofSecond = new Program(second.uri(), LIMIT, starts)) {
          ofSecond.begin();
          Thread.sleep(after.toMillis()); // for so long it stands still yet
          server.stood(Duration.ofNanos(System.nanoTime() - stopped));
          first.cont();
          Thread.sleep(TOGETHER.toMillis()); // what comes meanwhile is the question
          awaitMore(ofSecond, 50);
        }
      }
      judge(starts);
    }
  }

  /** A primary does not notice at once that a replica has left, if the network does not tell. */
  private static RedisServer replica(CutProxy link) throws Exception {
    return RedisServer.with(Version.V7).set("replicaof", "127.0.0.1 " + link.port()).start();
  }

  @Test
  @Tag("servers")
  void aConnectionThatWasIdleGetsNothingFromAPrimaryThatWasReplaced() throws Exception {
    callFirstAfterThePromotion();
  }

  @Test
  @Tag("heavy")
  void aConnectionThatWasIdleGetsNothingFromAPrimaryThatWasReplacedInManyRounds() throws Exception {
    for (int i = 0; i < 10; i++) {
      callFirstAfterThePromotion();
    }
  }

  private static void callFirstAfterThePromotion() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var link = new CutProxy(first.port());
        var second = replica(link)) {
      second.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var ofFirst = new Program(first.uri(), LIMIT, starts)) {
        Await.until("it sends", SOON, ofFirst::send);
        Thread.sleep(1500); // until what it was leased is over, and told
        link.hold();
        second.promote();
        try (var ofSecond = new Program(second.uri(), LIMIT, starts)) {
          ofSecond.begin();
          awaitMore(ofSecond, 50);
          ofFirst.begin();
          Thread.sleep(TOGETHER.toMillis()); // what comes meanwhile is the question
          awaitMore(ofSecond, 50);
        }
      }
      judge(starts);
    }
  }

  @Test
  @Tag("servers")
  void aReplicaThatStaysDoesNotConfirmForTheOneThatWasPromoted() throws Exception {
    promoteOneOfTwo();
  }

  @Test
  @Tag("heavy")
  void aReplicaThatStaysDoesNotConfirmForTheOneThatWasPromotedInManyRounds() throws Exception {
    for (int i = 0; i < 10; i++) {
      promoteOneOfTwo();
    }
  }

  /** By an address that moves: the second server cannot know that it is the replica. */
  private static void promoteOneOfTwo() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var link = new CutProxy(first.port());
        var second = replica(link);
        var third = RedisServer.with(Version.V7).replicaOf(first).start();
        var address = new CutProxy(second.port())) {
      second.awaitInStep(first);
      third.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var ofFirst = new Program(first.uri(), LIMIT, starts)) {
        ofFirst.begin();
        awaitMore(ofFirst, 50);
        assertEquals(2, ofFirst.status().replicas().size());
        first.stop();
        link.hold();
        second.promote();
        first.cont();
        try (var ofSecond = new Program(address.uri(second), LIMIT, starts)) {
          ofSecond.begin();
          awaitMore(ofSecond, 50); // after a fence
          Thread.sleep(TOGETHER.toMillis()); // what comes meanwhile is the question
          assertEquals(List.of(), ofSecond.status().replicas());
        }
      }
      judge(starts);
    }
  }

  @Test
  @Tag("servers")
  void aReplicaThatIsPromotedGoesOnWithoutAFence() throws Exception {
    String limit = "100/10s";
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start()) {
      second.awaitInStep(first);
      awaitLongerThanAFence(second, limit);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var ofFirst = new Program(first.uri(), limit, starts)) {
        ofFirst.send(40);
      }
      first.kill9();
      second.promote();
      try (var ofSecond = new Program(second.uri(), limit, starts)) {
        Await.until("it sends", SOON, ofSecond::send);
        SharedLimitStatus status = ofSecond.status();
        assertEquals(Duration.ZERO, status.fence());
        assertEquals("a replica took over that has all that was granted", status.reason());
        assertTrue(status.terms().get(0).spent() > 40, status::toString);
        ofSecond.begin();
        awaitMore(ofSecond, 40);
      }
      judge(limit, starts);
    }
  }

  /** The former primary follows the new one, and is promoted as any replica is. */
  @Test
  @Tag("heavy")
  void aFormerPrimaryTakesOverAgainWithoutAFence() throws Exception {
    String limit = "100/10s";
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start()) {
      second.awaitInStep(first);
      awaitLongerThanAFence(second, limit);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      send(20, first, limit, starts);
      second.promote();
      send(20, second, limit, starts);
      first.follow(second);
      first.awaitInStep(second);
      send(20, second, limit, starts);
      first.promote();
      send(20, first, limit, starts);
      judge(limit, starts);
    }
  }

  /** A replica that was started later may have read an older copy from its file. */
  private static void awaitLongerThanAFence(RedisServer replica, String limit) throws Exception {
    long seconds = Terms.of(Limits.parse(limit), null).fence() / 1_000_000 + 1;
    Await.until(
        "it has run for longer than a fence",
        SOON,
        () -> Long.parseLong("" + replica.info("server", "uptime_in_seconds")) > seconds);
  }

  private static void send(int count, RedisServer server, String limit, Queue<Long> starts)
      throws Exception {
    try (var program = new Program(server.uri(), limit, starts)) {
      for (int i = 0; i < count; i++) {
        Await.until("it sends", SOON, program::send);
      }
      assertEquals(Duration.ZERO, program.status().fence());
    }
  }

  /** A person is told so, and may repeat it. */
  @Test
  @Tag("servers")
  void aPauseThatIsNotConfirmedFails() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start()) {
      second.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var program = new Program(first.uri(), LIMIT, starts)) {
        Await.until("it sends", SOON, program::send);
        Operations operations = program.redis.operations();
        second.stop();
        String unconfirmed =
            "it is done, and not confirmed by all replicas (127.0.0.1:"
                + second.port()
                + "): it is lost if one of them takes over that does not have it. Repeat it";
        Await.until("it is told", SOON, () -> unconfirmed.equals(failure(operations)));
        second.cont();
        Await.until("it is confirmed", SOON, () -> isPaused(operations));
      }
    }
  }

  /**
   * Why a pause failed: on a loaded machine, perhaps because the primary did not answer in time.
   */
  private static @Nullable String failure(Operations operations) {
    return assertThrows(RedisException.class, () -> isPaused(operations)).getMessage();
  }

  private static boolean isPaused(Operations operations) {
    operations.pause("api", Duration.ofSeconds(1), "maintenance");
    return true;
  }

  /** Where the address moves, nothing tells that the server is one of the replicas. */
  @Test
  @Tag("servers")
  void behindAnAddressThatMovesThereIsAFence() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start();
        var address = new CutProxy(first.port())) {
      second.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var program = new Program(address.uri(first), LIMIT, starts)) {
        program.begin();
        awaitMore(program, 50);
        first.kill9();
        second.promote();
        address.redirect(second.port());
        awaitMore(program, 150);
        assertTrue(program.status().reason().contains("another server took over"));
      }
      judge(starts);
    }
  }

  /** While a replica is away nothing is granted; a person may forget it. */
  @Test
  @Tag("servers")
  void aReplicaThatIsAwayIsWaitedForUntilItIsForgotten() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start()) {
      second.awaitInStep(first);
      Queue<Long> starts = new ConcurrentLinkedQueue<>();
      try (var program = new Program(first.uri(), LIMIT, starts)) {
        program.begin();
        awaitMore(program, 50);
        second.kill9();
        Thread.sleep(600); // until what was leased is over
        long before = program.count();
        Thread.sleep(600); // meanwhile nothing is granted
        assertEquals(before, program.count());
        String name = program.status().replicas().get(0);
        Await.until("a connection is there", SOON, () -> isForgotten(program, name));
        awaitMore(program, 50);
        assertEquals("forget " + name, program.status().audit().get(0).what());
      }
      judge(starts);
    }
  }

  private static boolean isForgotten(Program program, String replica) throws Exception {
    if (!program.status().replicas().contains(replica)) {
      return true; // by a try whose reply was lost
    }
    program.redis.operations().forgetReplica("api", replica, "it is gone");
    return true;
  }

  /** To wait for the replica at each try would hold up all other limits. */
  @Test
  @Tag("servers")
  void aChangeIsRefusedWhileAReplicaIsAway() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start()) {
      second.awaitInStep(first);
      try (var program = new Program(first.uri(), LIMIT, new ConcurrentLinkedQueue<>())) {
        Await.until("it sends", SOON, program::send);
        Operations operations = program.redis.operations();
        second.kill9();
        Limit next = Limits.parse("200/1s");
        Await.until(
            "it is away", SOON, () -> "0".equals(first.info("replication", "connected_slaves")));
        Await.until(
            "it is refused", SOON, () -> refusal(operations, next).contains("is unavailable"));
        assertEquals(LIMIT, program.status().limit());
        String replica = program.status().replicas().get(0);
        Await.until("it is forgotten", SOON, () -> isForgotten(program, replica));
        Await.until("it is changed", SOON, () -> isChanged(operations, next));
        assertEquals("200/1s", program.status().limit());
      }
    }
  }

  private static String refusal(Operations operations, Limit next) {
    return ""
        + assertThrows(RedisException.class, () -> operations.setLimit("api", next, ""))
            .getMessage();
  }

  private static boolean isChanged(Operations operations, Limit next) {
    operations.setLimit("api", next, "");
    return true;
  }

  private static void awaitMore(Program program, long more) throws InterruptedException {
    long before = program.count();
    Await.until("it sends " + more, SOON, () -> program.count() - before >= more);
  }

  private static void judge(Queue<Long> starts) {
    judge(LIMIT, starts);
  }

  private static void judge(String limit, Queue<Long> starts) {
    var audit = Audit.of(Limits.parse(limit));
    starts.stream().sorted(Long::compare).forEach(audit::add);
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }
}
