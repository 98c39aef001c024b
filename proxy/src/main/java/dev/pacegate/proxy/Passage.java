package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.PacedRequest;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way: from its head to its {@link PermitWait}, and until it is sent, or
 * refused. Confined to the event loop.
 *
 * <p>It is over once, by whatever comes first: the end of its answer, a refusal, or that the client
 * has gone. What comes later finds it over, and a permit that comes then is given back.
 */
final class Passage {

  private final Way way;
  private final HttpServerRequest request;
  private final Context context;
  private final ClientBody upload;
  private final ClientAnswer toClient;
  private final PermitWait permitWait;
  private final int head;
  private @Nullable BodyWatch body; // while it is read ahead
  private @Nullable Route route;
  private @Nullable Forwarding forwarding;
  private boolean over;

  /** Begins when a head is in; {@code left} runs when nothing of it is left. */
  Passage(Way way, HttpServerRequest request, Context context, Consumer<Passage> left) {
    this.way = way;
    this.request = request;
    this.context = context;
    this.upload = new ClientBody(request, way.memory());
    this.toClient = new ClientAnswer(way, request, upload, () -> left.accept(this));
    this.permitWait = new PermitWait(way, request, context, this);
    this.head = ClientMemory.sizeOf(request);
  }

  /** Goes on to its permit. */
  void begin() {
    takeHead();
    guarded(this::check);
  }

  /** Is answered that the proxy ends, as its time is over. */
  void beginTooLate() {
    takeHead();
    guarded(this::refuseAtEnd);
  }

  private void takeHead() {
    HttpServerResponse response = request.response();
    response.exceptionHandler(failure -> gone());
    response.closeHandler(closed -> gone());
    request.exceptionHandler(failure -> gone());
    way.memory().take(head);
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
    } else if (RequestRules.expectsContinue(request)) {
      await(); // the client sends its body when it is told to
    } else {
      if (hasBody()) {
        body = new BodyWatch(way, this::bodyIsLate);
      }
      upload.whenReady(() -> guarded(this::await), this::bodyArrived);
    }
  }

  private void bodyArrived() {
    if (body != null) {
      body.arrived();
    }
  }

  private void endBodyWatch() {
    if (body != null) {
      body.end();
      body = null;
    }
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

  private boolean hasBody() {
    MultiMap headers = request.headers();
    return headers.contains("Content-Length")
        || headers.contains("Transfer-Encoding")
        || Http2Bounds.speaks(request); // its streams need not say so
  }

  private void bodyIsLate() {
    refuse(Rejection.of(408, "the body comes too slowly"));
  }

  private void await() {
    endBodyWatch();
    if (!over) {
      permitWait.await(route());
    }
  }

  /** Its turn has come. */
  void permitted(PacedRequest<HttpClientResponse> permit) {
    if (over) {
      permit.notSent();
    } else {
      connect(permit);
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
      toClient.tellToContinue();
      if (UpstreamClient.isHttp2(connected)
          && RequestRules.names(request.headers(), "TE", "trailers")) {
        connected.putHeader("TE", "trailers"); // gRPC insists on it
      }
      begun = new Forwarding(permit, upstream, connected, request, toClient, this, way);
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
   * which, unless it has ended by then, or was refused before.
   */
  void endNow(Consumer<Unfinished> told) {
    context.runOnContext(
        now -> {
          if (toClient.isLeft()) {
            return;
          }
          if (forwarding == null && !over) {
            told.accept(Unfinished.NOT_SENT);
            guarded(this::refuseAtEnd);
          } else {
            if (forwarding != null) {
              told.accept(Unfinished.CUT_OFF);
            }
            guarded(toClient::cutOff);
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
    boolean begun = toClient.hasBegun();
    way.log().refused(refusal.status(), line(refusal, begun));
    if (begun) {
      finish();
      toClient.breakOff();
    } else {
      end(toClient.reject(refusal), toClient::answered);
    }
  }

  private String line(Rejection refusal, boolean begun) {
    return request.method()
        + " from "
        + PermitWait.client(request)
        + (begun
            ? " cut off after " + request.response().getStatusCode() + ": " + refusal.reason()
            : " refused: " + refusal);
  }

  /** All of an answer is here; {@code taken} runs when its client has it. */
  void end(Future<Void> written, Runnable taken) {
    finish();
    toClient.end(written, taken);
  }

  /** The client has gone: its place in the queue is left, and what was sent is given up. */
  private void gone() {
    finish();
    toClient.gone();
  }

  /** Ends what is left of it but its answer. */
  private void finish() {
    if (over) {
      return;
    }
    over = true;
    way.memory().give(head);
    endBodyWatch();
    permitWait.leave();
    if (forwarding != null) {
      forwarding.giveUp();
    }
    upload.release(); // also if it is whole
    toClient.dropRest();
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
