package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * HAProxy, whose {@code http_req_rate} estimates what came in the last second from that second's
 * window and the one before, refuses no request that keeps to a bucket, and many that keep to a
 * window.
 */
@Timeout(300)
class HaproxyTest {

  private static final int RATE = 100;
  private static final String BUCKET = "peer(bucket(90/1s, burst=10))";

  /** What must be delivered in a second. */
  private static final double LEAST = 85;

  private static final int TRIES = 3;

  @TempDir Path folder;

  @Test
  @Tag("servers")
  void aBucketIsNeverRefused() throws Exception {
    neverRefused(900, 0);
  }

  @Test
  @Tag("idle") // a busy HAProxy stamps requests late: it reads the clock once a round
  void aBucketIsNeverRefusedAtLength() throws Exception {
    neverRefused(10_000, 0);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void aBucketIsNearlyUsedUp() throws Exception {
    neverRefused(2_000, LEAST);
  }

  /**
   * Both kinds at once, as each takes a second for 90 requests. The speed must be reached once in a
   * few tries, as machines are busy.
   */
  private void neverRefused(int requests, double least) throws Exception {
    try (var counting = new Haproxy(folder.resolve("counts"), RATE, "1s", true);
        var forgiving = new Haproxy(folder.resolve("forgives"), RATE, "1s", false)) {
      double best = 0;
      for (int i = 0; i < TRIES && best < Math.max(1, least); i++) {
        var one =
            CompletableFuture.supplyAsync(() -> Trial.paced(BUCKET, counting.uri(), requests));
        Trial other = Trial.paced(BUCKET, forgiving.uri(), requests);
        double slower =
            Math.min(
                delivered("HAProxy that counts what it refuses", one.get()),
                delivered("HAProxy that counts what it lets through", other));
        best = Math.max(best, slower);
      }
      assertTrue(best >= least, best + " a second");
      Trial.refused("HAProxy that counts what it refuses", counting.uri(), 500);
      Trial.refused("HAProxy that counts what it lets through", forgiving.uri(), 500);
    }
  }

  private static double delivered(String server, Trial trial) {
    double perSecond = trial.requests() / trial.seconds();
    System.out.printf("%s: %s, %.1f a second%n", server, trial, perSecond);
    assertEquals(0, trial.refused(), server + ": " + trial);
    return perSecond;
  }

  /** The same number as a window is read as up to twice as much; half of it is not too much. */
  @Test
  @Tag("servers")
  void aWindowIsRefused() throws Exception {
    try (var counting = new Haproxy(folder.resolve("w1"), 10, "1s", true);
        var forgiving = new Haproxy(folder.resolve("w2"), 10, "1s", false);
        var halfCounting = new Haproxy(folder.resolve("h1"), 10, "1s", true);
        var halfForgiving = new Haproxy(folder.resolve("h2"), 10, "1s", false)) {
      var whole = List.of(later("10", counting, 38), later("10", forgiving, 38));
      var half = List.of(later("5", halfCounting, 20), later("5", halfForgiving, 20));
      for (CompletableFuture<Trial> each : whole) {
        System.out.printf("HAProxy of 10 in 1 s: %s%n", each.get());
        assertTrue(each.get().refused() > 0, each.get()::toString);
      }
      for (CompletableFuture<Trial> each : half) {
        assertEquals(0, each.get().refused(), each.get()::toString);
      }
    }
  }

  private static CompletableFuture<Trial> later(String most, Haproxy haproxy, int requests) {
    String limit = "peer(" + most + "/1s)";
    return CompletableFuture.supplyAsync(
        () -> Trial.paced(limit, haproxy.uri(), requests), work -> new Thread(work).start());
  }
}
