package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Keys that are used once tell the server so later; no request stands behind what they tell. */
class ReportsOfKeysTest {

  private static final Duration ROUND_TRIP = Duration.ofMillis(2);
  private static final Duration CALL = ROUND_TRIP.multipliedBy(7).dividedBy(10);
  private static final Duration ENTRY = ROUND_TRIP.multipliedBy(12).dividedBy(100);

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final KeyHash hash = new KeyHash("a secret of all nodes");
  private int key; // that is used next
  private int permits;

  /** All keys that were used at first tell so at once, while threads go on with other keys. */
  @Test
  void threadsGoOnWhileTheKeysThatTheyUsedBeforeAreReported() {
    String limit = "10/1s";
    var server = new LoadedServer(time, limit, CALL, ENTRY, ROUND_TRIP.dividedBy(2));
    KeyedLimiter<Integer> keys = keys(limit, server.connection(), WhenDown.WAIT);
    for (int thread = 0; thread < 96; thread++) {
      takeAgainAndAgain(keys);
    }
    int before = permitsWithin(Duration.ofMillis(600)); // reports are due after 656 ms
    permitsWithin(Duration.ofMillis(200));
    int meanwhile = permitsWithin(Duration.ofMillis(600));
    assertTrue(meanwhile >= before / 2, () -> meanwhile + " after " + before);
  }

  /** Else every other call would tell an end, for a unit that is free a thirtieth earlier. */
  @Test
  void keysThatAreUsedOnceWithALongWindowMakeACallForAPermit() {
    assertEquals(1, callsForAPermit("10/1m"), 0.05);
  }

  /** Of a peer the end is what counts: it is worth a call. So it is with a short window. */
  @Test
  void keysThatAreUsedOnceMakeTwoCallsIfTheirEndsMatter() {
    assertEquals(2, callsForAPermit("peer(10/1m)"), 0.05);
    assertEquals(2, callsForAPermit("10/1s"), 0.05);
  }

  private double callsForAPermit(String limit) {
    var server = new LoadedServer(time, limit, CALL, ENTRY, ROUND_TRIP.dividedBy(2));
    KeyedLimiter<Integer> keys = keys(limit, server.connection(), WhenDown.WAIT);
    permits = 0;
    for (int i = 0; i < 200; i++) {
      take(keys, i);
      time.advance(Duration.ofMillis(20));
    }
    assertEquals(200, permits);
    pass(Duration.ofMinutes(3));
    assertIdle(keys);
    return (double) server.calls() / permits;
  }

  @Test
  void aRequestDoesNotStandBehindReportsOfOtherKeys() {
    var server = new ManyReports(WhenDown.WAIT);
    CompletableFuture<Permit> permit = server.keys.acquireAsync(-1);
    server.answerUntil(permit, 4);
  }

  /** Its own report waits for its turn: the request hurries it, as it can be made only then. */
  @Test
  void aRequestDoesNotWaitForTheTurnOfItsOwnReport() {
    var server = new ManyReports(WhenDown.WAIT);
    CompletableFuture<Permit> permit = server.keys.acquireAsync(ManyReports.KEYS - 1);
    server.answerUntil(permit, 5);
  }

  /** No request waits for it, so it tells nothing of the store: a second begins with a request. */
  @Test
  void aReportThatWaitsForItsTurnIsNotLate() {
    var server = new ManyReports(WhenDown.FAIL);
    pass(Duration.ofSeconds(2));
    CompletableFuture<Permit> permit = server.keys.acquireAsync(ManyReports.KEYS - 1);
    assertFalse(permit.isDone());
    time.advance(Store.LATE);
    assertTrue(permit.isCompletedExceptionally());
    server.answerAll();
    assertIdle(server.keys);
    permit = server.keys.acquireAsync(ManyReports.KEYS - 1);
    server.answerUntil(permit, 2);
  }

