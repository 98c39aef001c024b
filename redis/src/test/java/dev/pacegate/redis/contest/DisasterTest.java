package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.redis.rig.Arrivals;
import dev.pacegate.redis.rig.Await;
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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes share a limit while processes and servers die, stand still and forget. A peer in a
 * process of its own counts, and never counts too many; between disasters the limit is used. Each
 * limit has servers of its own; the tests mostly wait, so they run side by side.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(900)
class DisasterTest {

  private static final String WINDOW = "peer(100/1s, unanswered=2s)";
  private static final String PLACES = "concurrent(20, unanswered=2s)";

  /** A JVM needs two seconds of a processor until it is ready, and ninety others may want one. */
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** How many requests after a disaster show that it is over. */
  private static final int SOME = 20;

  /** E + D of {@link #PLACES}, and what a call and a loaded machine add. */
  private static final Duration DEAD_HOLD_PLACES = Duration.ofMillis(3100);

  /** Nine tenths of M/(I + E + answer), with E of a quarter second, and answers of 40 ms. */
  private static final double LEAST_RATE = 0.9 * 100 / (1 + 0.25 + 0.04);

  /** A time without disasters. */
  private record Calm(String after, long from, long to) {}

  private final List<Child> workers = new ArrayList<>();
  private final List<Calm> calms = new ArrayList<>();
  private String limit = "";
  private Duration unanswered = Duration.ZERO;
  private int started;
  private long killedAt;

  /** Of short intervals, for as long as it takes to go on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(50/500ms, unanswered=1s)",
        "concurrent(15, unanswered=1s)",
        "peer(bucket(100/1s, burst=20), unanswered=1s)",
        "peer(50/500ms, unanswered=1s) & concurrent(10, unanswered=1s)",
        "peer(20/500ms, unanswered=1s) within peer(40/500ms, unanswered=1s)",
        "peer(20/500ms, unanswered=1s) spread over 3 within peer(60/500ms, unanswered=1s)"
      })
  @Tag("servers")
  void thePeerNeverCountsTooMany(String limit) throws Exception {
    run(limit, 3, Duration.ofMillis(200), 0);
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
  @Execution(ExecutionMode.SAME_THREAD)
  void thePeerNeverCountsTooManyOfOtherKindsAndOfKeysForLong(String limit) throws Exception {
    run(limit, 4, Duration.ofSeconds(15), 0);
  }

  @Test
  @Tag("heavy")
  @Execution(ExecutionMode.SAME_THREAD)
  void thePeerNeverCountsTooManyInFiveMinutes() throws Exception {
    run(WINDOW, 4, Duration.ofSeconds(45), 0);
  }

  /** Rates, and how soon places are used again, are those of a machine that does nothing else. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {WINDOW + " | " + LEAST_RATE, PLACES + " | 25"})
  @Tag("idle")
  @Execution(ExecutionMode.SAME_THREAD)
  void betweenDisastersMostOfTheLimitIsUsed(String limit, double leastRate) throws Exception {
    run(limit, 4, Duration.ofSeconds(10), leastRate);
  }

  /** Asks for a rate between disasters unless that is 0, which takes a machine at leisure. */
  private void run(String limit, int processes, Duration calm, double leastRate) throws Exception {
    this.limit = limit;
    this.unanswered = Duration.ofSeconds(limit.contains("unanswered=1s") ? 1 : 2);
    try (var first = RedisServer.start(Version.V6_2);
        var second = RedisServer.with(Version.V6_2).replicaOf(first).start();
        var address = new CutProxy(first.port());
        var peer = PeerProcess.start(1)) {
      second.awaitInStep(first);
      for (int i = 0; i < processes; i++) {
        addWorker(address.uri(first), peer);
      }
      let("the start", peer, calm);
      workers.remove(0).kill9();
      killedAt = System.nanoTime();
      let("a process died", peer, calm);
      addWorker(address.uri(first), peer);
      workers.get(0).stop();
      let("a process stands still", peer, calm);
      workers.get(0).cont();
      let("it goes on", peer, calm);
      first.command("FLUSHALL");
      let("FLUSHALL", peer, calm);
      first.kill9();
      first.restart();
      second.awaitInStep(first);
      let("a restart of the server", peer, calm);
      first.kill9();
      second.promote();
      address.redirect(second.port());
      let("a failover", peer, calm);
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

  private void let(String after, PeerProcess peer, Duration calm) throws Exception {
    Thread.sleep(fence().toMillis()); // the longest that a disaster may cost
    int before = peer.count();
    long from = System.nanoTime();
    Thread.sleep(calm.toMillis()); // how much is sent meanwhile is the question
    Await.until("after " + after + " it goes on", LONGEST, () -> peer.count() - before >= SOME);
    calms.add(new Calm(after, from, System.nanoTime()));
  }

  /** H + E + I' of these limits at most, D, and what a loaded machine adds. */
  private Duration fence() {
    return unanswered.equals(Duration.ofSeconds(1))
        ? Duration.ofMillis(1900)
        : Duration.ofMillis(3600);
  }

  private void judge(PeerProcess peer, double leastRate) throws Exception {
    Arrivals arrivals = new Arrivals(peer.arrivals().list().stream().filter(this::counts).toList());
    String whole = limit.substring(limit.lastIndexOf(" within ") + 1).replaceFirst("^within ", "");
    for (Limit term : Limits.parse(whole).terms()) {
      judge(term, arrivals);
    }
    if (limit.contains(" within ")) {
      String perKeyText = limit.substring(0, limit.indexOf(" within "));
      Limit perKey = Limits.parse(perKeyText.replaceFirst(LimitWorker.SPREAD + "\\d+", ""));
      for (int key = 0; key < LimitWorker.KEYS; key++) {
        int of = key;
        judge(
            perKey,
            new Arrivals(
                arrivals.list().stream().filter(a -> a.sender() % Contender.KEYS == of).toList()));
      }
    }
    judgeRates(arrivals, leastRate);
    if (limit.equals(PLACES) && leastRate > 0) {
      judgePlacesOfTheDead(arrivals);
    }
  }

  /**
   * A process that stands still, or has no processor, between its permit and its request sends it
   * later than the limit says that requests are counted. What comes of that is not promised.
   */
  private boolean counts(Arrivals.Arrival arrival) {
    return arrival.at() - arrival.queuedAt() < unanswered.toNanos(); // queued: had its permit
  }

  /** The peer counts what arrives, when it arrives. */
  private static void judge(Limit term, Arrivals arrivals) {
    if (term instanceof Concurrent places) {
      int mostInside =
          arrivals.list().stream().mapToInt(each -> arrivals.inside(each.at())).max().orElse(0);
      System.out.printf("disasters: %s: most inside %d%n", term, mostInside);
      assertTrue(mostInside <= places.max(), () -> "inside " + mostInside);
      return;
    }
    var audit = Audit.of(term instanceof Peer counted ? counted.limit() : term);
    arrivals.list().forEach(each -> audit.add(each.at()));
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
