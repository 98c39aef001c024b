package dev.pacegate.cli;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.proxy.PacedProxy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate proxy}: an HTTP proxy to one upstream, whose requests wait for LIMIT. */
final class Proxy implements Callable<Integer> {

  private static final String[] FOOTER = {
    "",
    "Requests wait in order. One that would wait too long gets the status 429 with Retry-After,"
        + " at once. Nothing is sent twice. LIMIT is counted as the other side counts: 10/1m"
        + " means peer(10/1m), so a request stays spent until an interval after the end of its"
        + " answer.",
    "",
    "Exit status: 130 if interrupted, 143 if terminated, both when the requests under way have"
        + " ended; 2 for bad arguments, or if it cannot listen."
        + Status.AND_OTHERS,
    "",
    "Example: pacegate proxy --listen 127.0.0.1:8080 --to https://api.example.com 10/1s"
  };

  private final World world;

  private final LimitArgument limit = new LimitArgument();
  private final KeyOptions keys = new KeyOptions();
  private final LimiterOptions options = new LimiterOptions();
  private String to = "";
  private String listen = "127.0.0.1:8080";
  private Duration maxWait = Duration.ofSeconds(25);
  private int queue = 1000;
  private @Nullable Integer perClient;
  private @Nullable String admin;
  private Duration drain = Duration.ofSeconds(25);

  private Proxy(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var proxy = new Proxy(world);
    CommandSpec spec =
        CommandOptions.command(
            proxy,
            "proxy",
            "Passes HTTP requests on to one upstream, no faster than LIMIT allows.",
            FOOTER);
    proxy.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    all.required(
            "--to",
            "URL",
            "the upstream, such as https://api.example.com; h2c:// in place of http:// speaks HTTP/2"
                + " to it without TLS",
            text -> to = text)
        .text(
            "--listen",
            "HOST:PORT",
            "where to listen; " + listen + " unless given",
            text -> listen = text)
        .span(
            "--max-wait",
            "TIME",
            "the longest wait of a request; 25s unless given. A request may state less in its"
                + " header Pacegate-Max-Wait",
            span -> maxWait = span)
        .number(
            "--queue",
            "N",
            "how many requests may wait; " + queue + " unless given",
            number -> queue = number)
        .number(
            "--queue-per-client",
            "N",
            "how many requests of one address may wait; as many as may at all unless given",
            number -> perClient = number)
        .text(
            "--admin",
            "HOST:PORT",
            "where to answer /healthz (it runs), /readyz (ready for requests) and /metrics (for"
                + " Prometheus); off by default",
            text -> admin = text)
        .span(
            "--drain",
            "TIME",
            "how long requests may still take when the proxy is ended; 25s unless given. A second"
                + " signal ends it at once",
            span -> drain = span)
        .group(limit)
        .group(keys)
        .group(options);
  }

  @Override
  public Integer call() throws Failure, InterruptedException {
    Limit limit = LimitArgument.asPeerCounts(this.limit.limitOfPlainCosts());
    this.limit.warn(world);
    check();
    PacedProxy.ProxyBuilder proxy = proxy();
    KeyedLimiter<String> keyed = keys.isGiven() ? keys.open(limit, queue, world) : null;
    OpenLimiter open = keyed == null ? open(limit) : new OpenLimiter(keyed.all(), () -> {});
    var ended = new CountDownLatch(1);
    try {
      begin(proxy, open, keyed, ended);
    } catch (Failure | RuntimeException | Error e) {
      open.close();
      throw e;
    }
    ended.await();
    return Status.OK;
  }

  private OpenLimiter open(Limit limit) throws Failure {
    return options.open(Limiter.builder(limit).time(world.time()).maxWaiting(queue), world, true);
  }

  private void begin(
      PacedProxy.ProxyBuilder proxy,
      OpenLimiter open,
      @Nullable KeyedLimiter<String> keyed,
      CountDownLatch ended)
      throws Failure {
    if (keyed == null) {
      proxy.limiter(open.limiter());
    } else {
      keys.set(proxy, keyed);
    }
    PacedProxy started =
        start(proxy, keyed == null ? LimiterMetrics.of(open.limiter()) : LimiterMetrics.of(keyed));
    try {
      world.atExit().accept(() -> end(started, open, ended));
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
    world.say("limit " + (keyed == null ? open.limiter().limit() : open.limiter().name()));
    world.say("listening on " + HostPort.text(started.address()));
    started.adminAddress().ifPresent(at -> world.say("admin on " + HostPort.text(at)));
    open.tellFirstWait(world);
  }

  private void check() throws Failure {
    keys.check(options);
    if (queue < 0) {
      throw new Failure("--queue must not be negative: " + queue);
    } else if (perClient != null && perClient < 1) {
      throw new Failure("--queue-per-client must be at least 1: " + perClient);
    }
  }

  private PacedProxy.ProxyBuilder proxy() throws Failure {
    PacedProxy.ProxyBuilder proxy = upstream();
    proxy
        .listen(HostPort.parse("--listen", listen))
        .maxWait(maxWait)
        .maxWaiting(queue)
        .log(world::say);
    if (perClient != null) {
      proxy.maxWaitingPerClient(perClient);
    }
    if (admin != null) {
      proxy.admin(HostPort.parse("--admin", admin));
    }
    return proxy;
  }

  private PacedProxy.ProxyBuilder upstream() throws Failure {
    try {
      return PacedProxy.builder(URI.create(to));
    } catch (IllegalArgumentException e) {
      throw new Failure("--to: " + e.getMessage());
    }
  }

  private PacedProxy start(PacedProxy.ProxyBuilder proxy, LimiterMetrics figures) throws Failure {
    try {
      if (admin == null) {
        return proxy.start();
      }
      var metrics = new ProxyMetrics(figures);
      PacedProxy started = proxy.metrics(metrics::page).start();
      metrics.add(started);
      return started;
    } catch (IllegalStateException e) {
      throw new Failure(String.valueOf(e.getMessage()));
    }
  }

  private void end(PacedProxy proxy, OpenLimiter limiter, CountDownLatch ended) {
    SecondSignal.endsAtOnce();
    proxy.drain(drain);
    limiter.close();
    ended.countDown();
  }
}
