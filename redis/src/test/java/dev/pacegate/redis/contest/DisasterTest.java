package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Arrivals;
import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.PeerProcess;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Four processes share a limit while processes and servers die, stand still and forget. A peer in a
 * process of its own counts, and never counts too many; between disasters the limit is used.
 */
@Timeout(600)
class DisasterTest {

  private static final int MOST = 100;
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** H + E + D + I' of {@code peer(100/1s, unanswered=2s)}, and what a loaded machine adds. */
  private static final Duration FENCE = Duration.ofMillis(3600);

  /** Nine tenths of M/(I + E + answer), with E of a quarter second, and answers of 40 ms. */
  private static final double LEAST_RATE = 0.9 * MOST / (1 + 0.25 + 0.04);

  /** A time without disasters. */
  private record Calm(String after, long from, long to) {}

  private final List<Child> workers = new ArrayList<>();
  private final List<Calm> calms = new ArrayList<>();

  @Test
  @Tag("servers")
  void thePeerNeverCountsTooMany() throws Exception {
    run(Duration.ofSeconds(4), MOST / 4.0); // it goes on, on a loaded machine too
  }

  @Test
  @Tag("heavy")
  void thePeerNeverCountsTooManyInFiveMinutes() throws Exception {
    run(Duration.ofSeconds(45), LEAST_RATE);
  }

  private void run(Duration calm, double leastRate) throws Exception {
    try (var first = RedisServer.start(Version.V6_2);
        var second = RedisServer.with(Version.V6_2).replicaOf(first).start();
        var address = new CutProxy(first.port());
        var peer = PeerProcess.start(1)) {
      second.awaitInStep(first);
      for (int i = 0; i < 4; i++) {
        addWorker(address.uri(first), peer);
      }
      let("the start", calm);
      workers.remove(0).kill9();
      let("a process died", calm);
      addWorker(address.uri(first), peer);
      workers.get(0).stop();
      let("a process stands still", calm);
      workers.get(0).cont();
      let("it goes on", calm);
      first.command("FLUSHALL");
      let("FLUSHALL", calm);
      first.kill9();
      first.restart();
      second.awaitInStep(first);
      let("a restart of the server", calm);
      first.kill9();
      second.promote();
      address.redirect(second.port());
      let("a failover", calm);
      judge(peer.arrivals(), leastRate);
    } finally {
      for (Child worker : workers) {
        worker.close();
      }
    }
  }

  private void addWorker(String uri, PeerProcess peer) throws Exception {
    var load =
        new Load(
            uri,
            "api",
            MOST,
            INTERVAL,
            peer.port(),
            workers.size(),
            12,
            Duration.ofHours(1), // until it is ended
            "replicated");
    Child worker = Child.start(PacegateWorker.class, load.toArguments());
    workers.add(worker);
    worker.line("ready", LONGEST);
    worker.write("go");
  }

  private void let(String after, Duration calm) throws InterruptedException {
    Thread.sleep(FENCE.toMillis()); // the longest that a disaster may cost
    long from = System.nanoTime();
    Thread.sleep(calm.toMillis()); // how much is sent meanwhile is the question
    calms.add(new Calm(after, from, System.nanoTime()));
  }

  private void judge(Arrivals arrivals, double leastRate) {
    int most = arrivals.most(INTERVAL);
    System.out.printf(
        "disasters: %d requests, worst %s: %d of %d%n", arrivals.count(), INTERVAL, most, MOST);
    var slow = new ArrayList<String>();
    for (Calm calm : calms) {
      double rate = rate(arrivals, calm);
      String text = "after %s: %.1f/s".formatted(calm.after, rate);
      System.out.println("disasters: " + text);
      if (rate < leastRate) {
        slow.add(text);
      }
    }
    assertTrue(most <= MOST, () -> "worst " + most);
    assertTrue(slow.isEmpty(), slow::toString);
  }

  private static double rate(Arrivals arrivals, Calm calm) {
    long count =
        arrivals.list().stream()
            .filter(each -> each.at() - calm.from >= 0 && each.at() - calm.to < 0)
            .count();
    return count * 1e9 / (calm.to - calm.from);
  }
}
