package dev.pacegate.redis;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.rig.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A program that shares a limit of starts, and sends as much as it is let once it has begun. It
 * notes when.
 */
final class Program implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMillis(20);
  private static final Duration LONGEST = Duration.ofMinutes(1); // until the server answers

  final RedisLimiters redis;
  private final Limiter api;
  private final Queue<Long> starts;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong count = new AtomicLong();
  private volatile boolean stopped;

  /** Connects. A name that the server does not know is new. */
  Program(String uri, String limit, Queue<Long> starts) throws InterruptedException {
    this(RedisLimiters.builder(uri), limit, starts);
  }

  /** As the other, with a client of its own. */
  Program(RedisLimiters.Builder builder, String limit, Queue<Long> starts)
      throws InterruptedException {
    this.redis = Await.value("a connection", LONGEST, builder.fresh()::connect);
    this.api = redis.limiter("api", limit);
    this.starts = starts;
  }

  void begin() {
    var thread = new Thread(this::sendAll, "sender");
    threads.add(thread);
    thread.start();
  }

  private void sendAll() {
    try {
      while (!stopped) {
        send();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends if it is let within a moment. Returns whether it was. */
  boolean send() throws InterruptedException {
    Optional<Permit> permit = api.tryAcquire(1, PATIENCE);
    if (permit.isEmpty()) {
      return false;
    }
    try (Permit released = permit.get()) {
      starts.add(released.releasedAt());
      released.answered();
    }
    count.incrementAndGet();
    return true;
  }

  /** Sends units together, as soon as it is let. */
  void send(int units) throws InterruptedException {
    try (Permit released = api.acquire(units)) {
      for (int i = 0; i < units; i++) {
        starts.add(released.releasedAt());
      }
      released.answered();
    }
    count.addAndGet(units);
  }

  /** Returns how many it has sent. */
  long count() {
    return count.get();
  }

  SharedLimitStatus status() throws InterruptedException {
    return Await.value("a status", LONGEST, () -> redis.operations().status("api").orElseThrow());
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
    redis.close();
  }
}
