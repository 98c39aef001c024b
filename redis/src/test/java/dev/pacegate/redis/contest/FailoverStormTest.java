package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.contest.FailoverStorm.Event;
import dev.pacegate.redis.contest.FailoverStorm.Seen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real Cluster and real Sentinels replace primaries that are killed, stand still and are cut off,
 * slots move and primaries return. The long form writes docs/measured/cluster-failovers.md; {@code
 * -Dpacegate.storm=300} is how many seconds each limit has, {@code -Dpacegate.seed} repeats the
 * order of events.
 */
@Timeout(1200)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class FailoverStormTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-failovers.md");
  private static final String WINDOW = "peer(100/1s, unanswered=1s)";
  private static final int SECONDS = Integer.getInteger("pacegate.storm", 300);

  private final List<String> rows = new ArrayList<>();

  @Test
  @Tag("servers")
  void aClusterInShort() throws Exception {
    try (var fleet = Fleet.cluster();
        var storm = FailoverStorm.start(fleet, WINDOW)) {
      storm.let(Event.MOVED);
      storm.let(Event.STOPPED);
      storm.let(Event.KILLED);
      judge(storm);
    }
  }

  @Test
  @Tag("servers")
  void sentinelsInShort() throws Exception {
    try (var fleet = Fleet.sentinels();
        var storm = FailoverStorm.start(fleet, WINDOW)) {
      storm.let(Event.STOPPED);
      judge(storm);
    }
  }

  private static List<Seen> judge(FailoverStorm storm) throws Exception {
    List<Seen> seen = storm.judge();
    assertTrue(!seen.isEmpty());
    return seen;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Cluster   | 100/1s",
        "Cluster   | peer(100/1s, unanswered=1s)",
        "Cluster   | peer(20/1s, unanswered=1s) within peer(50/1s, unanswered=1s)",
        "Sentinel  | 100/1s",
        "Sentinel  | peer(100/1s, unanswered=1s)",
        "Sentinel  | peer(20/1s, unanswered=1s) within peer(50/1s, unanswered=1s)"
      })
  @Tag("heavy")
  @Execution(ExecutionMode.SAME_THREAD)
  void thePeerNeverCountsTooManyAndAllProcessesGoOn(String kind, String limit) throws Exception {
    try (var fleet = kind.equals("Cluster") ? Fleet.cluster() : Fleet.sentinels();
        var storm = FailoverStorm.start(fleet, limit)) {
      storm.rage(Duration.ofSeconds(SECONDS));
      List<Seen> seen = judge(storm);
      for (Event event : Event.values()) {
        add(kind, limit, event, seen.stream().filter(each -> each.event() == event).toList());
      }
    }
  }

  private void add(String kind, String limit, Event event, List<Seen> seen) {
    if (!seen.isEmpty()) {
      rows.add(
          "| %s | `%s` | %s | %d | %s | %s | %s | %s |%n"
              .formatted(
                  kind,
                  limit,
                  event.text,
                  seen.size(),
                  longest(seen, Seen::takeover),
                  seconds(fence(limit)),
                  longest(seen, Seen::goesOn),
                  longest(seen, Seen::allGoOn)));
    }
  }

  private static String longest(List<Seen> seen, ToLongFunction<Seen> time) {
    long nanos = seen.stream().mapToLong(time).max().orElse(0);
    return nanos == 0 ? "" : seconds(Duration.ofNanos(nanos));
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

        Made by one run of `FailoverStormTest`, on Redis 7.0: %d processes of %d threads each send all they may for %d s to a peer in a process of its own, which counts and answers after 20 to 60 ms, while the primary of their limit is killed, stands still, is cut off from other servers but not from the processes, and returns. The peer never counted more than the limit.
        The Cluster has three primaries with a replica each, and a node timeout of 2 s. Three Sentinels watch a primary with two replicas, and take it for down after 1 s. All run on one machine.

        All times are in seconds, and the longest of those events. *Takeover* is the time until all other servers agree on another primary. The *fence* is F of [the documentation](../cluster.md#what-it-costs): the promise is that requests go on a takeover and a fence after the event. *Requests go on* is the longest time without any request, *all go on* that in which one of the processes sent none.

        | servers | limit | event | times | takeover | fence | requests go on | all go on |
        |---|---|---|---|---|---|---|---|
        """
            .formatted(FailoverStorm.PROCESSES, FailoverStorm.THREADS, SECONDS)
        + String.join("", rows);
  }
}
