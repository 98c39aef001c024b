package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.time.NanoClock;
import dev.pacegate.time.Time;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A reverse proxy to one upstream, or to those of its routes. Each request waits for a permit of a
 * limiter, is sent once, and ends its permit with the end of the answer. Bodies stream both ways.
 *
 * <p>One thread carries all of it. Thread-safe.
 */
public final class PacedProxy implements AutoCloseable {

  private final Vertx vertx;
  private final Way way;
  private final Health health;
  private final HttpServer server;
  private final InetSocketAddress listen;
  private final @Nullable HttpServer admin;
  private final @Nullable InetSocketAddress adminListen;
  private final Map<HttpConnection, HeadWatch> watches = new HashMap<>(); // of the event loop
  private final UnderWay underWay = new UnderWay();
  private final AtomicBoolean closed = new AtomicBoolean();

  private PacedProxy(ProxyBuilder options) {
    Routing routing = options.routing(); // what may throw, before anything is to be closed
    this.health = new Health(options.limiters());
    this.listen = options.listen;
    this.adminListen = options.admin;
    JdkLog.warmUp();
    var log = new LogThread(options.log);
    try {
      this.vertx = vertx(options, log);
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
    this.way =
        new Way(
            vertx,
            new SilenceSweep(vertx, options.clock),
            routing,
            new UpstreamClients(vertx, options.settings.connect(), options.client),
            options.settings,
            new ClientWaits(options.mostWaiting(), options.settings.perClient()),
            ClientMemory.ofThisProcess(),
            new Rejections(),
            log);
    this.server =
        vertx
            .createHttpServer(serverOptions(options))
            .connectionHandler(this::watch)
            .requestHandler(this::take)
            .invalidRequestHandler(this::take);
    this.admin =
        adminListen == null ? null : AdminServer.create(vertx, health, options.metrics, way.log());
  }

  /**
   * Begins a proxy to an upstream such as {@code https://api.example.com}. With {@code h2c} in
   * place of {@code http} it speaks HTTP/2 to it without TLS; over TLS the upstream chooses.
   *
   * @throws IllegalArgumentException if the address is none of an upstream
   */
  public static ProxyBuilder builder(URI upstream) {
    return new ProxyBuilder(Upstream.of(upstream), null);
  }

  /** Begins a proxy to the upstreams of routes, which name their limits themselves. */
  public static ProxyBuilder builder(ProxyRoutes routes) {
    return new ProxyBuilder(null, requireNonNull(routes));
  }

  private static Vertx vertx(ProxyBuilder options, Consumer<String> log) {
    Upstream only = options.upstream; // routes may also have upstreams that speak when asked
    Optional<Duration> word =
        only != null && only.http2() ? Optional.of(options.settings.connect()) : Optional.empty();
    return Vertx.builder()
        .with(
            new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setAddressResolverOptions(options.names)
                .setFileSystemOptions(
                    new FileSystemOptions()
                        .setFileCachingEnabled(false)
                        .setClassPathResolvingEnabled(false)))
        .withTransport(new WatchedTransport(options.settings.head(), word, log))
        .build();
  }

  private static HttpServerOptions serverOptions(ProxyBuilder options) {
    return new HttpServerOptions()
        .setMaxHeaderSize(Http2Bounds.LARGEST_HEAD)
        .setMaxInitialLineLength(Http2Bounds.LARGEST_HEAD)
        .setInitialSettings(Http2Bounds.settings())
        .setHttp2ConnectionWindowSize(Http2Bounds.CONNECTION_WINDOW)
        .setHttp2RstFloodMaxRstFramePerWindow(Http2Bounds.MOST_RESETS)
        .setHttp2RstFloodWindowDuration(Http2Bounds.RESET_SECONDS)
        .setIdleTimeout((int) options.settings.idle().toSeconds());
  }

  private HeadWatch watch(HttpConnection connection) {
    return watches.computeIfAbsent(
        connection,
        added -> {
          FirstHead.removeFrom(connection);
          connection.closeHandler(closed -> forget(connection));
          return new HeadWatch(way.sweep(), connection, way.settings().head());
        });
  }

  private void forget(HttpConnection connection) {
    HeadWatch watch = watches.remove(connection);
    if (watch != null) {
      watch.stop();
    }
  }

  private void take(HttpServerRequest request) {
    Context context = requireNonNull(Vertx.currentContext());
    HeadWatch watch = watch(request.connection());
    watch.begun();
    var passage =
        new Passage(
            way,
            request,
            context,
            ended -> {
              underWay.remove(ended);
              watch.ended();
            });
    underWay.add(passage);
    if (underWay.isEnded()) {
      passage.beginTooLate();
    } else {
      passage.begin();
    }
  }

  private PacedProxy start() {
    try {
      listen(server, listen);
      if (admin != null && adminListen != null) {
        listen(admin, adminListen);
      }
      return this;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private static @Nullable String reason(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return (cause == null ? failure : cause).getMessage();
  }

  private static void listen(HttpServer server, InetSocketAddress address) {
    String host = address.getHostString();
    try {
      Awaited.await(server.listen(address.getPort(), host));
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "cannot listen on " + host + ":" + address.getPort() + ": " + reason(e), e);
    }
  }

  /** Returns where it listens: the port is known now. */
  public InetSocketAddress address() {
    return InetSocketAddress.createUnresolved(listen.getHostString(), server.actualPort());
  }

  /** Returns where it reports its health; empty if it does not. */
  public Optional<InetSocketAddress> adminAddress() {
    return admin == null || adminListen == null
        ? Optional.empty()
        : Optional.of(
            InetSocketAddress.createUnresolved(adminListen.getHostString(), admin.actualPort()));
  }

  /** Returns how many requests are under way: waiting, or sent and not yet answered. */
  public int open() {
    return underWay.count();
  }

  /** Returns how many bytes are held of requests that are not sent yet. */
  long held() {
    return way.memory().held();
  }

  /**
   * Returns how many requests got no whole answer of the upstream, by status: those that the proxy
   * answered itself, and those whose answer broke off in mid-body.
   */
  public Map<Integer, Long> rejected() {
    return way.rejections().byStatus();
  }

  /**
   * Takes no further connections, and waits until all requests are answered, or {@code longest} is
   * over: then those that were not sent get 503, and others are cut off, as by {@link #close}. It
   * returns a few seconds later at most, even if a thread of the proxy hangs.
   */
  public void drain(Duration longest) {
    try {
      health.drain();
      if (!closed.get()) {
        drainServer(longest);
      }
    } finally {
      close();
    }
  }

  private void drainServer(Duration longest) {
    if (open() > 0) {
      way.log().accept("draining: " + UnderWay.requests(open()) + " under way");
    }
    long millis = longest.plus(Awaited.GRACE).toMillis();
    if (!ends(() -> server.shutdown(millis, TimeUnit.MILLISECONDS), longest)) {
      ends(this::endRequests, Awaited.GRACE);
    }
  }

  Future<Void> endRequests() {
    return underWay.end(vertx, way.log());
  }

  private boolean ends(Supplier<Future<?>> begun, Duration longest) {
    return Awaited.ends(begun, longest, way.log());
  }

  /** Tests do things in the midst of others. */
  Vertx vertx() {
    return vertx;
  }

  /** Ends all requests. Those that wait are not sent. The limiter stays open. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        ends(server::close, Awaited.GRACE); // before the connections to the upstream
      } finally {
        closeRest();
      }
    }
  }

  private void closeRest() {
    try {
      ends(vertx::close, Awaited.GRACE);
    } finally {
      way.log().close();
    }
  }

  /** Sets the options of a proxy. Not thread-safe. */
  public static final class ProxyBuilder {

    private final @Nullable Upstream upstream;
    private final @Nullable ProxyRoutes routes;
    private UnaryOperator<ProxyPacing> limit = UnaryOperator.identity();
    private ProxySettings settings = ProxySettings.STANDARD;
    private @Nullable Limiter all;
    private InetSocketAddress listen = InetSocketAddress.createUnresolved("127.0.0.1", 0);
    private @Nullable InetSocketAddress admin;
    private Optional<Supplier<String>> metrics = Optional.empty();
    private Consumer<String> log = line -> {};
    private NanoClock clock = Time.system(); // the timers of Vert.x know no other
    private UnaryOperator<HttpClientOptions> client = UnaryOperator.identity();
    private AddressResolverOptions names = new AddressResolverOptions();

    private ProxyBuilder(@Nullable Upstream upstream, @Nullable ProxyRoutes routes) {
      this.upstream = upstream;
      this.routes = routes;
    }

    /** Sets the limiter of all requests, in whose queue they wait. */
    public ProxyBuilder limiter(Limiter limiter) {
      this.limit = pacing -> pacing.limiter(limiter);
      this.all = limiter;
      return this;
    }

    /**
     * Sets a limiter for each value of a header, in place of {@link #limiter}. Requests without the
     * header share the key {@code none}. The key of others is a salted digest of the value, so no
     * single value can be given a limit of its own.
     *
     * @throws IllegalArgumentException if there can be no header of that name
     */
    public ProxyBuilder limiterPerHeader(KeyedLimiter<String> limiters, String header) {
      var key = new HeaderKey(header);
      this.limit = pacing -> pacing.limiters(limiters, key::of);
      this.all = limiters.all();
      return this;
    }

    /** Sets where it listens; port 0 stands for any. Default: any port of 127.0.0.1. */
    public ProxyBuilder listen(InetSocketAddress address) {
      this.listen = requireNonNull(address);
      return this;
    }

    /**
     * Sets an address, other than that of {@link #listen}, where the proxy reports its health:
     * {@code /healthz} answers 200 as long as it runs, {@code /readyz} 503 with the reason while it
     * drains or the {@linkplain dev.pacegate.Snapshot#unavailable source} of its limiter, such as a
     * store, gives no permits, and 200 otherwise. Default: none.
     */
    public ProxyBuilder admin(InetSocketAddress address) {
      this.admin = requireNonNull(address);
      return this;
    }

    /**
     * Sets what {@code /metrics} answers there, a text that Prometheus reads: {@code
     * registry::scrape} of Micrometer's. It is called on a thread of the proxy, one call after the
     * other. Default: 404.
     */
    public ProxyBuilder metrics(Supplier<String> page) {
      this.metrics = Optional.of(page);
      return this;
    }

    /**
     * Bounds the wait of each request. Default: 25 seconds.
     *
     * @throws IllegalArgumentException if {@code longest} is negative
     */
    public ProxyBuilder maxWait(Duration longest) {
      check(!longest.isNegative(), "maxWait must not be negative: " + longest);
      this.settings = settings.withMaxWait(longest);
      return this;
    }

    /**
     * Bounds how many requests of one address may wait. Default: unbounded.
     *
     * @throws IllegalArgumentException if {@code most} is less than 1
     */
    public ProxyBuilder maxWaitingPerClient(int most) {
      check(most >= 1, "maxWaitingPerClient must be at least 1: " + most);
      this.settings = settings.withPerClient(most);
      return this;
    }

    /**
     * Bounds how many requests may wait. Default: 1000. Has no effect with {@link ProxyRoutes},
     * each limit of which has a bound of its own.
     *
     * @throws IllegalArgumentException if {@code most} is negative
     */
    public ProxyBuilder maxWaiting(int most) {
      check(most >= 0, "maxWaiting must not be negative: " + most);
      this.settings = settings.withQueue(most);
      return this;
    }

    private static void check(boolean holds, String message) {
      if (!holds) {
        throw new IllegalArgumentException(message);
      }
    }

    /** Sets what takes a line for each refusal and each failure. Default: none. */
    public ProxyBuilder log(Consumer<String> log) {
      this.log = requireNonNull(log);
      return this;
    }

    /** Bounds what clients and the upstream may take: tests do not wait for the usual times. */
    ProxyBuilder times(Duration client, Duration upstream) {
      return times(client, client, upstream);
    }

    /** Bounds it with another time for a head than for the rest of a client's part. */
    ProxyBuilder times(Duration head, Duration body, Duration upstream) {
      this.settings = settings.withTimes(head, body, upstream);
      return this;
    }

    /** Bounds how long it may take to connect: tests do not wait for the usual time. */
    ProxyBuilder connect(Duration longest) {
      this.settings = settings.withConnect(longest);
      return this;
    }

    /** Sets the clock of silence, which is looked at once a second: tests have their own. */
    ProxyBuilder clock(NanoClock clock) {
      this.clock = clock;
      return this;
    }

    /** Sets how names become addresses: tests have servers of names of their own. */
    ProxyBuilder names(AddressResolverOptions names) {
      this.names = names;
      return this;
    }

    /** Sets options to the upstream: tests have authorities of their own. */
    ProxyBuilder client(UnaryOperator<HttpClientOptions> more) {
      this.client = more;
      return this;
    }

    private Routing routing() {
      if (routes != null) {
        return routes::of;
      }
      Upstream to = requireNonNull(upstream);
      var one =
          Optional.of(new Route(to, limit.apply(new ProxyPacing(to)), RouteCost.ONE, any -> true));
      return request -> one;
    }

    /** The limits of routes have queues of their own: a full one keeps no others out. */
    private int mostWaiting() {
      return routes != null ? Integer.MAX_VALUE : settings.queue();
    }

    private Supplier<List<Limiter>> limiters() {
      return routes != null ? routes::all : () -> List.of(requireNonNull(all));
    }

    /**
     * Starts it.
     *
     * @throws IllegalStateException if it has no limiter, if options contradict each other, or if
     *     it cannot listen
     */
    public PacedProxy start() {
      if (admin == null && metrics.isPresent()) {
        throw new IllegalStateException("metrics needs admin: nothing else shows them");
      }
      if (routes != null && all != null) {
        throw new IllegalStateException("the routes name their limits: set no limiter");
      }
      if (listen.equals(admin) && listen.getPort() != 0) {
        throw new IllegalStateException(
            "admin must be another address than listen: "
                + listen.getHostString()
                + ":"
                + listen.getPort());
      }
      return new PacedProxy(this).start();
    }
  }
}
