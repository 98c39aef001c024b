package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.time.Durations;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way: from its head until it is sent, or refused. Confined to the event loop.
 *
 * <p>It is over once, by whatever comes first: the end of its answer, a refusal, or that the client
 * has gone. What comes later finds it over, and a permit that comes then is given back.
 */
final class Passage {

  /** The header by which a client bounds its own wait. */
  static final String MAX_WAIT = "pacegate-max-wait";

  private final Way way;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Context context;
  private final Consumer<Passage> end;
  private final ClientBody upload;
  private final int head;
  private final Silence bodySilence;
  private final Silence wholeBody; // to be in, and never interrupted
  private final Silence restOfBody;
  private @Nullable Route route;
  private @Nullable CompletableFuture<PacedRequest<HttpClientResponse>> place;
  private @Nullable Forwarding forwarding;
  private boolean last; // on its connection
  private final HeldAnswer held;
  private boolean over;
  private boolean left;

  /** Begins when a head is in; {@code end} runs when it is over. */
  Passage(Way way, HttpServerRequest request, Context context, Consumer<Passage> end) {
    this.way = way;
    this.request = request;
    this.response = request.response();
    this.context = context;
    this.end = end;
    this.upload = new ClientBody(request, way.memory());
    this.head = ClientMemory.sizeOf(request);
    ProxySettings settings = way.settings();
    this.bodySilence = new Silence(way.sweep(), settings.body(), this::bodyIsLate);
    this.wholeBody = new Silence(way.sweep(), settings.bodyInAll(), this::bodyIsLate);
    this.restOfBody = new Silence(way.sweep(), settings.body(), this::cutOff);
    this.held = new HeldAnswer(way, request);
  }

  /** Goes on to its permit, unless the time of the proxy is over. */
  void begin(boolean ended) {
    response.exceptionHandler(failure -> gone());
    response.closeHandler(closed -> gone());
    request.exceptionHandler(failure -> gone());
    way.memory().take(head);
    guarded(ended ? this::refuseAtEnd : this::check);
  }

  private void check() {
    Rejection refusal =
        way.memory().isFull()
            ? Rejection.of(503, "too much of other requests is held")
            : RequestRules.check(request);
    if (refusal == null) {
      refusal = chooseRoute();
    }
    if (refusal != null) {
      refuse(refusal);
    } else if (expectsContinue()) {
      await(); // the client sends its body when it is told to
    } else {
      if (hasBody()) {
        bodySilence.begin();
        wholeBody.begin();
      }
      upload.whenReady(() -> guarded(this::await), bodySilence::interrupt);
    }
  }

  private void endBodyWatch() {
    bodySilence.end();
    wholeBody.end();
  }

  private @Nullable Rejection chooseRoute() {
    Route chosen = way.routing().of(request).orElse(null);
    route = chosen;
    return chosen == null
        ? Rejection.of(404, "no route matches the request")
        : chosen.cost().refusal(request).orElse(null);
  }

  private Route route() {
    return requireNonNull(route, "no route");
  }

  private boolean expectsContinue() {
    return request.version() != HttpVersion.HTTP_1_0
        && RequestRules.names(request.headers(), "Expect", "100-continue");
  }

  private boolean hasBody() {
    MultiMap headers = request.headers();
    return headers.contains("Content-Length")
        || headers.contains("Transfer-Encoding")
        || Http2Bounds.speaks(request); // its streams need not say so
  }

