package dev.pacegate.simulator;

import static dev.pacegate.simulator.MeasuredTable.read;

import java.io.IOException;
import java.util.Locale;

/** Sums up the pages in {@code docs/measured}: every number is one of theirs, or a sum of them. */
final class MeasuredSummary {

  private final StringBuilder text = new StringBuilder();

  private MeasuredSummary() {}

  static String page() throws IOException {
    var summary = new MeasuredSummary();
    summary.text.append(
        """
        # Measured

        Each page is written by the command that measured it, and says how. Results that miss a goal
        are in bold there. A test takes the numbers below from those pages.

        | question | result | page |
        |---|---|---|
        """);
    summary.servers();
    summary.rejected();
    summary.calls();
    summary.rates();
    summary.shared();
    summary.text.append(
        """

        All but the last two are written by [`benchmarks/run`](../../benchmarks/run), those two by tests that start Redis. So are
        [how long failovers take](cluster-failovers.md), [what a crowd of keys gets](cluster-crowd.md) and
        [what a call costs Redis](cluster-script-cost.md). Other numbers from the
        same command are in [coming from another library](../classics.md), [the proxy beside others](sidecars.md) and
        [what the proxy costs](passing.md). How the measurements are made, and why: [decisions](../decisions/benchmarks.md).
        """);
    return summary.text.toString();
  }

  private void servers() throws IOException {
    MeasuredTable all = read("peers.md", "## What was measured");
    row(
        "How many requests do real servers reject?",
        "Pacegate: %s; Guava: %s; Resilience4j: %s; no limiter: %s"
            .formatted(
                refused(all, "Pacegate"),
                refused(all, "Guava"),
                refused(all, "Resilience4j"),
                refused(all, "JDK client")),
        "real servers",
        "peers.md#what-was-measured");
    row(
        "How much of a server's limit do clients use?",
        "10 in 1 s: %s with Pacegate, %s without a limiter; 100 in 10 s: %s and %s"
            .formatted(
                used(all, "10 in 1 s: `peer(10/1s, unanswered=1s)`", "Pacegate"),
                used(all, "10 in 1 s: `peer(10/1s, unanswered=1s)`", "JDK client"),
                used(all, "100 in 10 s: `peer(100/10s, unanswered=1s)`", "Pacegate"),
                used(all, "100 in 10 s: `peer(100/10s, unanswered=1s)`", "JDK client")),
        "real servers",
        "peers.md#what-was-measured");
  }

  private static String refused(MeasuredTable all, String client) {
    MeasuredTable of = all.where("client", client);
    return number(of.sum("refused")) + " of " + number(of.sum("sent"));
  }

  /** Returns what a client uses of a server's limit; only the first row of a server names it. */
  private static String used(MeasuredTable all, String server, String client) {
    int row = all.column("server: limit for it").indexOf("express-rate-limit, draft-8, " + server);
    while (!all.column("client").get(row).equals(client)) {
      row++;
    }
    return all.column("of the limit").get(row);
  }

  private void rejected() throws IOException {
    MeasuredTable random =
        read("excess.md", "### 8 requests a second at random, 20 to 80 ms on their way");
    MeasuredTable endless = read("excess.md", "### Endless demand, 20 to 80 ms on their way");
    String peer = "Pacegate `peer(10/1s, unanswered=6s)`";
    row(
        "8 requests a second at random, the API allows 10: how many of 100 000 are rejected?",
        "`peer(10/1s)`: %s; `10/1s`: %s; Bucket4j: %s; Resilience4j: %s"
            .formatted(
                random.cell(peer, "refused"),
                random.cell("Pacegate `10/1s`", "refused"),
                random.cell("Bucket4j, greedy refill", "refused"),
                random.cell("Resilience4j", "refused")),
        "rejected requests",
        "excess.md#8-requests-a-second-at-random-20-to-80-ms-on-their-way");
    row(
        "What does `peer(10/1s)` cost there?",
        "half of the requests wait up to %s; endless demand gets %s a second"
            .formatted(
                random.cell(peer, "half waited up to"), endless.cell(peer, "released per second")),
        "rejected requests",
        "excess.md#endless-demand-20-to-80-ms-on-their-way");
    MeasuredTable real = read("excess.md", "## In real time");
    row(
        "Limit of 20 in 200 ms: how many start in the fullest 200 ms?",
        "Pacegate: %s; Guava: %s; Failsafe: %s smooth, %s bursty; Bucket4j: %s; Resilience4j: %s"
            .formatted(
                real.cell("Pacegate `20/200ms`", "fullest"),
                real.cell("Guava, which saves up a second", "fullest"),
                real.cell("Failsafe, smooth", "fullest"),
                real.cell("Failsafe, bursty", "fullest"),
                real.cell("Bucket4j, greedy refill", "fullest"),
                real.cell("Resilience4j", "fullest")),
        "rejected requests",
        "excess.md#in-real-time");
  }

