package dev.pacegate.redis.contest;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process in which requests of many keys wait at once. Arguments: the server, the limit of a key,
 * how many keys there are, for how many seconds, and how many threads take permits of one key after
 * the other; with 0, each key has a request that waits all the time, without a thread. Prints
 * "ready", waits for a line, and after each second prints how many permits were taken in it.
 */
final class CrowdWorker {

  private final KeyedLimiter<Integer> keyed;
  private final long began = System.nanoTime();
  private final AtomicLong[] taken;
  private volatile boolean stopped;

  private CrowdWorker(KeyedLimiter<Integer> keyed, int seconds) {
    this.keyed = keyed;
    this.taken = new AtomicLong[seconds];
    for (int i = 0; i < seconds; i++) {
      taken[i] = new AtomicLong();
    }
  }

  public static void main(String[] args) throws Exception {
    int keys = Integer.parseInt(args[2]);
    int seconds = Integer.parseInt(args[3]);
    int threads = Integer.parseInt(args[4]);
    try (var redis = LimitWorker.connect(RedisLimiters.builder(args[0]).fresh());
        var keyed = redis.keyed("k", args[1]).maxKeys(Math.max(keys, 16)).<Integer>build()) {
      System.out.println("ready");
      if (System.in.read() < 0) {
        return;
      }
      var worker = new CrowdWorker(keyed, seconds);
      worker.run(keys, threads);
      System.in.read(); // closing makes calls too
    }
  }

  private void run(int keys, int threads) throws InterruptedException {
    for (int key = 0; key < (threads == 0 ? keys : 0); key++) {
      takeAgainAndAgain(key);
    }
    var takers = new ArrayList<Thread>();
    for (int first = 0; first < threads; first++) {
      int each = first;
      takers.add(new Thread(() -> takeInTurn(each, threads, keys), "taker"));
    }
    takers.forEach(Thread::start);
    for (int second = 0; second < taken.length; second++) {
      long until = began + Duration.ofSeconds(second + 1).toNanos();
      TimeUnit.NANOSECONDS.sleep(until - System.nanoTime());
      System.out.println("taken " + taken[second]);
    }
    stopped = true;
    for (Thread each : takers) {
      each.interrupt();
      each.join();
    }
  }

  private void takeAgainAndAgain(int key) {
    var unused =
        keyed
            .acquireAsync(key)
            .thenAccept(
                permit -> {
                  count(permit);
                  if (!stopped) {
                    takeAgainAndAgain(key);
                  }
                });
  }

  private void takeInTurn(int first, int step, int keys) {
    try {
      for (int key = first; !stopped; key = (key + step) % keys) {
        count(keyed.acquire(key));
      }
    } catch (InterruptedException stop) {
      // It is over.
    }
  }

  private void count(Permit permit) {
    permit.answered();
    long second = (System.nanoTime() - began) / 1_000_000_000;
    if (second < taken.length) {
      taken[(int) second].incrementAndGet();
    }
  }
}
