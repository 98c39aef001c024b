package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.proxy.PacedProxy;
import dev.pacegate.time.Durations;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pacegate proxy}: an HTTP proxy to one upstream, whose requests wait for LIMIT. */
@Command(
    name = "proxy",
    description = "Passes HTTP requests on to one upstream, no faster than LIMIT allows.",
    footer = {
      "",
      "Requests wait in order. One that would wait too long gets the status 429 with Retry-After, at"
          + " once. Nothing is sent twice. LIMIT is counted as the other side counts: 10/1m means"
          + " peer(10/1m), so a request stays spent until an interval after the end of its answer.",
      "",
      "Example: pacegate proxy --listen 127.0.0.1:8080 --to https://api.example.com 10/1s"
    })
final class Proxy implements Callable<Integer> {

  private final World world;

  @Mixin private final LimitArgument limit = new LimitArgument();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "URL",
      description = "the upstream, such as https://api.example.com")
  private String to = "";

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:8080",
      description = "where to listen; ${DEFAULT-VALUE} unless given")
  private String listen = "";

  @Option(
      names = "--max-wait",
      paramLabel = "TIME",
      defaultValue = "25s",
      description =
          "the longest wait of a request; ${DEFAULT-VALUE} unless given. A request may state less"
              + " in its header Pacegate-Max-Wait")
  private String maxWait = "";

  @Option(
      names = "--queue",
      paramLabel = "N",
      defaultValue = "1000",
      description = "how many requests may wait; ${DEFAULT-VALUE} unless given")
  private int queue;

  @Option(
      names = "--queue-per-client",
      paramLabel = "N",
      description = "how many requests of one address may wait; as many as may at all unless given")
  private @Nullable Integer perClient;

  @Option(
      names = "--drain",
      paramLabel = "TIME",
      defaultValue = "25s",
      description =
          "how long requests may still take when the proxy is ended; ${DEFAULT-VALUE} unless given")
  private String drain = "";

  @Mixin private final LimiterOptions options = new LimiterOptions();

  Proxy(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure, InterruptedException {
    Limit limit = LimitArgument.asPeerCounts(this.limit.limitOfPlainCosts());
    this.limit.warn(world);
    Duration drain = time("--drain", this.drain);
    if (queue < 0) {
      throw new Failure("--queue must not be negative: " + queue);
    } else if (perClient != null && perClient < 1) {
      throw new Failure("--queue-per-client must be at least 1: " + perClient);
    }
    PacedProxy.ProxyBuilder proxy = proxy();
    OpenLimiter open =
        options.open(Limiter.builder(limit).time(world.time()).maxWaiting(queue), world, true);
    PacedProxy started = start(proxy.limiter(open.limiter()), open);
    var ended = new CountDownLatch(1);
    world.atExit().accept(() -> end(started, drain, open, ended));
    world.say("limit " + limit);
    world.say(
        "listening on " + started.address().getHostString() + ":" + started.address().getPort());
    open.tellFirstWait(world);
    ended.await();
    return Status.OK;
  }

  private PacedProxy.ProxyBuilder proxy() throws Failure {
    try {
      PacedProxy.ProxyBuilder proxy =
          PacedProxy.builder(URI.create(to))
              .listen(address())
              .maxWait(time("--max-wait", maxWait))
              .maxWaiting(queue)
              .log(world::say);
      return perClient == null ? proxy : proxy.maxWaitingPerClient(perClient);
    } catch (IllegalArgumentException e) {
      throw new Failure("--to: " + e.getMessage());
    }
  }

  private InetSocketAddress address() throws Failure {
    int colon = listen.lastIndexOf(':');
    try {
      int port = Integer.parseInt(listen.substring(colon + 1));
      return InetSocketAddress.createUnresolved(listen.substring(0, Math.max(0, colon)), port);
    } catch (IllegalArgumentException e) {
      throw new Failure("--listen must be HOST:PORT, such as 127.0.0.1:8080: " + listen);
    }
  }

  private static Duration time(String option, String text) throws Failure {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new Failure(option + ": " + e.getMessage());
    }
  }

  private PacedProxy start(PacedProxy.ProxyBuilder proxy, OpenLimiter open) throws Failure {
    try {
      return proxy.start();
    } catch (RuntimeException e) {
      open.close();
      throw new Failure("cannot listen on " + listen + ": " + e.getMessage());
    }
  }

  private static void end(
      PacedProxy proxy, Duration drain, OpenLimiter limiter, CountDownLatch ended) {
    proxy.drain(drain);
    limiter.close();
    ended.countDown();
  }
}
