package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one call, one after another on its thread. Which response is the caller's is
 * known only when the call returns: any other led to a further request.
 */
final class CallRequests {

  private final PacedCall<Request, Response> paced;
  private final Interceptor.Chain chain;
  private final PermitWait wait;
  private @Nullable PacedRequest<Response> ready; // has its permit, and is not sent yet
  private @Nullable PacedRequest<Response> last; // that was sent

  CallRequests(PacedCall<Request, Response> paced, Interceptor.Chain chain) {
    this.paced = paced;
    this.chain = chain;
    this.wait = new PermitWait(chain.call());
  }

  /** Sends until the response is for the caller. What the cache has stored needs no permit. */
  Response send(boolean hasCache) throws IOException {
    Request request = chain.request();
    if (request.cacheControl().onlyIfCached()) {
      return proceed(request);
    }
    if (hasCache && request.method().equals("GET")) {
      Response stored = proceed(StoredResponse.lookUp(request));
      if (!StoredResponse.isMissing(stored) && !isRefused(stored)) {
        return StoredResponse.asAsked(stored, request);
      }
      stored.close();
    }
    return sendPaced(request);
  }

  private Response sendPaced(Request request) throws IOException {
    while (true) {
      ready = acquire(request);
      Response response = proceed(request);
      if (!isRefused(response)) {
        return response;
      }
      response.close();
    }
  }

  private Response proceed(Request request) throws IOException {
    Response response = null;
    try {
      response = chain.proceed(request);
      received(response);
      return response;
    } catch (Throwable failure) {
      if (response != null) {
        response.close(); // before, as it may be answered
      }
      if (last != null) {
        last.failed(failure);
      }
      throw failure;
    } finally {
      if (ready != null) {
        ready.notSent(); // a response of an interceptor, or no connection
      }
    }
  }

  private void received(Response response) {
    if (last != null && isFromNetwork(response)) {
      last.received(response);
    } else if (last != null) {
      last.superseded();
    }
  }

  private boolean isRefused(Response response) {
    return last != null && isFromNetwork(response) && last.shouldRetry();
  }

  /** A redirect may lead to a response that the cache has stored. */
  private static boolean isFromNetwork(Response response) {
    return response.networkResponse() != null;
  }

  /** Returns the request that is sent now. Further ones wait here, on their connection. */
  PacedRequest<Response> next(Request request) throws IOException {
    if (last != null) {
      last.superseded();
    }
    PacedRequest<Response> next = ready == null ? acquire(request) : ready;
    ready = null;
    last = next;
    return next;
  }

  private PacedRequest<Response> acquire(Request request) throws IOException {
    return wait.await(paced.acquireAsync(request));
  }
}
