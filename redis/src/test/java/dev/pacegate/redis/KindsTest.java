package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two connections with threads that send as much as they are let keep every kind of limit. Each
 * kind has a server of its own, and as they mostly wait they do so side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class KindsTest {

  private static final int THREADS = 5;

  /** In milliseconds; the build sends for half of it. */
  private static final long LENGTH = 500 + 10L * Integer.getInteger("pacegate.volume", 100);

  /** How many must get through at least. */
  private static final long LEAST = LENGTH / 75;

  private static final String SECRET = "a secret of all nodes";

  private record Sent(String key, long start, long end, Cost cost) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "30/300ms",
        "spacing(20ms)",
        "peer(spacing(20ms), margin=0s, unanswered=5s)",
        "bucket(100/1s, burst=10)",
        "peer(bucket(100/1s, burst=10), margin=0s, unanswered=5s)",
        "concurrent(4, unanswered=5s)",
        "concurrent(4)",
        "peer(20/200ms, margin=0s, unanswered=5s) & peer(40/600ms, margin=0s, unanswered=5s)",
        "bucket(100/1s, burst=10) & concurrent(3, unanswered=5s) & 60/900ms",
        "peer(20/200ms & 2000/600ms of tokens, margin=0s, unanswered=5s)",
        "50/200ms & concurrent(200, unanswered=5s) of tokens"
      })
  void isKept(String text) throws Exception {
    Limit limit = Limits.parse(text);
    try (var server = RedisServer.start(Version.V6_2);
        var one = RedisLimiters.builder(server.uri()).fresh().connect();
        var other = RedisLimiters.builder(server.uri()).fresh().connect()) {
      List<Limiter> limiters = List.of(one.limiter("api", limit), other.limiter("api", limit));
      Queue<Sent> sent =
          send(
              thread -> limiters.get(thread % 2),
              thread -> "",
              () -> {
                one.close();
                other.close();
              });
      audit(limit, sent, each -> true);
      limiters.forEach(KindsTest::assertNothingIsLeft);
      System.out.println(text + ": " + sent.size());
    }
  }

  /** Two accounts, and a limit for all: each is kept, over both connections. */
  @Test
  void keysAreKeptWithinALimitForAll() throws Exception {
    Limit perKey = Limits.parse("peer(10/200ms, margin=0s, unanswered=5s)");
    Limit whole = Limits.parse("peer(15/200ms, margin=0s, unanswered=5s)");
    try (var server = RedisServer.start(Version.V6_2);
        var one = RedisLimiters.builder(server.uri()).fresh().secret(SECRET).connect();
        var other = RedisLimiters.builder(server.uri()).fresh().secret(SECRET).connect()) {
      List<Limiter> all = List.of(one.limiter("all", whole), other.limiter("all", whole));
      List<KeyedLimiter<String>> keys =
          List.of(
              one.keyed("accounts", perKey).within(all.get(0)).build(),
              other.keyed("accounts", perKey).within(all.get(1)).build());
      Queue<Sent> sent =
          send(
              thread -> keys.get(thread % 2).limiter(key(thread)),
              KindsTest::key,
              () -> {
                keys.forEach(KeyedLimiter::close);
                one.close();
                other.close();
              });
      audit(whole, sent, each -> true);
      for (String key : List.of("a", "b")) {
        audit(perKey, sent, each -> each.key.equals(key));
      }
      all.forEach(KindsTest::assertNothingIsLeft);
      System.out.println("keys: " + sent.size());
    }
  }

  private static String key(int thread) {
    return thread / 2 % 2 == 0 ? "a" : "b";
  }

  private static void assertNothingIsLeft(Limiter limiter) {
    assertEquals(0, limiter.snapshot().waiting(), "waiters");
    assertEquals(0, limiter.snapshot().open(), "open permits");
  }

  private static Queue<Sent> send(
      IntFunction<Limiter> limiter, IntFunction<String> key, Runnable close) throws Exception {
    Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 2 * THREADS; i++) {
      Limiter api = limiter.apply(i);
      String name = key.apply(i);
      var thread = new Thread(() -> sendAll(api, name, sent));
      thread.start();
      threads.add(thread);
    }
    Thread.sleep(LENGTH); // that is how long they send, and longer on a busy machine
    for (int i = 0; i < 6_000 && sent.size() <= LEAST; i++) {
      Thread.sleep(10);
    }
    close.run();
    for (Thread thread : threads) {
      thread.join(60_000);
      assertTrue(!thread.isAlive(), "a request waits on after the end");
    }
    return sent;
  }

  private static void sendAll(Limiter api, String key, Queue<Sent> sent) {
    var random = ThreadLocalRandom.current();
    while (true) {
      Cost cost = Cost.of("tokens", random.nextInt(150));
      try (Permit permit = api.acquire(cost)) {
        Thread.sleep(random.nextInt(4)); // the request
        sent.add(new Sent(key, permit.releasedAt(), System.nanoTime(), cost));
        permit.answered();
      } catch (LimiterClosedException | SourceUnavailableException | InterruptedException e) {
        return;
      }
    }
  }

  private static void audit(Limit limit, Queue<Sent> sent, Function<Sent, Boolean> which) {
    var audit = Audit.of(limit);
    sent.stream()
        .filter(which::apply)
        .sorted(Comparator.comparingLong(Sent::start))
        .forEach(each -> audit.add(each.start, each.end, each.cost));
    assertTrue(audit.report().kept(), () -> audit.report().text());
    assertTrue(sent.size() > LEAST, () -> "only " + sent.size() + " were sent");
  }
}
