package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Two limiters of one limit, each on a connection of its own, and threads that send as much as they
 * are let. One limiter waits while the store is in trouble, the other refuses.
 *
 * <p>{@link #end} proves what holds in every trouble: the limit was never passed, only the limiter
 * that refuses has refused, and no waiter, permit, thread or connection is left.
 */
final class Traffic implements AutoCloseable {

  /** Its fence is 400 ms. */
  static final String SHORT = "peer(20/200ms, margin=0s, unanswered=50ms)";

  private static final Duration PROMISED = Duration.ofSeconds(1);

  /** How much longer than promised a loaded machine may take. */
  private static final int LOAD = 30;

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final long UNANSWERED = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int THREADS = 3;
  private static final int LOST = 8; // one in so many requests is never answered

  private final Limit limit;
  private final Remains remains = new Remains();
  private final List<Client> clients = new ArrayList<>();
  private final @Nullable RedisClient own; // of the program
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /**
   * A request.
   *
   * @param end when the peer can have counted it last
   */
  private record Sent(Client by, long start, long end) {}

  /** A program of those that share the limit. */
  private static final class Client {
    final RedisLimiters redis;
    final Limiter api;
    volatile @Nullable Throwable refused; // the last time
    volatile @Nullable Long sentLast;

    Client(RedisLimiters redis, Limit limit) {
      this.redis = redis;
      this.api = redis.limiter("api", limit);
    }
  }

  private Traffic(String limit, @Nullable RedisClient own) {
    this.limit = Limits.parse(limit);
    this.own = own;
  }

  /** Begins to send, by a server or by what stands before it, and waits until both may. */
  static Traffic by(String uri) throws InterruptedException {
    return by(uri, SHORT);
  }

  static Traffic by(String uri, String limit) throws InterruptedException {
    return by(uri, limit, null);
  }

  /** By a client of the program's own, which does not mind how long a reply takes. */
  static Traffic byOwnClient(String uri, String limit) throws InterruptedException {
    return by(uri, limit, RedisClient.create(uri));
  }

  /** By one that gives up what takes longer. */
  static Traffic byImpatientClient(String uri, String limit, Duration patience)
      throws InterruptedException {
    RedisClient own = RedisClient.create(uri);
    own.setOptions(
        ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled(patience)).build());
    return by(uri, limit, own);
  }

  private static Traffic by(String uri, String limit, @Nullable RedisClient own)
      throws InterruptedException {
    var traffic = new Traffic(limit, own);
    try {
      traffic.connect(uri, WhenDown.WAIT);
      traffic.connect(uri, WhenDown.FAIL);
      traffic.begin();
      traffic.awaitBoth("begin to send", System.nanoTime(), LONGEST);
      return traffic;
    } catch (Throwable e) {
      traffic.close();
      throw e;
    }
  }

  private void connect(String uri, WhenDown whenDown) throws InterruptedException {
    RedisLimiters.Builder builder =
        own == null ? RedisLimiters.builder(uri) : RedisLimiters.builder(own);
    RedisLimiters redis = Await.value("a connection", LONGEST, builder.whenDown(whenDown)::connect);
    clients.add(new Client(redis, limit));
  }

  private void begin() {
    for (Client client : clients) {
      for (int i = 0; i < THREADS; i++) {
        boolean impatient = i == 0;
        var thread = new Thread(() -> send(client, impatient), "sender");
        threads.add(thread);
        thread.start();
      }
    }
  }

  private void send(Client client, boolean impatient) {
    while (!stopped) {
      try {
        Optional<Permit> permit =
            impatient
                ? client.api.tryAcquire(1, Duration.ofMillis(20))
                : Optional.of(client.api.acquire());
        if (permit.isPresent()) {
          send(client, permit.get());
        }
      } catch (SourceUnavailableException e) {
        client.refused = e;
        pause(5); // as a program would before it asks again
      } catch (LimiterClosedException | InterruptedException e) {
        return;
      }
    }
  }

  private void send(Client client, Permit permit) {
    try (permit) {
      pause(ThreadLocalRandom.current().nextInt(3)); // the request
      boolean answered = ThreadLocalRandom.current().nextInt(LOST) > 0;
      long start = permit.releasedAt();
      // The peer counts none later than the limit says, however long a loaded machine takes here.
      long latest = start + UNANSWERED;
      long now = System.nanoTime();
      sent.add(new Sent(client, start, answered && now - latest < 0 ? now : latest));
      client.sentLast = start;
      if (answered) {
        permit.answered();
      }
    }
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how long nothing may be let through once the store has lost what it knew. */
  Duration fence() {
    return Duration.ofNanos(Terms.of(limit, Duration.ZERO).fence() * 1000);
  }

  /** Returns how many requests were sent so far. */
  int count() {
    return sent.size();
  }

  /** Waits until the limiter that refuses has refused anew, for that reason. */
  void awaitRefusal(String cause) throws InterruptedException {
    Client refuses = clients.get(1);
    refuses.refused = null;
    Await.until(
        () -> "refused with \"" + cause + "\", but " + refuses.refused,
        LONGEST,
        () -> ("" + refuses.refused).contains(cause));
  }

  /**
   * Asserts that the store answered none with an error. A loaded machine may not answer in time.
   */
  void assertNoErrorOfTheStore() {
    for (Client client : clients) {
      String last = "" + client.refused;
      assertFalse(last.contains("answers with an error"), last);
    }
  }

  /** Asserts that nothing is sent once the leases are used up, and that requests wait for that. */
  void assertStands() throws InterruptedException {
    Terms terms = Terms.of(limit, Duration.ZERO);
    TimeUnit.MICROSECONDS.sleep(terms.use() + terms.horizon()); // what was leased may be used
    long since = System.nanoTime();
    Thread.sleep(200); // that nothing is sent cannot be awaited
    assertTrue(
        sent.stream().allMatch(each -> each.start - since < 0),
        "sent while the store was in trouble");
    Await.until("a request waits", LONGEST, () -> clients.get(0).api.snapshot().waiting() > 0);
  }

  /** Waits until both limiters let through again, which the end of a trouble must lead to. */
  void awaitRecovery() throws InterruptedException {
    long since = System.nanoTime();
    Duration longest = fence().plus(PROMISED.multipliedBy(LOAD));
    long took = awaitBoth("recover", since, longest);
    System.out.printf(
        "%s: recovered within %d ms, promised %d ms%n",
        caller(), took / 1_000_000, fence().plus(PROMISED).toMillis());
  }

  private static String caller() {
    return StackWalker.getInstance()
        .walk(frames -> frames.map(StackWalker.StackFrame::getMethodName).skip(2).findFirst())
        .orElseThrow();
  }

  private long awaitBoth(String what, long since, Duration longest) throws InterruptedException {
    for (Client client : clients) {
      Await.until(
          () -> what + ", " + client.api.snapshot().unavailable(),
          longest,
          () -> client.sentLast != null && client.sentLast - since >= 0);
    }
    return clients.stream()
        .mapToLong(client -> firstSince(client, since) - since)
        .max()
        .orElseThrow();
  }

  private long firstSince(Client client, long since) {
    return sent.stream()
        .filter(request -> request.by == client && request.start - since >= 0)
        .mapToLong(Sent::start)
        .min()
        .orElseThrow();
  }

  /** Ends it and asserts what holds in every trouble. The server may be away or not. */
  void end(RedisServer server) throws Exception {
    close();
    assertEquals(null, clients.get(0).refused, "who waits is not refused");
    for (Client client : clients) {
      assertEquals(0, client.api.snapshot().waiting(), "waiters");
      assertEquals(0, client.api.snapshot().open(), "open permits");
    }
    remains.assertNone(server);
    var audit = Audit.of(limit);
    sent.stream()
        .sorted(Comparator.comparingLong(request -> request.start - sent.peek().start))
        .forEach(request -> audit.add(request.start, request.end, Cost.ONE));
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    clients.forEach(client -> client.redis.close());
    for (Thread thread : threads) {
      thread.join(LONGEST.toMillis());
      assertTrue(!thread.isAlive(), "a request waits on after the end");
    }
    if (own != null) {
      own.shutdown();
    }
  }
}
