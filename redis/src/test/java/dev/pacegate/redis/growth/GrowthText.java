package dev.pacegate.redis.growth;

import dev.pacegate.redis.Fleet;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page docs/cluster-growth.md. */
final class GrowthText {

  private static final Path KEYS = Path.of("..", "docs", "measured", "cluster-keys-numbers.md");
  private static final Pattern IN_PROCESS = Pattern.compile("(\\d+) in the process");
  private static final int MANY = 10_000_000;
  private static final double KEYS_LOOK = 5; // seconds after which a key that waits looks again
  private static final List<String> USUAL =
      List.of(
          "peer(10/1s)",
          "peer(100/1s)",
          "peer(100/1s, unanswered=2s)",
          "peer(1000/1m)",
          "peer(10000/1h)",
          "1000/1d",
          "spacing(100ms)",
          "concurrent(20)");

  private final Growth growth;
  private final Costs costs;

  GrowthText(Growth growth) {
    this.growth = growth;
    this.costs = growth.costs;
  }

  private static String f(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  static String row(Fleet.Result r) {
    return f(
            "| %s | %,d | %.0f %% | %,.0f | %.2f | %.0f %% | %.1f | %d to %d | %.1f s |%n",
            code(r.setting().limit()),
            r.setting().processes(),
            100 * r.share(),
            r.callsPerSecond(),
            r.permits() == 0 ? Double.POSITIVE_INFINITY : r.callsPerPermit(),
            100 * Math.min(1, r.busy()),
            r.bytes() / 1024,
            r.least(),
            r.most(),
            r.longest())
        .replace("Infinity", "no permit");
  }

  static String tenthRow(Fleet.Result r) {
    return f(
        "| %s | %,d | %.1f %% | %,.0f | %.2f | %.0f %% | %.1f | %.1f ms, %.1f ms |%n",
        code(r.setting().limit()),
        r.setting().processes(),
        100 * r.share(),
        r.callsPerSecond(),
        r.callsPerPermit(),
        100 * Math.min(1, r.busy()),
        r.bytes() / 1024,
        r.median(),
        r.slowest());
  }

  static String crowdRow(Crowd.Result r) {
    return f(
        "| %,d | %,d | %d | %,.0f | %.1f | %.1f ms | %.0f %% |%n",
        r.setting().processes(),
        r.setting().threads(),
        r.setting().nodes(),
        r.permits(),
        r.batch(),
        r.waited(),
        100 * r.busy());
  }

  // Without the option that all of them have here.
  static String code(String limit) {
    return "`" + limit.replace(", unanswered=1s", "") + "`";
  }

  String page() throws IOException {
    return String.join(
        "\n",
        head(),
        whatToSet(),
        processes(),
        tenth(),
        most(),
        keys(),
        nodes(),
        fences(),
        real(),
        how());
  }

  private Fleet.Result full(String limit, int processes) {
    return growth.full(growth.full, limit, processes);
  }

  private String head() {
    Fleet.Result calm = growth.full(growth.tenth, Growth.MEDIUM, 1000);
    Fleet.Result large = growth.full(growth.tenth, Growth.LARGE, 1000);
    Crowd.Result one = growth.crowds.get(0);
    Crowd.Result ten = growth.crowds.get(Growth.NODES.length - 1);
    return f(
        """
        # How shared limits grow

        - **Many keys:** one core of Redis grants %,.0f permits a second to %d processes of %d threads, and at most %,.0f when every call is full. The number of keys doesn't matter. Ten nodes grant %.1f times as many, because their calls carry fewer entries.
        - **One limit, little demand:** 1000 processes that together ask for a tenth of `1000/1s` make %,.0f calls a second. They keep %.0f %% of a core busy. A tenth of `10000/1s` keeps %.0f %% busy, and the requests wait for %.1f s in the median.
        - **One limit, more demand than it has:** 1000 processes that all wait for `100/1s` get %.0f %% of it, for `1000/1s` %.0f %%, and for `10000/1s` %.0f %%. Redis is then only %.0f %% busy: the calls are made rare enough for a slower server. With `10000/10s` they get %.0f %%.

        The first limit you reach is the number of processes that share one name, because each call takes longer as that number grows. A lease may be used for a time E. If one call from every process took more than half of E, leases would expire before they arrive. Beyond that number, Redis tells each process to stay away for a while (twice as long as a round of calls takes on a slow server, but at most 15 s) and grants it more units at once. This keeps Redis about half busy at most, up to about 2000 processes; each process waits longer for its turn. If the limit is large enough, the rate levels off at what processes can use within E.

        No number of processes exceeds a limit: in every simulation, the service counted at most the limit in any interval.

        These figures are simulations in virtual time and measurements on a small machine: see [how they were made](#how-these-figures-were-made).
        """,
        one.permits(),
        one.setting().processes(),
        one.setting().threads(),
        costs.permitsPerSecond(costs.mostEntries()),
        ten.permits() / one.permits(),
        calm.callsPerSecond(),
        100 * calm.busy(),
        100 * large.busy(),
        large.median() / 1000,
        100 * full(Growth.SMALL, 1000).share(),
        100 * full(Growth.MEDIUM, 1000).share(),
        100 * full(Growth.LARGE, 1000).share(),
        100 * full(Growth.LARGE, 1000).busy(),
        100 * full(Growth.LONG, 1000).share());
  }

  private String whatToSet() {
    return f(
        """
        ## What to set

        | what you see | what to set |
        |---|---|
        | More than %,d processes use a limit per second, and get less than they should, or wait too long for a turn. | State the limit for a longer interval, if the service counts that way: `10000/10s` for `1000/1s`. E grows from %s to %s, so a lease holds more. |
        | The same, and the service counts per second. | Let fewer processes send: a few senders that take their requests from the others. Or give each group of processes a name and a part of the limit. |
        | A process waits for seconds while others send. | This is its turn in the queue. Use fewer processes, or more requests per turn: a batch is an eighth of the limit, but at least 4 units. |
        | Redis is busy, and the limits have different names. | Put the names on several servers. Each name is one record, and two names share nothing. |
        | Redis is busy with the keys of one limit. | Spread them over the nodes of a Redis Cluster with `spread(n)`. |
        | Calls for keys wait in the process. | Use more threads per process rather than more processes: their keys then share calls. |
        | Redis needs too much memory. | It is proportional to the keys in use. A shorter interval, or a shorter `unanswered`, ends a key's entry earlier. |
        | A fence is too long. | State `unanswered`: it is the largest part of a fence. |
        """,
        Fleet.mostWithoutCrowd(Growth.MEDIUM),
        seconds(Fleet.use(Growth.MEDIUM)),
        seconds(Fleet.use(Growth.LONG)));
  }

  private static String seconds(double seconds) {
    return Durations.brief(Math.round(seconds * 1e9));
  }

  private String processes() {
    return """
    ## One limit, and more demand than it has

    ![Share of the limit that is used, by the number of processes](pictures/growth-share.svg)

    *Share* is the part of the limit that was used. *Busy* is the part of one core of Redis. The record is the limit's key in Redis. *Permits* are those of the process that got fewest, and of the one that got most. *Longest* is the longest time for which a process that waited got no permit; it was measured for 6 to 20 s.

    | limit | processes | share | calls a second | calls a permit | busy | record, KB | permits | longest |
    |---|---|---|---|---|---|---|---|---|
    """
        + rows(growth.full, GrowthText::row)
        + "\n![Calls each second, by the number of processes](pictures/growth-calls.svg)\n";
  }

  private static String rows(List<Fleet.Result> results, Function<Fleet.Result, String> row) {
    return String.join("", results.stream().map(row).toList());
  }

  private String tenth() {
    return """
    ## One limit, and a tenth of the demand

    Requests arrive at random, at a tenth of the limit's rate. The waits are the median and the 99th percentile.

    | limit | processes | share | calls a second | calls a permit | busy | record, KB | waits |
    |---|---|---|---|---|---|---|---|
    """
        + rows(growth.tenth, GrowthText::tenthRow);
  }

  private String most() {
    var text =
        new StringBuilder(
            f(
                """
                ## How many processes a limit may have

                A call takes %.0f us of CPU, and %.1f us more for each kilobyte of the record. Each process takes %.0f bytes of the record. Redis doesn't know how fast its machine is: it assumes 300 us for each call, and 1 us more for each process that waits or has units. Where calls of all processes, one each, would then take more than E/2, each process calls less often than it would like, 15 s apart at most:

                | interval of the limit | E | processes |
                |---|---|---|
                """,
                costs.micros(0), costs.perByte() * 1024, growth.bytesOfProcess()));
    for (String limit : List.of("100/400ms", "100/1s", "100/2s", "100/4s", "100/8s")) {
      String interval = limit.replaceAll(".*/", "");
      text.append(
          f(
              "| %s | %s | %,d |%n",
              switch (interval) {
                case "400ms" -> "400ms or shorter, a `spacing` of that, and any `concurrent`";
                case "8s" -> "8s or longer";
                default -> interval;
              },
              seconds(Fleet.use(limit)),
              Fleet.mostWithoutCrowd(limit)));
    }
    return text.toString();
  }

  private String keys() throws IOException {
    Matcher heap = IN_PROCESS.matcher(Files.readString(KEYS));
    if (!heap.find()) {
      throw new IllegalStateException("no figure of memory in " + KEYS);
    }
    double inProcess = Double.parseDouble(heap.group(1));
    var text =
        new StringBuilder(
            f(
                """
                ## Many keys

                The number of keys costs memory, and no CPU: a call reads the limit's record and the entries of its own keys. A permit of a key that is used once takes %.2f entries: one asks for it, and one reports its end later.

                | keys, each with a permit out | memory of Redis | memory of the processes |
                |---|---|---|
                """,
                costs.entries()));
    double perKey = 0;
    for (int count : Measured.STORED) {
      perKey = costs.numbers("key.bytes." + count)[0];
      text.append(memory(count, perKey, inProcess, ""));
    }
    text.append(memory(MANY, perKey, inProcess, " (not measured)"));
    text.append(
        """

        The memory of the processes is that of one process that knows all keys ([measured](measured/cluster-keys-numbers.md)).

        | keys, measured with 2 processes | permits a second | calls a permit | CPU of Redis a call |
        |---|---|---|---|
        """);
    for (int count : Measured.REAL_KEYS) {
      double[] real = costs.numbers("keys.real." + count);
      text.append(
          f("| %,d | %,.0f | %.2f | %.0f us |%n", count, real[0], real[1] / real[0], real[2]));
    }
    return text.toString();
  }

  private static String memory(int keys, double bytes, double inProcess, String note) {
    return f("| %,d%s | %s | %s |%n", keys, note, size(keys * bytes), size(keys * inProcess));
  }

  private static String size(double bytes) {
    return bytes < 1e9 ? f("%,.1f MB", bytes / 1e6) : f("%,.1f GB", bytes / 1e9);
  }

  private String nodes() {
    return f(
            """
            ## Keys on several nodes

            ![Permits each second, by the number of nodes](pictures/growth-nodes.svg)

            Nothing joins two keys, so nodes share the work. A call carries at most %.0f of a process's entries. *Waits* are those of the threads, which take one permit after the other. *Busy* is the busiest node.

            | processes | threads of each | nodes | permits a second | entries a call | waits | busy |
            |---|---|---|---|---|---|---|
            """,
            costs.mostEntries())
        + String.join("", growth.crowds.stream().map(GrowthText::crowdRow).toList());
  }

  private String fences() {
    var text =
        new StringBuilder(
            """
            ## Fences

            A fence doesn't depend on the number of processes, keys or nodes. It is the sum of [five times](cluster.md#what-it-costs):

            | limit | fence |
            |---|---|
            """);
    for (String limit : USUAL) {
      text.append(f("| `%s` | %s |%n", limit, seconds(Fleet.fence(limit))));
    }
    text.append(
        f(
            """

            During most of a fence, each process that waits calls once a second, or less often if there are many. Just before its end, units for the time after it are reserved. With `%s`:

            | processes | calls a second during the fence | most calls in 100 ms at its end | first permit after it |
            |---|---|---|---|
            """,
            Growth.SMALL));
    for (Fleet.Result loss : growth.losses) {
      Fleet.Herd herd = loss.herd();
      text.append(
          f(
              "| %,d | %,.0f | %,d | %s |%n",
              loss.setting().processes(),
              herd.calls(),
              herd.most(),
              herd.until() < 0 ? "none in 5 s" : f("%.2f s", herd.until())));
    }
    text.append(
        f(
            """

            Each key that waits calls every %.0f s during a fence, and all of them call at its end. One node then needs:

            | keys that wait | entries a second during the fence | time at its end |
            |---|---|---|
            """,
            KEYS_LOOK));
    for (int keys = 1_000; keys <= 1_000_000; keys *= 10) {
      double micros = costs.keyEntry() + costs.keyCall() / costs.mostEntries();
      text.append(
          f("| %,d | %,.0f | %s |%n", keys, keys / KEYS_LOOK, seconds(keys * micros / 1e6)));
    }
    return text.toString();
  }

  private String real() {
    var text =
        new StringBuilder(
            f(
                """
                ## Simulated and measured

                Real limiters, each with its own connection, stand for processes: all in one JVM beside Redis, so both had to share %s. The limit is %s, and the demand is more than it has. With many limiters, the JVM is the bottleneck.

                | processes | permits a second, simulated | measured | calls a second, simulated | measured | CPU of a call, simulated | measured |
                |---|---|---|---|---|---|---|
                """,
                costs.text("machine").replaceAll(";.*", ""), code(Measured.LIMIT)));
    for (int processes : Measured.REAL) {
      double[] real = costs.numbers("real." + processes);
      Fleet.Result r = full(Measured.LIMIT, processes);
      text.append(
          f(
              "| %,d | %,.0f | %,.0f | %,.0f | %,.0f | %.0f us | %.0f us |%n",
              processes,
              (double) r.permits() / r.setting().seconds(),
              real[0],
              r.callsPerSecond(),
              real[1],
              costs.micros(r.bytes()),
              real[2]));
    }
    return text.toString();
  }

  private String how() {
    return f(
        """
        ## How these figures were made

        - **Processes** are simulated in virtual time, with the seed %d. Each has the client's real code, and calls take a round trip of %d ms. A real Redis carries out the real scripts, and is told the time. It carries out one call after the other, and each takes as long as measured. Requests are answered after 20 to 60 ms. Each limit has `unanswered=1s`. What is shown begins when all processes have started and found their pace: %.0f s after 1000 of them started in one second.
        - **Keys on nodes** are simulated with the time that a call takes. Calls take a round trip of 1 ms. A process gathers entries while its calls are under way.
        - **CPU and memory** were measured on %s: %s. CPU is that of the quietest tenth of the run.
        - **Anew:** `./mvnw -pl redis -am test -Dtest=GrowthPageTest -Dgroups=heavy -DexcludedGroups=none -Dpacegate.write=true -Dsurefire.failIfNoSpecifiedTests=false` measures and writes this page. `-Dpacegate.costs=kept` keeps what was measured.
        """,
        Growth.SEED,
        2,
        Fleet.settled(Growth.SMALL, 1000),
        costs.text("day"),
        costs.text("machine"));
  }
}
