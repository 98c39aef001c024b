package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.servers.Launcher;
import dev.pacegate.benchmarks.servers.Proxies;
import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What it costs to pass a request on that need not wait, beside other proxies in the same run. */
public final class Passing {

  /** A request a processor second, beside vertx-http-proxy. */
  private static final double GOAL = 0.9;

  /** In microseconds. */
  private static final double MOST_ADDED = 1000;

  private static final String ORIGIN = "nothing, the upstream itself";
  private static final String VERTX = "vertx-http-proxy";
  private static final List<String> LIMITS = List.of("unlimited", "peer(1000000/1s)");

  private final boolean quick;
  private final Path folder;
  private final Fronts fronts;
  private final Map<String, Throughput> measured = new LinkedHashMap<>();

  private Passing(Path folder, boolean quick) {
    this.folder = folder;
    this.quick = quick;
    this.fronts = new Fronts(folder);
  }

  /** Takes a folder for what is left over, the page to write, and {@code --quick} for a look. */
  public static void main(String[] args) throws Exception {
    boolean quick = List.of(args).contains("--quick");
    Text page = new Passing(Path.of(args[0]), quick).run();
    Fronts.write(page, Path.of(args[1]), quick);
  }

  private Text run() throws IOException, InterruptedException {
    var servers = new ArrayList<Server>();
    try {
      Server origin = fronts.start(Proxies.nginx("", "return 200 \"hello\";"));
      servers.add(origin);
      var wrk = new Wrk(fronts.newFolder());
      measured.put(ORIGIN, new Throughput(ORIGIN, origin, wrk));
      for (var one : launchers(origin.port()).entrySet()) {
        Server server = fronts.start(one.getValue());
        servers.add(server);
        measured.put(one.getKey(), new Throughput(one.getKey(), server, wrk));
      }
      measure();
      return page();
    } finally {
      servers.forEach(Server::close);
    }
  }

  private static Map<String, Launcher> launchers(int origin) {
    var all = new LinkedHashMap<String, Launcher>();
    all.put("nginx", Proxies.nginx("", "", origin));
    all.put(VERTX, JavaFront.vertx(origin));
    LIMITS.forEach(limit -> all.put(pacegate(limit), JavaFront.pacegate(limit, origin)));
    return all;
  }

  private static String pacegate(String limit) {
    return "Pacegate, `" + limit + "`";
  }

  /** Every other round goes backwards: what follows what differs. */
  private void measure() throws IOException, InterruptedException {
    var turns = new ArrayList<>(measured.values());
    for (Throughput one : turns) {
      one.warmUp(warmUp());
    }
    for (int round = 1; round <= rounds(); round++) {
      System.out.println("round " + round + " of " + rounds());
      for (Throughput one : turns) {
        one.round(quick ? 1 : 3);
      }
      Collections.reverse(turns);
    }
  }

  private int warmUp() {
    return quick ? 1_000 : 100_000;
  }

  private int rounds() {
    return quick ? 2 : 5;
  }

  private Text page() {
    var text = new Text();
    text.lines(
        "# The cost of passing through",
        "",
        "Requests that need not wait, through [the proxy](../proxy.md) and through others, to an nginx that answers each with five",
        "bytes. Each proxy is a process of its own with one thread for requests; those in Java have the JVM's defaults and have",
        "answered " + Text.number(warmUp()) + " requests before.");
    fronts.head(text, "benchmarks/run passing");
    text.lines(
        "",
        Text.format(
            "Each cell is the median of %d rounds, with the lowest and the highest in brackets. In a round all take turns: wrk asks on"
                + " %d connections, then on one.",
            rounds(), Throughput.CONNECTIONS),
        "What a proxy costs is best seen in its own processor time, as all share the processors here.");
    table(text);
    text.lines("", "## What must hold", "");
    LIMITS.forEach(limit -> claims(text, measured.get(pacegate(limit))));
    return text;
  }

  private void table(Text text) {
    text.numbers(
        "in between",
        "requests a second",
        "requests a processor second of the proxy",
        "p99 in ms",
        "p50 on one connection in ms",
        "of it added, in ms");
    for (Throughput one : measured.values()) {
      boolean proxy = !one.title.equals(ORIGIN);
      text.row(
          one.title,
          one.of(Throughput.Round::perSecond).told("%.0f"),
          proxy ? one.of(Throughput.Round::perCpuSecond).told("%.0f") : "",
          one.of(round -> round.p99() / 1e3).told("%.2f"),
          one.of(round -> round.p50() / 1e3).told("%.3f"),
          proxy ? one.addedTo(measured.get(ORIGIN)).inThousands().told("%.3f") : "");
    }
  }

  private void claims(Text text, Throughput one) {
    Spread share = one.shareOf(measured.get(VERTX));
    Spread added = one.addedTo(measured.get(ORIGIN));
    text.claim(
        share.median() >= GOAL,
        Text.format(
            "%s: at least %.1f times the requests a processor second of %s: %s times",
            one.title, GOAL, VERTX, share.told("%.2f")));
    text.claim(
        added.median() < MOST_ADDED,
        Text.format(
            "%s: adds less than 1 ms to the p50 of one connection: %s ms",
            one.title, added.inThousands().told("%.3f")));
  }
}