  private void bodyIsLate() {
    refuse(Rejection.of(408, "the body comes too slowly"));
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void await() {
    endBodyWatch();
    if (over) {
      return;
    }
    Duration longest;
    try {
      longest = longestWait();
    } catch (IllegalArgumentException e) {
      refuse(Rejection.of(400, "Pacegate-Max-Wait must be a time such as 10s"));
      return;
    }
    var asked = route().pacing().newCall(longest).acquireAsync(request);
    place = asked;
    boolean waits = !asked.isDone();
    Optional<String> full = waits ? begunToWait() : Optional.empty();
    boolean counted = waits && full.isEmpty();
    if (waits) {
      asked.whenComplete((permit, refused) -> onContext(permit, refused, counted));
    } else {
      asked.whenComplete((permit, refused) -> guarded(() -> heard(permit, refused)));
    }
    full.ifPresent(reason -> refuse(new Rejection(429, reason, Optional.of(estimate()))));
  }

  /** Returns why it may not wait. */
  private Optional<String> begunToWait() {
    return route().mayWait().test(request)
        ? way.waits().enter(client())
        : Optional.of("too many requests of a batch wait");
  }

  /** Once the proxy is closed nothing runs there any more. */
  private void onContext(
      @Nullable PacedRequest<HttpClientResponse> permit,
      @Nullable Throwable refused,
      boolean counted) {
    try {
      context.runOnContext(
          now -> {
            if (counted) {
              way.waits().leave(client());
            }
            guarded(() -> heard(permit, refused));
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

  private String client() {
    return request.remoteAddress().hostAddress();
  }

  private void heard(
      @Nullable PacedRequest<HttpClientResponse> permit, @Nullable Throwable refused) {
    if (permit == null) {
      if (refused != null) {
        refuse(Rejection.noPermit(refused, this::estimate));
      }
    } else if (over) {
      permit.notSent();
    } else {
      connect(permit);
    }
  }

  private Duration estimate() {
    try {
      return route().pacing().limiter(request).estimateWait(route().cost().of(request));
    } catch (RuntimeException unknown) { // closed, or out of keys
      return Duration.ZERO;
    }
  }

  /** Nothing is sent before there is a connection: until then the permit can be given back. */
  private void connect(PacedRequest<HttpClientResponse> permit) {
    var target =
        route()
            .upstream()
            .request(request.method(), request.uri())
            .setConnectTimeout(way.settings().connect().toMillis());
    try {
      target.setHeaders(Headers.toUpstream(request.headers()));
      UpstreamClient upstream = way.clients().of(route().upstream());
      upstream
          .request(target)
          .onComplete(
              connected -> guarded(() -> connected(permit, upstream, connected)),
              failure -> {
                permit.notSent();
                guarded(() -> refuse(Unreachable.rejection(failure)));
              });
    } catch (RuntimeException e) {
      permit.notSent();
      throw e;
    }
  }

  private void connected(
      PacedRequest<HttpClientResponse> permit,
      UpstreamClient upstream,
      HttpClientRequest connected) {
    Forwarding begun;
    try {
      if (over) {
        permit.notSent();
        UpstreamClient.discard(connected);
        return;
      }
      if (expectsContinue()) {
        response.writeContinue();
      }
      if (UpstreamClient.isHttp2(connected)
          && RequestRules.names(request.headers(), "TE", "trailers")) {
        connected.putHeader("TE", "trailers"); // gRPC insists on it
      }
      begun = new Forwarding(permit, upstream, connected, request, this, way);
      forwarding = begun;
    } catch (RuntimeException | Error e) {
      permit.notSent();
      UpstreamClient.discard(connected);
      throw e;
    }
    begun.send(upload);
  }

  /**
   * The time of the proxy is over: answers if nothing was sent, and is cut off otherwise. Tells
   * which, unless it has ended by then.
   */
  void endNow(Consumer<Boolean> unsent) {
    context.runOnContext(
        now -> {
          if (!left) {
            boolean mayAnswer = forwarding == null && !over;
            unsent.accept(mayAnswer);
            guarded(mayAnswer ? this::refuseAtEnd : this::cutOff);
          }
        });
  }

  private void refuseAtEnd() {
    refuse(new Rejection(503, "not sent: the proxy ends", Optional.of(Duration.ZERO)));
  }

  /** Answers the client in place of the upstream. */
  void refuse(Rejection refusal) {
    if (over) {
      return;
    }
    way.rejections().count(refusal.status());
    boolean begun = response.headWritten();
    way.log()
        .accept(
            request.method()
                + " from "
                + client()
                + (begun ? " cut off after " + response.getStatusCode() : " refused")
                + ": "
                + (begun ? refusal.reason() : refusal));
    if (begun) {
      finish();
      breakOff();
    } else {
      last = !upload.isEnded() && !Http2Bounds.speaks(request);
      end(refusal.answer(response, last), this::answered);
    }
  }

  /** In HTTP/1.1 the client may still take what was written: the connection ends after it. */
  private void breakOff() {
    response.reset(Http2Bounds.INTERNAL_ERROR);
    if (Http2Bounds.speaks(request)) {
      leave();
    }
  }

  /** All of an answer is here, and its client may take it as slowly as it may any other part. */
  void end(Future<Void> written, Runnable taken) {
    finish();
    held.written(written);
    written.onComplete(
        done -> {
          leave();
          taken.run();
        });
  }

  /** Nothing of it is left, neither here nor on the way to its client. */
  private void leave() {
    held.end();
    if (!left) {
      left = true;
      end.accept(this);
    }
  }

  HeldAnswer held() {
    return held;
  }

  /** The client has its whole answer, and need not send the rest of its body. */
  void answered() {
    if (upload.isEnded()) {
      return;
    }
    if (Http2Bounds.speaks(request)) {
      response.reset(Http2Bounds.NO_ERROR);
    } else if (expectsContinue() && forwarding == null && !upload.hasBegun()) {
      request.connection().close(); // it was not told to send it: no end of it is waited for
    }
  }

  /** The client has gone: its place in the queue is left, and what was sent is given up. */
  private void gone() {
    finish();
    leave();
    restOfBody.end(); // none is to come
  }

  /** Ends what is left of it but its answer. */
  private void finish() {
    if (over) {
      return;
    }
    over = true;
    way.memory().give(head);
    endBodyWatch();
    if (place != null) {
      place.cancel(false);
    }
    if (forwarding != null) {
      forwarding.giveUp();
    }
    upload.release(); // also if it is whole
    dropRest();
  }

  /**
   * The rest of the body is read, or a client that is still sending might lose its answer. Then the
   * connection is closed if the client was told so.
   */
  private void dropRest() {
    if (upload.isEnded()) {
      return;
    }
    restOfBody.begin();
    upload.drop(
        () -> {
          restOfBody.end();
          if (last) {
            request.connection().close();
          }
        });
  }

  private void cutOff() {
    if (Http2Bounds.speaks(request)) {
      response.reset(Http2Bounds.CANCEL);
    } else {
      request.connection().close();
    }
  }

  /** Runs a step. If it fails, the client is answered all the same. */
  void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      refuse(Rejection.of(500, "the proxy failed: " + e.getClass().getSimpleName()));
      way.log().accept("the proxy failed: " + e);
    }
  }
}