  private void calls() throws IOException {
    MeasuredTable calls = read("speed.md", "# Speed, side by side");
    row(
        "How long does a call take that doesn't have to wait, in ns?",
        "Pacegate: %s window, %s bucket, %s `peer`; Guava: %s; Resilience4j: %s; Bucket4j: %s"
            .formatted(
                calls.cell("Pacegate window", "ns"),
                calls.cell("Pacegate bucket", "ns"),
                calls.cell("Pacegate peer window", "ns"),
                calls.cell("Guava", "ns"),
                calls.cell("Resilience4j", "ns"),
                calls.cell("Bucket4j", "ns")),
        "speed",
        "speed.md#speed-side-by-side");
    MeasuredTable growth = read("growth.md", "# What grows with what waits");
    row(
        "100 000 keys wait: how long does a call take, in us?",
        "`tryAcquire`: %s; a 429: %s; a pause of all: %s; `setLimit` of all keys: %s"
            .formatted(
                growth.cell("`tryAcquire` of a key that waits", "100 000"),
                growth.cell("the peer answers 429 to a key", "100 000"),
                growth.cell("`pause` and `resume` of all", "100 000"),
                growth.cell("`setLimit` of all keys", "100 000")),
        "growth",
        "growth.md#what-grows-with-what-waits");
    MeasuredTable keys = read("benchmarks.md", "## The memory of a key");
    row(
        "How many bytes does a key take?",
        "Pacegate: %s window, %s bucket; Bucket4j and Caffeine: %s"
            .formatted(
                keys.cell("Pacegate, window", "bytes per key"),
                keys.cell("Pacegate, bucket", "bytes per key"),
                keys.cell("Bucket4j and Caffeine", "bytes per key")),
        "memory",
        "benchmarks.md#the-memory-of-a-key");
    MeasuredTable late = read("benchmarks.md", "### How late tasks are");
    row(
        "How late does a timer run a task, in us?",
        "Pacegate: %s; a parking thread: %s; `ScheduledThreadPoolExecutor`: %s; Netty: %s"
            .formatted(
                late.cell("Pacegate `WheelTimer`", "median us"),
                late.cell("a thread in `parkNanos`", "median us"),
                late.cell("`ScheduledThreadPoolExecutor`", "median us"),
                late.cell("Netty `HashedWheelTimer`", "median us")),
        "timers",
        "benchmarks.md#how-late-tasks-are");
  }

  private void rates() throws IOException {
    MeasuredTable rates =
        read("benchmarks.md", "## How evenly an endless supply is sent")
            .where("per second", "1 000");
    row(
        "How much of 1000 a second does one sender send?",
        "`1000/1s`: %s; `spacing(1ms)`: %s, spinning: %s; a bare `parkNanos` loop: %s"
            .formatted(
                rates.where("limit", "`1000/1s` kept").only("delivered"),
                rates
                    .where("sender", "Pacegate")
                    .where("limit", "`spacing(1ms)` kept")
                    .only("delivered"),
                rates.where("sender", "Pacegate, spinning 100 us").only("delivered"),
                rates.where("sender", "a bare `parkNanos` loop").only("delivered")),
        "pace",
        "benchmarks.md#how-evenly-an-endless-supply-is-sent");
    MeasuredTable streams =
        read("streams.md", "## Throughput of an endless stream").where("per second", "1 000");
    row(
        "How much of 1000 a second does a stream deliver, with bursts of 5?",
        "Pacegate in Pekko: %s, in Reactor: %s; Pekko's `throttle`: %s"
            .formatted(
                streams
                    .where("stream", "Pacegate in Pekko, `bucket(1000/1s, burst=5)`")
                    .only("delivered"),
                streams
                    .where("stream", "Pacegate in Reactor, `bucket(1000/1s, burst=5)`")
                    .only("delivered"),
                streams.where("stream", "Pekko `throttle`, burst 5").only("delivered")),
        "streams",
        "streams.md#throughput-of-an-endless-stream");
  }

  private void shared() throws IOException {
    MeasuredTable shared =
        read("cluster-numbers.md", "# One limit for many processes: figures")
            .where("limit", "100/1s");
    row(
        "4 processes share 100 a second through Redis: how many arrive in the fullest second?",
        "Pacegate: %s; Bucket4j: %s greedy, %s intervally; Redisson: %s"
            .formatted(
                shared.where("", "Pacegate, `peer`").only("worst"),
                shared.where("", "Bucket4j, Lettuce, greedy").only("worst"),
                shared.where("", "Bucket4j, Lettuce, intervally").only("worst"),
                shared.where("", "Redisson").only("worst")),
        "shared limits",
        "cluster-numbers.md");
    MeasuredTable keys =
        read("cluster-keys-numbers.md", "# A limit for each of many keys: figures")
            .where("keys", "100,000");
    row(
        "4 processes share a limit for each of 100 000 keys: how many permits a second?",
        "Pacegate: %s, the fullest key got %s; Bucket4j: %s, the fullest key got %s"
            .formatted(
                keys.where("", "Pacegate, `peer(10/30s)`").only("permits a second"),
                keys.where("", "Pacegate, `peer(10/30s)`").only("worst"),
                keys.where("", "Bucket4j, Lettuce, 10 in 30 s").only("permits a second"),
                keys.where("", "Bucket4j, Lettuce, 10 in 30 s").only("worst")),
        "many keys",
        "cluster-keys-numbers.md");
  }

  private void row(String question, String result, String name, String link) {
    text.append("| %s | %s | [%s](%s) |\n".formatted(question, result, name, link));
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
  }
}
