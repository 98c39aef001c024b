package dev.pacegate.examples;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Ten thousand virtual threads call an API that allows only so many calls in any interval. None is
 * refused, because the limiter counts as the API does, however long a call takes. A waiting virtual
 * thread costs next to nothing; on a JDK without virtual threads, a pool of platform threads does
 * the work.
 */
public final class QuotaApi {

  /** The other side: counts calls when they arrive, and refuses what is too much. */
  public static final class Peer {

    private final int most;
    private final long nanos;
    private final ArrayDeque<Long> arrivals = new ArrayDeque<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** Makes a peer that answers at most {@code most} calls in any {@code interval}. */
    public Peer(int most, Duration interval) {
      this.most = most;
      this.nanos = interval.toNanos();
    }

    /** Answers a call, which takes a while to arrive, and its answer to come back. */
    public String call(int number) {
      travel();
      boolean accepted = isAccepted();
      (accepted ? answered : refused).incrementAndGet();
      travel();
      return accepted ? "answer " + number : "429";
    }

    private static void travel() {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(3_000_000));
    }

    private synchronized boolean isAccepted() {
      long now = System.nanoTime();
      while (!arrivals.isEmpty() && now - arrivals.peek() >= nanos) {
        arrivals.remove();
      }
      return arrivals.size() < most && arrivals.add(now);
    }

    /** Returns how many calls were answered. */
    public int answered() {
      return answered.get();
    }

    /** Returns how many calls were refused. */
    public int refused() {
      return refused.get();
    }
  }

  private QuotaApi() {}

  /** Calls {@code peer} so many times, each from a thread of its own, as {@code limit} allows. */
  public static void callAll(Peer peer, Limit limit, int calls)
      throws InterruptedException, ExecutionException {
    Limiter api = Limiter.builder(limit).name("api").build();
    ExecutorService threads = threads();
    try {
      var results = new ArrayList<Future<String>>();
      for (int i = 0; i < calls; i++) {
        int number = i;
        results.add(threads.submit(() -> api.call(() -> peer.call(number))));
      }
      for (Future<String> result : results) {
        result.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Virtual threads came with JDK 21; this code also runs on 17. */
  private static ExecutorService threads() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException before21) {
      return Executors.newFixedThreadPool(200);
    }
  }

  /** Makes 10 000 calls to a peer that answers 1000 in any 100 ms. */
  public static void main(String[] arguments) throws Exception {
    long began = System.nanoTime();
    var peer = new Peer(1_000, Duration.ofMillis(100));
    callAll(peer, Limits.parse("peer(1000/100ms)"), 10_000);
    System.out.printf(
        "%d answered, %d refused, %d ms%n",
        peer.answered(), peer.refused(), (System.nanoTime() - began) / 1_000_000);
  }
}
