package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.peers.Peer.Pace;
import dev.pacegate.benchmarks.servers.Launcher;
import dev.pacegate.benchmarks.servers.NodeServers;
import dev.pacegate.benchmarks.servers.Proxies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The servers that are tried. */
final class PeerLineup {

  /**
   * For how long after its start a request can be counted that the client has given up: the way
   * there, the longest stall, and what a busy machine adds to it.
   */
  static final Duration UNANSWERED = Duration.ofSeconds(1);

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Pace TEN = new Pace(10, SECOND);

  private final NodeServers node;
  private final int origin;
  private final int slowOrigin;

  /**
   * @param origin the port of a server for the proxies to pass requests on to
   * @param slowOrigin that of another one, which takes 100 ms longer
   */
  PeerLineup(NodeServers node, int origin, int slowOrigin) {
    this.node = node;
    this.origin = origin;
    this.slowOrigin = slowOrigin;
  }

  /** Returns them all, or those that are soon tried. */
  List<Peer> all(boolean quick) {
    var peers = new ArrayList<>(proxies());
    peers.addAll(expresses());
    if (!quick) {
      peers.add(longer());
    }
    peers.addAll(others());
    return List.copyOf(peers);
  }

  private List<Peer> proxies() {
    return List.of(
        bare(),
        burst("burst=5", 6, "What comes early waits in nginx, up to five at a time."),
        burst("burst=5 nodelay", 6, "The same, but the five do not wait."),
        burst("burst=10 delay=5", 11, "Of ten that come early five do not wait, and five do."),
        connections(),
        estimate(
            true, "The estimate includes what was refused: a client that goes on stays refused."),
        estimate(false, "The estimate includes only what was let through."));
  }

  private List<Peer> expresses() {
    return List.of(
        express("legacy", "`X-RateLimit-Reset` is an epoch in whole seconds, rounded up."),
        express("draft-6", "`RateLimit-Limit`, `-Remaining` and `-Reset`."),
        express("draft-7", "`RateLimit: limit=10, remaining=3, reset=1`."),
        express("draft-8", "`RateLimit: \"10-in-1sec\"; r=3; t=1`."),
        stacked("legacy", "The header names the hour's quota only, as the second overwrites it."),
        stacked("draft-8", "The header names both quotas."));
  }

  private List<Peer> others() {
    return List.of(
        window(
            "rate-limiter-flexible (memory), 10 in 1 s",
            node.script("flexible.js", "10", "1"),
            "`Retry-After` has a fraction. The headers are those of its README."),
        window(
            "@fastify/rate-limit, 10 in 1 s",
            node.script("fastify.js", "10", "1000"),
            "`X-RateLimit-Reset` is in seconds from now."),
        window(
            "koa-ratelimit (memory), 10 in 1 s",
            node.script("koa.js", "10", "1000"),
            "`X-RateLimit-Reset` is an epoch with a fraction; `Retry-After` is rounded down, to 0."));
  }

  private Peer bare() {
    var pace = new Pace(1, Duration.ofMillis(100));
    return new Peer(
        "nginx `limit_req rate=10r/s`",
        "peer(spacing(100ms), unanswered=1s)",
        pace,
        pace,
        pace.period(),
        limitReq(10, ""),
        "nginx looks at the time since the last request, in milliseconds, and not at a second: the second of two that come"
            + " within 100 ms is refused, even if they are the only ones of that second. A rate alone does not help,"
            + " because the way to nginx takes longer for one request than for the next.");
  }

  private Peer burst(String rule, int burst, String meaning) {
    return new Peer(
        "nginx `limit_req rate=50r/s` `" + rule + "`",
        "peer(bucket(50/1s, burst=" + burst + "), unanswered=1s)",
        new Pace(50, SECOND),
        new Pace(1, Duration.ofMillis(20)),
        Duration.ofMillis(20 * burst),
        limitReq(50, rule),
        meaning + " The burst is counted beside the request itself, so the bucket holds one more.");
  }

  private Launcher limitReq(int perSecond, String rule) {
    return Proxies.nginx(
        "limit_req_zone $server_port zone=all:1m rate=" + perSecond + "r/s;",
        ("limit_req zone=all " + rule).strip() + ";",
        origin);
  }

  private Peer connections() {
    return new Peer(
        "nginx `limit_conn 4`",
        "concurrent(4, unanswered=1s)",
        new Pace(4, Duration.ofMillis(110)),
        new Pace(1, Duration.ofMillis(40)),
        Duration.ZERO,
        Proxies.nginx("limit_conn_zone $server_port zone=all:1m;", "limit_conn all 4;", slowOrigin),
        "nginx counts what it has not answered, and of a request that the client gave up it learns later: a next one can be"
            + " there before. Hence `unanswered`; `concurrent(4)` alone gives a place back at the time-out, and is refused now"
            + " and then. Answers take 100 to 120 ms, so that four at a time are 36 a second. A limiter of rates cannot count"
            + " what is open; it is set to 25 a second.");
  }

  private Peer estimate(boolean countsRefused, String meaning) {
    return new Peer(
        "HAProxy `http_req_rate(1s)` "
            + (countsRefused ? "`gt 10`" : "`ge 10`, counted if allowed"),
        "peer(bucket(5/1s, burst=5), unanswered=1s)",
        new Pace(10, SECOND),
        new Pace(5, SECOND),
        SECOND,
        Proxies.haproxy(10, "1s", countsRefused, origin),
        meaning + " The others are set to 5 a second, too: the estimate is no window.");
  }

  private Peer express(String headers, String meaning) {
    return window(
        "express-rate-limit, " + headers + ", 10 in 1 s",
        node.script("express.js", headers, "10/1000"),
        meaning);
  }

  private Peer window(String name, Launcher launcher, String meaning) {
    return new Peer(name, "peer(10/1s, unanswered=1s)", TEN, TEN, SECOND, launcher, meaning);
  }

  private Peer longer() {
    var pace = new Pace(100, Duration.ofSeconds(10));
    return new Peer(
        "express-rate-limit, draft-8, 100 in 10 s",
        "peer(100/10s, unanswered=1s)",
        pace,
        pace,
        pace.period(),
        node.script("express.js", "draft-8", "100/10000"),
        "A longer window costs less: the time that answers take is a smaller part of it.");
  }

  private Peer stacked(String headers, String meaning) {
    return new Peer(
        "two of express-rate-limit, " + headers + ", 10 in 1 s and 5000 in 1 h",
        "peer(10/1s & 5000/1h, unanswered=1s)",
        TEN,
        TEN,
        SECOND,
        node.script("express.js", headers, "10/1000", "5000/3600000"),
        meaning + " The hour's quota is never used up here.");
  }
}
