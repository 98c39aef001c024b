package dev.pacegate.apache;

import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.auth.AuthExchange;
import org.apache.hc.client5.http.classic.ExecRuntime;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * The runtime of one call of the user. All that goes to the wire passes it, whatever other handlers
 * there are. It is used by one thread at a time, but for {@link #cancel}.
 */
final class PacedRuntime implements ExecRuntime, Cancellable {

  private final ExecRuntime runtime;
  private final RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing;
  private final PacedCall<ClassicHttpRequest, ClassicHttpResponse> call;
  private final @Nullable CancellableDependency canceller; // the user's request

  private @Nullable PacedRequest<ClassicHttpResponse> ready; // has its permit, and is not sent yet
  private @Nullable PacedRequest<ClassicHttpResponse> answered; // the last one
  private volatile @Nullable TrackedEntity body; // of the last one

  // Guarded by this.
  private @Nullable Thread waiting;
  private boolean cancelled;

  PacedRuntime(
      ExecRuntime runtime,
      RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing,
      @Nullable CancellableDependency canceller) {
    this.runtime = runtime;
    this.pacing = pacing;
    this.call = pacing.newCall();
    this.canceller = canceller;
  }

  boolean isOf(RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing) {
    return this.pacing == pacing;
  }

  /** Waits for a permit, without a connection unless the authentication belongs to it. */
  void prepare(ClassicHttpRequest request, HttpClientContext context) throws IOException {
    supersede();
    if (context.getAuthExchanges().values().stream().noneMatch(AuthExchange::isConnectionBased)) {
      runtime.releaseEndpoint();
    }
    ready = acquire(request);
  }

  /** There was no connection, or no tunnel. */
  void withdraw() {
    if (ready != null) {
      ready.notSent();
      ready = null;
    }
  }

  /** The response is for the user, unless it is to be repeated. */
  void received(ClassicHttpResponse response) {
    if (answered != null) {
      answered.received(response);
    }
  }

  boolean shouldRetry() {
    return answered != null && answered.shouldRetry();
  }

  void failed(Throwable failure) {
    if (answered != null) {
      answered.failed(failure);
    }
  }

  private void supersede() {
    if (answered != null) {
      answered.superseded();
      answered = null;
      body = null;
    }
  }

  private PacedRequest<ClassicHttpResponse> acquire(ClassicHttpRequest request) throws IOException {
    startWaiting();
    try {
      if (canceller != null) {
        canceller.setDependency(this); // cancels at once if it came before
      }
      PacedRequest<ClassicHttpResponse> granted = call.acquire(request);
      if (!stopWaiting()) {
        return granted;
      }
      granted.notSent();
    } catch (NotSentException none) {
      throw new NoPermitException(none);
    } catch (InterruptedException stopped) {
      if (!stopWaiting()) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for a permit");
      }
    } finally {
      stopWaiting();
    }
    throw new RequestFailedException("Request aborted");
  }

  private synchronized void startWaiting() {
    waiting = Thread.currentThread();
  }

  /** Returns whether the call was cancelled, and takes back the interrupt by which it was. */
  private synchronized boolean stopWaiting() {
    if (waiting != null && cancelled) {
      Thread.interrupted();
    }
    waiting = null;
    return cancelled;
  }

  /** Called by the user's {@code cancel}, on another thread. */
  @Override
  public boolean cancel() {
    synchronized (this) {
      cancelled = true;
      if (waiting != null) {
        waiting.interrupt();
      }
    }
    abandon();
    return !(runtime instanceof Cancellable connection) || connection.cancel();
  }

  @Override
  public ClassicHttpResponse execute(
      String id,
      ClassicHttpRequest request,
      @Nullable HttpResponseInformationCallback interim,
      HttpClientContext context)
      throws IOException, HttpException {
    if (Method.CONNECT.isSame(request.getMethod())) {
      return runtime.execute(id, request, interim, context);
    }
    PacedRequest<ClassicHttpResponse> next = ready == null ? acquire(request) : ready;
    ready = null;
    supersede();
    try {
      next.sending();
      ClassicHttpResponse response = runtime.execute(id, request, interim, context);
      next.headers(response.getCode(), ApacheMessages.all(response.getHeaders()));
      track(response, next);
      answered = next;
      if (canceller != null) {
        canceller.setDependency(this); // in place of the connection alone
      }
      return response;
    } catch (Throwable failure) { // the caller discards the connection
      next.failed(failure);
      throw failure;
    }
  }

  private void track(ClassicHttpResponse response, PacedRequest<ClassicHttpResponse> request)
      throws IOException {
    HttpEntity entity = response.getEntity();
    if (entity == null || entity.getContentLength() == 0 || !entity.isStreaming()) {
      request.bodyEnded();
    } else {
      var tracked = new TrackedEntity(entity, request, runtime::discardEndpoint);
      body = tracked;
      response.setEntity(tracked);
    }
  }

  /** Nothing more is read of a body. */
  private void abandon() {
    TrackedEntity left = body;
    if (left != null) {
      left.abandon();
    }
  }

  @Override
  public void disconnectEndpoint() throws IOException {
    abandon();
    runtime.disconnectEndpoint();
  }

  @Override
  public void discardEndpoint() {
    abandon();
    runtime.discardEndpoint();
  }

  @Override
  public ExecRuntime fork(@Nullable CancellableDependency own) {
    return new PacedRuntime(runtime.fork(own), pacing, own);
  }

  @Override
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, HttpClientContext context)
      throws IOException, HttpException {
    return execute(id, request, null, context);
  }

  // The rest is the client's.

  @Override
  public boolean isExecutionAborted() {
    return runtime.isExecutionAborted();
  }

  @Override
  public boolean isEndpointAcquired() {
    return runtime.isEndpointAcquired();
  }

  @Override
  public void acquireEndpoint(
      String id, HttpRoute route, @Nullable Object state, HttpClientContext context)
      throws IOException {
    runtime.acquireEndpoint(id, route, state, context);
  }

  @Override
  public void releaseEndpoint() {
    runtime.releaseEndpoint();
  }

  @Override
  public boolean isEndpointConnected() {
    return runtime.isEndpointConnected();
  }

  @Override
  public void connectEndpoint(HttpClientContext context) throws IOException {
    runtime.connectEndpoint(context);
  }

  @Override
  public void upgradeTls(HttpClientContext context) throws IOException {
    runtime.upgradeTls(context);
  }

  @Override
  public @Nullable EndpointInfo getEndpointInfo() {
    return runtime.getEndpointInfo();
  }

  @Override
  public boolean isConnectionReusable() {
    return runtime.isConnectionReusable();
  }

  @Override
  public void markConnectionReusable(@Nullable Object state, TimeValue validity) {
    runtime.markConnectionReusable(state, validity);
  }

  @Override
  public void markConnectionNonReusable() {
    runtime.markConnectionNonReusable();
  }
}