  /** The server does not answer while the keys of a limit are closed, nor later. */
  @Test
  void closingWhileReportsWaitLeavesNothing() {
    var server = new ManyReports(WhenDown.WAIT);
    CompletableFuture<Permit> permit = server.keys.acquireAsync(ManyReports.KEYS - 1);
    server.keys.close();
    assertTrue(permit.isCompletedExceptionally());
    server.store.close(Duration.ZERO);
    server.source.refuse("closed");
    server.answerAll();
    pass(Duration.ofMinutes(2));
    assertEquals(0, time.pending());
    assertIdle(server.keys);
  }

  /** Keys of which each has something to report, of which few calls are under way. */
  private final class ManyReports {
    static final int KEYS = 1_000;
    static final String LIMIT = "10/10s";

    final Deque<Asked> calls = new ArrayDeque<>();
    final Store store =
        new Store(Asked.connection(calls::add), new Wire(), problem -> problem, () -> {}, time);
    final SharedSource source;
    final KeyedLimiter<Integer> keys;

    ManyReports(WhenDown whenDown) {
      source = source(store, whenDown);
      keys = keys(LIMIT, source);
      for (int i = 0; i < KEYS; i++) {
        take(keys, i);
      }
      answerAll();
      assertEquals(KEYS, permits);
      time.advance(Duration.ofMillis(7_010)); // and after ten seconds a key is new
      int under = calls.stream().mapToInt(call -> call.entries().size()).sum();
      assertTrue(under > 0 && under < KEYS / 10, () -> under + " reports under way");
    }

    void answerAll() {
      while (!calls.isEmpty()) {
        answer();
      }
    }

    void answerUntil(CompletableFuture<Permit> permit, int most) {
      for (int i = 0; !permit.isDone(); i++) {
        assertTrue(i < most, () -> "after " + most + " calls no permit");
        answer();
      }
      permit.join().answered();
      answerAll();
      assertIdle(keys);
    }

    private void answer() {
      Asked asked = calls.remove();
      var entries = new ArrayList<List<Object>>();
      for (int i = 0; i < asked.entries().size(); i++) {
        boolean knows = asked.knowsLimit(i);
        boolean wants = !asked.entries().get(i).get(7).equals("0");
        var entry = ReplyFields.of(knows ? "" : LIMIT).at(time.nanoTime() / 1000);
        entries.add((knows && wants ? entry.grant(1, 2_000_000) : entry).toEntry());
      }
      asked.complete(ReplyFields.of(LIMIT).toReply(entries));
    }
  }

  private KeyedLimiter<Integer> keys(
      String limit, StatefulRedisConnection<String, String> connection, WhenDown whenDown) {
    var store = new Store(connection, new Wire(), problem -> problem, () -> {}, time);
    return keys(limit, source(store, whenDown));
  }

  private SharedSource source(Store store, WhenDown whenDown) {
    var settings = new Settings(whenDown, Duration.ZERO, true, hash, "");
    return new SharedSource("keys", hash, settings, store, time);
  }

  private KeyedLimiter<Integer> keys(String limit, SharedSource source) {
    return KeyedLimiter.builder(limit)
        .source(source)
        .time(time)
        .executor(Runnable::run)
        .maxKeys(1_000_000)
        .build();
  }

  private void take(KeyedLimiter<Integer> keys, int of) {
    take(keys, of, () -> {});
  }

  private void take(KeyedLimiter<Integer> keys, int of, Runnable then) {
    var unused =
        keys.acquireAsync(of)
            .thenAccept(
                permit -> {
                  permits++;
                  permit.answered();
                  then.run();
                });
  }

  private void takeAgainAndAgain(KeyedLimiter<Integer> keys) {
    take(keys, key++, () -> takeAgainAndAgain(keys));
  }

  private int permitsWithin(Duration span) {
    int before = permits;
    pass(span);
    return permits - before;
  }

  private void pass(Duration span) {
    time.advance(span);
  }

  private static void assertIdle(KeyedLimiter<Integer> keys) {
    assertEquals(0, keys.all().snapshot().waiting());
    assertEquals(0, keys.all().snapshot().open());
  }
}
