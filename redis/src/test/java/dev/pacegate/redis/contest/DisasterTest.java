package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Four processes share a limit while processes and servers die, stand still and forget. A peer in a
 * process of its own counts, and never counts too many; between disasters the limit is used.
 */
@Timeout(900)
class DisasterTest {

  private static final String WINDOW = "peer(100/1s, unanswered=2s)";
  private static final String PLACES = "concurrent(20, unanswered=2s)";
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** H + E + D + I' of the limits, and what a loaded machine adds. */
  private static final Duration FENCE = Duration.ofMillis(3600);

  /** E + D of {@link #PLACES}, and what a call and a loaded machine add. */
  private static final Duration DEAD_HOLD_PLACES = Duration.ofMillis(3100);

  /** Nine tenths of M/(I + E + answer), with E of a quarter second, and answers of 40 ms. */
  private static final double LEAST_RATE = 0.9 * 100 / (1 + 0.25 + 0.04);

  /** A time without disasters. */
  private record Calm(String after, long from, long to) {}

  private final List<Child> workers = new ArrayList<>();
  private final List<Calm> calms = new ArrayList<>();
  private String limit = "";
  private int started;
  private long killedAt;

  @Test
  @Tag("servers")
  void thePeerNeverCountsTooMany() throws Exception {
    run(WINDOW, Duration.ofSeconds(4), 25); // it goes on, on a loaded machine too
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PLACES,
        "peer(bucket(100/1s, burst=20), unanswered=2s)",
        "peer(100/1s, unanswered=2s) & concurrent(10, unanswered=2s)",
        "peer(20/1s, unanswered=2s) within peer(50/1s, unanswered=2s)"
      })
  @Tag("servers")
  void thePeerNeverCountsTooManyOfOtherKindsAndOfKeys(String limit) throws Exception {
    run(limit, Duration.ofSeconds(2), 10); // longer than from one burst to the next
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PLACES,
        "peer(bucket(100/1s, burst=20), unanswered=2s)",
        "peer(100/1s, unanswered=2s) & concurrent(10, unanswered=2s)",
        "peer(20/1s, unanswered=2s) within peer(50/1s, unanswered=2s)"
      })
  @Tag("heavy")
  void thePeerNeverCountsTooManyOfOtherKindsAndOfKeysForLong(String limit) throws Exception {
    run(limit, Duration.ofSeconds(15), 25);
  }

  @Test
  @Tag("heavy")
  void thePeerNeverCountsTooManyInFiveMinutes() throws Exception {
    run(WINDOW, Duration.ofSeconds(45), LEAST_RATE);
  }

  private void run(String limit, Duration calm, double leastRate) throws Exception {
    this.limit = limit;
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
      killedAt = System.nanoTime();
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
      judge(peer, leastRate);
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
            0,
            Duration.ZERO,
            peer.port(),
            started++,
            12,
            Duration.ofHours(1), // until it is ended
            limit);
    Child worker = Child.start(LimitWorker.class, load.toArguments());
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

  private void judge(PeerProcess peer, double leastRate) throws Exception {
    Arrivals arrivals = peer.arrivals();
    String whole = limit.substring(limit.lastIndexOf(" within ") + 1).replaceFirst("^within ", "");
    for (Limit term : Limits.parse(whole).terms()) {
      judge(term, arrivals.list(), peer.mostInside());
    }
    if (limit.contains(" within ")) {
      Limit perKey = Limits.parse(limit.substring(0, limit.indexOf(" within ")));
      for (int key = 0; key < LimitWorker.KEYS; key++) {
        int of = key;
        judge(
            perKey,
            arrivals.list().stream().filter(a -> a.sender() % Contender.KEYS == of).toList(),
            0);
      }
    }
    judgeRates(arrivals, leastRate);
    if (limit.equals(PLACES)) {
      judgePlacesOfTheDead(arrivals);
    }
  }

  /** The peer counts what arrives, when it arrives. */
  private static void judge(Limit term, List<Arrivals.Arrival> arrivals, int mostInside) {
    if (term instanceof Concurrent places) {
      System.out.printf("disasters: %s: most inside %d%n", term, mostInside);
      assertTrue(mostInside <= places.max(), () -> "inside " + mostInside);
      return;
    }
    var audit = Audit.of(term instanceof Peer counted ? counted.limit() : term);
    arrivals.forEach(each -> audit.add(each.at()));
    System.out.printf("disasters: %s: %s%n", term, audit.verdict().text());
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }

  private void judgeRates(Arrivals arrivals, double leastRate) {
    var slow = new ArrayList<String>();
    for (Calm calm : calms) {
      double rate = rate(arrivals, calm);
      String text = "after %s: %.1f/s".formatted(calm.after, rate);
      System.out.println("disasters: " + text);
      if (rate < leastRate) {
        slow.add(text);
      }
    }
    assertTrue(slow.isEmpty(), slow::toString);
  }

  private void judgePlacesOfTheDead(Arrivals arrivals) {
    long step = Duration.ofMillis(10).toNanos();
    long at = killedAt + Duration.ofMillis(200).toNanos(); // by then its requests are over
    while (arrivals.inside(at) < 20 && at - killedAt < LONGEST.toNanos()) {
      at += step;
    }
    long millis = (at - killedAt) / 1_000_000;
    System.out.println("disasters: all places are used again after " + millis + " ms");
    assertTrue(millis <= DEAD_HOLD_PLACES.toMillis(), () -> "after " + millis + " ms");
  }

  private static double rate(Arrivals arrivals, Calm calm) {
    long count =
        arrivals.list().stream()
            .filter(each -> each.at() - calm.from >= 0 && each.at() - calm.to < 0)
            .count();
    return count * 1e9 / (calm.to - calm.from);
  }
}
