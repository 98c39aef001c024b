package dev.pacegate.apache;

import dev.pacegate.adapter.InterceptedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
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
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * The runtime of one call of the user. All that goes to the wire passes it, whatever other handlers
 * there are. It is used by one thread at a time, but for {@link #cancel}.
 */
final class PacedRuntime implements ExecRuntime, Cancellable {

  final InterceptedCall<ClassicHttpRequest, ClassicHttpResponse> call;
  private final ExecRuntime runtime;
  private final RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing;
  private final @Nullable CancellableDependency canceller; // the user's request
  private final boolean background; // no user gets its responses
  private int status; // of the last response

  PacedRuntime(
      ExecRuntime runtime,
      RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing,
      @Nullable CancellableDependency canceller,
      boolean background) {
    this.call = new InterceptedCall<>(pacing, () -> new RequestFailedException("Request aborted"));
    this.runtime = runtime;
    this.pacing = pacing;
    this.canceller = canceller;
    this.background = background;
  }

  boolean isOf(RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing) {
    return this.pacing == pacing;
  }

  /** A redirect may lead to a response that the cache has stored, which is of no request here. */
  void received(ClassicHttpResponse response) {
    boolean redirected = status / 100 == 3 && status != HttpStatus.SC_NOT_MODIFIED;
    if (redirected && response.getCode() != status) {
      call.superseded();
    } else {
      call.received(response);
    }
  }

  /** Waits for a permit, without a connection unless the authentication belongs to it. */
  void prepare(ClassicHttpRequest request, HttpClientContext context) throws IOException {
    if (context.getAuthExchanges().values().stream().noneMatch(AuthExchange::isConnectionBased)) {
      runtime.releaseEndpoint();
    }
    cancelsThis();
    call.prepare(request);
  }

  /** In place of the connection alone; at once if it was cancelled before. */
  private void cancelsThis() {
    if (canceller != null) {
      canceller.setDependency(this);
    }
  }

  /** Called by the user's {@code cancel}, on another thread. */
  @Override
  public boolean cancel() {
    call.cancel();
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
    cancelsThis();
    PacedRequest<ClassicHttpResponse> sent = call.next(request);
    try {
      sent.sending();
      ClassicHttpResponse response = runtime.execute(id, request, interim, context);
      sent.headers(response.getCode(), ApacheMessages.all(response.getHeaders()));
      track(response, sent);
      status = response.getCode();
      if (background) {
        call.superseded();
      }
      cancelsThis();
      return response;
    } catch (Throwable failure) { // the caller discards the connection
      sent.failed(failure);
      throw failure;
    }
  }

  private void track(ClassicHttpResponse response, PacedRequest<ClassicHttpResponse> request)
      throws IOException {
    HttpEntity entity = response.getEntity();
    if (entity == null || entity.getContentLength() == 0 || !entity.isStreaming()) {
      request.bodyEnded();
    } else {
      var content = request.body(entity.getContent(), runtime::discardEndpoint);
      response.setEntity(new TrackedEntity(entity, content));
    }
  }

  @Override
  public void disconnectEndpoint() throws IOException {
    call.disconnected();
    runtime.disconnectEndpoint();
  }

  @Override
  public void discardEndpoint() {
    call.disconnected();
    runtime.discardEndpoint();
  }

  @Override
  public ExecRuntime fork(@Nullable CancellableDependency own) {
    return new PacedRuntime(runtime.fork(own), pacing, own, true);
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
