package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Stops a server now and then, when the client has sent so many requests. By number and not by
 * time, so that the clients of a peer lose about as many requests; each stall begins with the first
 * request of a burst.
 */
final class Stalls implements AutoCloseable {

  static final Duration SHORT = Duration.ofMillis(150);
  static final Duration LONG = Duration.ofMillis(450);

  private final Server server;
  private final Map<Integer, Duration> plan;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final List<Future<Duration>> stalls = new ArrayList<>();

  Stalls(Server server, Map<Integer, Duration> plan) {
    this.server = server;
    this.plan = plan;
  }

  /**
   * Returns before which requests a server stalls.
   *
   * @param requests how many will be sent
   * @param burst how many are sent at once
   */
  static Map<Integer, Duration> plan(List<Duration> lengths, int requests, int burst, long seed) {
    var random = new Random(seed);
    var plan = new HashMap<Integer, Duration>();
    int part = requests / lengths.size();
    for (int i = 0; i < lengths.size(); i++) {
      int at = i * part + part / 4 + random.nextInt(Math.max(1, part / 2));
      plan.put(Math.max(1, at / burst) * burst, lengths.get(i));
    }
    return plan;
  }

  /** A request leaves the client, after so many others. */
  synchronized void sent(int before) {
    Duration length = plan.get(before);
    if (length != null && !thread.isShutdown()) {
      stalls.add(thread.submit(() -> server.pause(length)));
    }
  }

  /** Returns how long the longest stall took, when all are over. */
  synchronized Duration longest() throws InterruptedException {
    thread.shutdown();
    Duration longest = Duration.ZERO;
    try {
      for (Future<Duration> stall : stalls) {
        Duration length = stall.get();
        longest = length.compareTo(longest) > 0 ? length : longest;
      }
    } catch (ExecutionException e) {
      throw new UncheckedIOException(new IOException(e.getCause()));
    }
    return longest;
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
