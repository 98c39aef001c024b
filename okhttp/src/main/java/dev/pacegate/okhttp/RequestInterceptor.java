package dev.pacegate.okhttp;

import dev.pacegate.adapter.InterceptedCall;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Sees requests before there is a connection, below the user's interceptors: the first one of a
 * call waits here, and a refused one is sent again.
 */
record RequestInterceptor(CallInterceptor calls, boolean hasCache) implements Interceptor {

  @Override
  public Response intercept(Chain chain) throws IOException {
    try {
      return send(chain, calls.of(chain.call()));
    } catch (IOException failure) {
      throw InterceptedCall.reported(failure);
    }
  }

  /** What the cache has stored needs no permit. */
  private Response send(Chain chain, InterceptedCall<Request, Response> call) throws IOException {
    Request request = chain.request();
    call.superseded(); // if an interceptor sends more than once
    if (request.cacheControl().onlyIfCached()) {
      return proceed(chain, request, call);
    }
    Request first = request; // that goes to the wire
    if (hasCache && request.method().equals("GET")) {
      Response stored = proceed(chain, StoredResponse.lookUp(request), call);
      if (!StoredResponse.isMissing(stored) && !call.shouldRetry()) {
        return StoredResponse.asAsked(stored, request);
      }
      first = StoredResponse.asAsked(stored, request).request(); // the cache follows redirects
      stored.close();
    }
    while (true) {
      call.prepare(first);
      Response response = proceed(chain, request, call);
      if (!call.shouldRetry()) {
        return response;
      }
      response.close();
    }
  }

  private static Response proceed(
      Chain chain, Request request, InterceptedCall<Request, Response> call) throws IOException {
    Response response = null;
    try {
      response = chain.proceed(request);
      if (response.networkResponse() == null) {
        call.superseded(); // a redirect to what the cache has stored
      } else {
        call.received(response);
      }
      return response;
    } catch (Throwable failure) {
      if (response != null) {
        response.close(); // before, as it may be answered
      }
      call.failed(failure);
      throw failure;
    } finally {
      call.withdraw(); // a response of an interceptor, or no connection
    }
  }
}
