package dev.pacegate.proxy;

import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.time.Durations;
import io.vertx.core.Context;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A request's wait for its permit. Confined to the event loop. */
final class PermitWait {

  /** The header by which a client bounds its own wait. */
  static final String MAX_WAIT = "pacegate-max-wait";

  private final Way way;
  private final HttpServerRequest request;
  private final Context context;
  private final Passage passage;
  private @Nullable CompletableFuture<PacedRequest<HttpClientResponse>> place;

  PermitWait(Way way, HttpServerRequest request, Context context, Passage passage) {
    this.way = way;
    this.request = request;
    this.context = context;
    this.passage = passage;
  }

  /** Joins the queue. The passage gets its permit, or is refused. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void await(Route route) {
    Duration longest;
    try {
      longest = longestWait();
    } catch (IllegalArgumentException e) {
      passage.refuse(Rejection.of(400, "Pacegate-Max-Wait must be a time such as 10s"));
      return;
    }
    var asked = route.pacing().newCall(longest).acquireAsync(request);
    place = asked;
    if (asked.isDone()) {
      asked.whenComplete((permit, refused) -> passage.guarded(() -> heard(route, permit, refused)));
      return;
    }
    Optional<String> full = begunToWait(route);
    Runnable before = full.isEmpty() ? () -> way.waits().leave(client(request)) : () -> {};
    asked.whenComplete((permit, refused) -> onContext(route, permit, refused, before));
    full.ifPresent(
        reason -> passage.refuse(new Rejection(429, reason, Optional.of(estimate(route)))));
  }

  /** Returns why it may not wait. */
  private Optional<String> begunToWait(Route route) {
    return route.mayWait().test(request)
        ? way.waits().enter(client(request))
        : Optional.of("too many requests of a batch wait");
  }

  /** Once the proxy is closed nothing runs there any more. */
  private void onContext(
      Route route,
      @Nullable PacedRequest<HttpClientResponse> permit,
      @Nullable Throwable refused,
      Runnable before) {
    try {
      context.runOnContext(
          now -> {
            before.run();
            passage.guarded(() -> heard(route, permit, refused));
          });
    } catch (RejectedExecutionException closed) {
      if (permit != null) {
        permit.notSent();
      }
    }
  }

  private Duration longestWait() {
    Duration most = way.settings().maxWait();
    String own = request.getHeader(MAX_WAIT);
    Duration asked = own == null ? most : Durations.parse(own.strip());
    return asked.compareTo(most) < 0 ? asked : most;
  }

  /** Returns the address of who waits. */
  static String client(HttpServerRequest request) {
    return request.remoteAddress().hostAddress();
  }

  private void heard(
      Route route, @Nullable PacedRequest<HttpClientResponse> permit, @Nullable Throwable refused) {
    if (permit != null) {
      passage.permitted(permit);
    } else if (refused != null) {
      passage.refuse(Rejection.noPermit(refused, () -> estimate(route)));
    }
  }

  private Duration estimate(Route route) {
    try {
      return route.pacing().limiter(request).estimateWait(route.cost().of(request));
    } catch (RuntimeException unknown) { // closed, or out of keys
      return Duration.ZERO;
    }
  }

  /** Leaves the queue, if it is there. */
  void leave() {
    if (place != null) {
      place.cancel(false);
    }
  }
}
