package dev.pacegate.cli;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.proxy.PacedProxy;
import dev.pacegate.proxy.ProxyRoutes;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate proxy}: an HTTP proxy whose requests wait for LIMIT, or for that of a route. */
final class Proxy implements Callable<Integer> {

  private static final String[] FOOTER = {
    "",
    "Requests wait in order. One that would wait too long gets the status 429 with Retry-After: at"
        + " once if that is known, otherwise when its time is over. Nothing is sent twice. LIMIT is"
        + " counted as the other side counts: 10/1m means peer(10/1m), so a request stays spent"
        + " until an interval after the end of its answer.",
    "",
    "With --config, limits and routes are in a file: see docs/proxy-routes.md. It is read again"
        + " when it changes and on SIGHUP; a mistake in it changes nothing.",
    "",
    "Exit status: 130 if interrupted, 143 if terminated, both when the requests under way have"
        + " ended; 2 for bad arguments, or if it cannot listen."
        + Status.AND_OTHERS,
    "",
    "Example: pacegate proxy --to https://api.example.com 10/1s"
  };

  private static final Duration LONGEST_KEPT_PAUSE = Duration.ofDays(1);

  /** Of the end of a pause, when the proxy ends. */
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(1);

  private final World world;

  private final LimitArgument limit = new LimitArgument();
  private final ConfigOptions config = new ConfigOptions();
  private final KeyOptions keys = new KeyOptions();
  private final LimiterOptions options = new LimiterOptions();
  private @Nullable String to;
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
            "Passes HTTP requests on to an upstream, no faster than LIMIT allows.",
            FOOTER);
    proxy.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    all.text(
            "--to",
            "URL",
            "the upstream, such as https://api.example.com; h2c:// in place of http:// speaks"
                + " HTTP/2 to it without TLS",
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
            "how many requests may wait, with --config for each limit; " + queue + " unless given",
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
        .group(config)
        .group(keys)
        .group(options);
  }

  /**
   * A proxy that can be started.
   *
   * @param lines what is said of it
   * @param begun runs once it listens
   * @param close what is to be closed after it
   */
  private record Ready(
      PacedProxy.ProxyBuilder proxy,
      Supplier<ProxyMetrics> metrics,
      List<String> lines,
      Runnable begun,
      Runnable close) {}

  @Override
  public Integer call() throws Failure, InterruptedException {
    config.check(to, limit.isGiven(), keys, options);
    check();
    if (config.isCheck()) {
      return printRoutes();
    }
    Ready ready = config.isGiven() ? routed() : limited();
    LibraryLog.install(world::say); // to open a store resets the log
    var ended = new CountDownLatch(1);
    try {
      begin(ready, ended);
    } catch (Failure | RuntimeException | Error e) {
      ready.close().run();
      throw e;
    }
    ended.await();
    return Status.OK;
  }

  private int printRoutes() throws Failure {
    try (ProxyRoutes routes = config.read(world, queue)) {
      routes.warnings().forEach(world::say);
      var output = new Output(world.out());
      output.write(String.join("\n", routes.lines()) + "\n");
      return Status.OK;
    }
  }

  private Ready routed() throws Failure {
    PacedProxy.ProxyBuilder proxy;
    ProxyRoutes routes = config.read(world, queue);
    try {
      proxy = set(PacedProxy.builder(routes));
    } catch (Failure | RuntimeException | Error e) {
      routes.close();
      throw e;
    }
    routes.warnings().forEach(world::say);
    HangUp.runs(routes::reloadSoon);
    return new Ready(
        proxy,
        () -> ProxyMetrics.of(routes),
        routes.lines(),
        () -> routes.follow(world::say),
        routes::close);
  }

  private Ready limited() throws Failure {
    Limit limit = LimitArgument.asPeerCounts(this.limit.limitOfPlainCosts());
    this.limit.warn(world);
    PacedProxy.ProxyBuilder proxy = set(upstream());
    if (keys.isGiven()) {
      KeyedLimiter<String> keyed = keys.open(limit, queue, world);
      keys.set(proxy, keyed);
      var all = new OpenLimiter(keyed.all(), () -> {});
      return ready(
          proxy, all, () -> LimiterMetrics.of(keyed), String.valueOf(all.limiter().name()));
    }
    OpenLimiter open = open(limit);
    proxy.limiter(open.limiter());
    return ready(
        proxy, open, () -> LimiterMetrics.of(open.limiter()), open.limiter().limit().toString());
  }

  private OpenLimiter open(Limit limit) throws Failure {
    Limiter.Builder builder = Limiter.builder(limit).time(world.time()).maxWaiting(queue);
    KeptPause pause = KeptPause.of(options.stateFile());
    if (pause == null) {
      return options.open(builder, world, true);
    }
    var keeper = new PauseKeeper(pause::until, world::say, LONGEST_WRITE);
    try {
      OpenLimiter open = options.open(builder.listener(keeper), world, true);
      Runnable disconnect = open.disconnect();
      var kept = new OpenLimiter(open.limiter(), () -> end(disconnect, keeper));
      pause.goOn(kept, LONGEST_KEPT_PAUSE, world);
      return kept;
    } catch (Failure | RuntimeException | Error e) {
      keeper.close();
      throw e;
    }
  }

  private static void end(Runnable disconnect, PauseKeeper keeper) {
    try {
      disconnect.run();
    } finally {
      keeper.close();
    }
  }

  private Ready ready(
      PacedProxy.ProxyBuilder proxy,
      OpenLimiter open,
      Supplier<LimiterMetrics> figures,
      String limit) {
    return new Ready(
        proxy,
        () -> new ProxyMetrics(figures.get()),
        List.of("limit " + limit),
        () -> open.tellFirstWait(world),
        open::close);
  }

  private void begin(Ready ready, CountDownLatch ended) throws Failure {
    PacedProxy started = start(ready);
    try {
      world.atExit().accept(() -> end(started, ready.close(), ended));
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
    ready.lines().forEach(world::say);
    world.say("listening on " + HostPort.text(started.address()));
    started.adminAddress().ifPresent(at -> world.say("admin on " + HostPort.text(at)));
    ready.begun().run();
  }

  private void check() throws Failure {
    keys.check(options);
    if (queue < 0) {
      throw new Failure("--queue must not be negative: " + queue);
    } else if (perClient != null && perClient < 1) {
      throw new Failure("--queue-per-client must be at least 1: " + perClient);
    }
  }

  private PacedProxy.ProxyBuilder set(PacedProxy.ProxyBuilder proxy) throws Failure {
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
      return PacedProxy.builder(URI.create(String.valueOf(to)));
    } catch (IllegalArgumentException e) {
      throw new Failure("--to: " + e.getMessage());
    }
  }

  private PacedProxy start(Ready ready) throws Failure {
    try {
      if (admin == null) {
        return ready.proxy().start();
      }
      ProxyMetrics metrics = ready.metrics().get();
      PacedProxy started = ready.proxy().metrics(metrics::page).start();
      metrics.add(started);
      return started;
    } catch (IllegalStateException e) {
      throw new Failure(String.valueOf(e.getMessage()));
    }
  }

  private void end(PacedProxy proxy, Runnable close, CountDownLatch ended) {
    SecondSignal.endsAtOnce();
    proxy.drain(drain);
    close.run();
    ended.countDown();
  }
}
