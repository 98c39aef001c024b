package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.contest.FailoverStorm.Event;
import dev.pacegate.redis.contest.FailoverStorm.Seen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A real Cluster and real Sentinels replace primaries that are killed, stand still and are cut off,
 * slots move and primaries return. Both run side by side, as they mostly wait. The long form writes
 * docs/measured/cluster-failovers.md; {@code -Dpacegate.storm=300} is how many seconds each limit
 * has, {@code -Dpacegate.seed} repeats the order of events.
 */
@Timeout(2400)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class FailoverStormTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-failovers.md");
  private static final String WINDOW = "peer(100/1s, unanswered=1s)";
  private static final List<String> LIMITS =
      List.of("100/1s", WINDOW, "peer(20/1s, unanswered=1s) within peer(50/1s, unanswered=1s)");
  private static final int SECONDS = Integer.getInteger("pacegate.storm", 300);

  private final Map<String, List<String>> rows = new TreeMap<>(); // of each kind of servers

  @Test
  @Tag("servers")
  void aClusterInShort() throws Exception {
    try (var fleet = Fleet.cluster();
        var storm = FailoverStorm.start(fleet, WINDOW)) {
      storm.let(Event.MOVED, true);
      storm.let(Event.KILLED, false);
      judge(storm);
    }
  }

  @Test
  @Tag("servers")
  void sentinelsInShort() throws Exception {
    try (var fleet = Fleet.sentinels();
        var storm = FailoverStorm.start(fleet, WINDOW)) {
      storm.let(Event.STOPPED, true);
      judge(storm);
    }
  }

  private static List<Seen> judge(FailoverStorm storm) throws Exception {
    List<Seen> seen = storm.judge();
    assertTrue(!seen.isEmpty());
    return seen;
  }

  @Test
  @Tag("heavy")
  void aClusterAtLength() throws Exception {
    rage("Cluster", Fleet::cluster);
  }

  @Test
  @Tag("heavy")
  void sentinelsAtLength() throws Exception {
    rage("Sentinel", Fleet::sentinels);
  }

  private void rage(String kind, Callable<Fleet> servers) {
    assertAll(LIMITS.stream().map(limit -> () -> rage(kind, servers, limit)));
  }

  private void rage(String kind, Callable<Fleet> servers, String limit) throws Exception {
    try (var fleet = servers.call();
        var storm = FailoverStorm.start(fleet, limit)) {
      storm.rage(Duration.ofSeconds(SECONDS));
      List<Seen> seen = judge(storm);
      for (Event event : Event.values()) {
        add(kind, limit, event, seen.stream().filter(each -> each.event() == event).toList());
      }
    }
  }

  private synchronized void add(String kind, String limit, Event event, List<Seen> seen) {
    if (!seen.isEmpty()) {
      Duration promised =
          longest(seen, Seen::takeover).plus(finding(kind, event)).plus(fence(limit));
      Duration noRequest = longest(seen, Seen::goesOn);
      rows.computeIfAbsent(kind, none -> new ArrayList<>())
          .add(
              "| %s | `%s` | %s | %d | %s | %s | %s | %s | %s |%n"
                  .formatted(
                      kind,
                      limit.replace(LimitWorker.WITHIN, "`" + LimitWorker.WITHIN + "`"),
                      event.text,
                      seen.size(),
                      seconds(longest(seen, Seen::takeover)),
                      seconds(fence(limit)),
                      seconds(promised),
                      noRequest.compareTo(promised) > 0
                          ? "**" + seconds(noRequest) + "**"
                          : seconds(noRequest),
                      seconds(longest(seen, Seen::allGoOn))));
    }
  }

  /** How long a process may take until it has found the new primary, as docs/cluster.md says. */
  private static Duration finding(String kind, Event event) {
    if (kind.equals("Cluster")) {
      return Duration.ofSeconds(2);
    }
    return Duration.ofSeconds(event == Event.CUT_OFF ? 3 : 1);
  }

  private static Duration longest(List<Seen> seen, ToLongFunction<Seen> time) {
    return Duration.ofNanos(seen.stream().mapToLong(time).max().orElse(0));
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f", time.toMillis() / 1e3);
  }

  /** H + E + D + I': all intervals here are of a second. */
  private static Duration fence(String limit) {
    Duration interval = Duration.ofMillis(1002);
    Duration unanswered = Duration.ofSeconds(limit.contains("unanswered") ? 1 : 0);
    return interval.plus(interval.dividedBy(2)).plus(unanswered);
  }

  @AfterAll
  void writeThePage() throws Exception {
    String page = page();
    if (!rows.isEmpty()) {
      System.out.println(page);
      if (Boolean.getBoolean("pacegate.write")) {
        Files.writeString(PAGE, page);
      }
    }
  }

  private String page() {
    return """
        # One limit for many processes: failovers

        Made by one run of `FailoverStormTest`, on Redis 7.0: %d processes of %d threads share a limit and each send all they may, for %d s, to a peer in a process of its own, which counts and answers after 20 to 60 ms. Meanwhile the primary of their limit is killed, stands still, or is cut off from other servers but not from the processes; it returns, and slots move. Before half of these events a process is killed. In no interval did the peer count more than the limit.
        The Cluster has three primaries with a replica each, and a node timeout of 2 s. Three Sentinels watch a primary with two replicas, and call it down after 1 s. All run on one machine, the Cluster beside the Sentinels.

        Times are in seconds, each the longest of all such events; what is longer than promised is bold. *Takeover* is how long it took until all other servers agreed on another primary, and *fence* is F of [the documentation](../cluster.md#what-it-costs). *Promised* is the sum of the two and of the time in which [a process finds](../cluster.md#sentinel-and-redis-cluster) the new primary. *No request* is the longest time in which the peer got none, *none of one process* that in which one of the four sent none: its turn comes after that of the others.

        | servers | limit | event | times | takeover | fence | promised | no request | none of one process |
        |---|---|---|---|---|---|---|---|---|
        """
            .formatted(FailoverStorm.PROCESSES, FailoverStorm.THREADS, SECONDS)
        + rows.values().stream().flatMap(List::stream).collect(Collectors.joining());
  }
}
