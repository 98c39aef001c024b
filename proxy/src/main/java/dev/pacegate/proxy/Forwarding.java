package dev.pacegate.proxy;

import dev.pacegate.adapter.PacedRequest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;
import org.jspecify.annotations.Nullable;

/** A request that is sent, and its answer on the way back. Confined to the event loop. */
final class Forwarding {

  private static final long UNKNOWN = Long.MAX_VALUE;

  private final Vertx vertx;
  private final PacedRequest<HttpClientResponse> permit;
  private final HttpClientRequest sent;
  private final HttpServerRequest request;
  private final HttpServerResponse client;
  private final Passage passage;
  private final UpstreamClient upstream;
  private final Silence silence;
  private final ClientAnswer toClient;
  private boolean uploaded;
  private @Nullable HttpClientResponse answer;
  private long missing = UNKNOWN; // bytes of the answer
  private boolean heldBack; // as its client takes no more
  private @Nullable Throwable later;
  private boolean ended;

  Forwarding(
      PacedRequest<HttpClientResponse> permit,
      UpstreamClient upstream,
      HttpClientRequest sent,
      HttpServerRequest request,
      ClientAnswer toClient,
      Passage passage,
      Way way) {
    this.vertx = way.vertx();
    this.permit = permit;
    this.sent = sent;
    this.request = request;
    this.client = request.response();
    this.toClient = toClient;
    this.passage = passage;
    this.upstream = upstream;
    this.silence =
        new Silence(
            way.sweep(), way.settings().silence(), () -> passage.guarded(this::silentForTooLong));
  }

  void send(ClientBody upload) {
    sent.response()
        .onComplete(
            answer -> passage.guarded(() -> receive(answer)),
            failure -> passage.guarded(() -> failed(failure)));
    sent.exceptionHandler(failure -> passage.guarded(() -> failed(failure)));
    permit.sending();
    silence.begin();
    upload.sendTo(sent, silence::interrupt, () -> uploaded = true);
  }

  private void receive(HttpClientResponse answer) {
    if (ended) {
      return;
    }
    this.answer = answer;
    missing = hasBody(answer) ? length(answer) : 0;
    silence.interrupt();
    permit.headers(answer.statusCode(), Headers.asMap(answer.headers()));
    permit.received(answer);
    answer.exceptionHandler(failure -> passage.guarded(() -> failed(failure)));
    answer.handler(part -> passage.guarded(() -> pass(answer, part)));
    answer.endHandler(end -> passage.guarded(() -> end(answer)));
    Headers.toClient(answer.headers(), client.setStatusCode(answer.statusCode()).headers());
    if (hasBody(answer) && !client.headers().contains("Content-Length") && !endsWithConnection()) {
      client.setChunked(true);
      vertx.runOnContext(next -> writeHead());
    }
  }

  /** Its first event may be long in coming. An answer that has ended by now is a head alone. */
  private void writeHead() {
    if (!ended && !client.headWritten()) {
      client.writeHead();
    }
  }

  private static long length(HttpClientResponse answer) {
    try {
      String length = answer.getHeader("Content-Length");
      return length == null ? UNKNOWN : Long.parseLong(length);
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  private boolean hasBody(HttpClientResponse answer) {
    int status = answer.statusCode();
    return !sent.getMethod().equals(HttpMethod.HEAD) && status != 204 && status != 304;
  }

  /** In HTTP/1.1 they follow chunks alone. */
  private boolean passesTrailers() {
    return client.isChunked() || Http2Bounds.speaks(request);
  }

  /** A client of HTTP/1.0 knows no chunks: the end of the connection is that of the body. */
  private boolean endsWithConnection() {
    return request.version() == HttpVersion.HTTP_1_0;
  }

  private void pass(HttpClientResponse answer, Buffer part) {
    if (ended) {
      return;
    }
    silence.interrupt();
    missing -= part.length();
    permit.bodyPart(((BufferInternal) part).getByteBuf().nioBuffer());
    toClient.written(client.write(part));
    if (client.writeQueueFull()) {
      answer.pause();
      heldBack = true;
      silence.pause();
      client.drainHandler(drained -> goOn(answer));
    }
  }

  private void goOn(HttpClientResponse answer) {
    heldBack = false;
    silence.resume();
    answer.resume();
    vertx.runOnContext(
        next -> {
          if (later != null && !heldBack) {
            failed(later);
          }
        });
  }

  private void end(HttpClientResponse answer) {
    if (ended) {
      return;
    }
    ended = true;
    silence.end();
    permit.bodyEnded();
    if (!uploaded) {
      UpstreamClient.giveUp(sent);
    }
    if (!answer.trailers().isEmpty() && passesTrailers()) {
      Headers.toClient(answer.trailers(), client.trailers());
    }
    passage.end(client.end(), this::taken);
  }

  private void taken() {
    if (endsWithConnection()) {
      request.connection().close();
    } else {
      toClient.answered();
    }
  }

  private void silentForTooLong() {
    fail(Rejection.of(504, "the upstream was silent for too long"));
    upstream.endIfDead(sent);
  }

  private void failed(Throwable failure) {
    if (ended) {
      return;
    }
    if (heldBack) {
      later = failure; // what came before it is here, and perhaps the end
      return;
    }
    if (answer == null && upstream.isUnprocessed(sent, failure)) {
      permit.notSent();
      fail(Rejection.of(502, "the upstream did not take the request"));
    } else {
      fail(Rejection.of(502, "the upstream broke off"));
    }
  }

  /**
   * The upstream fails after something was sent: it may have counted the request. If all bytes of
   * the answer are here, the end alone is missing, and adds nothing.
   */
  private void fail(Rejection refusal) {
    if (ended) {
      return;
    }
    HttpClientResponse whole = answer;
    if (whole != null && missing == 0) {
      end(whole);
    } else {
      giveUp();
      passage.refuse(refusal);
    }
  }

  /** The rest is not waited for: whether the upstream has counted it is unknown. */
  void giveUp() {
    if (!ended) {
      ended = true;
      silence.end();
      if (missing == 0) { // the end itself may still be under way, but the client need not wait
        permit.bodyEnded();
      } else {
        permit.aborted();
      }
      UpstreamClient.giveUp(sent);
      if (answer == null) {
        upstream.endIfDead(sent);
      }
    }
  }
}
