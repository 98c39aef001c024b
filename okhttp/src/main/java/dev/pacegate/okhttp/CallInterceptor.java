package dev.pacegate.okhttp;

import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Sees calls, before there is a connection: the first request waits here, and a refused one is sent
 * again.
 */
final class CallInterceptor implements Interceptor {

  final RequestPacing<Request, Response> pacing;
  private final boolean hasCache;
  private final Map<Call, CallRequests> open = new ConcurrentHashMap<>(); // while on their threads

  CallInterceptor(RequestPacing<Request, Response> pacing, boolean hasCache) {
    this.pacing = pacing;
    this.hasCache = hasCache;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    requirePlain(chain.request());
    var call = new CallRequests(pacing.newCall(), chain);
    open.put(chain.call(), call);
    try {
      return call.send(hasCache);
    } finally {
      open.remove(chain.call());
    }
  }

  private static void requirePlain(Request request) throws IOException {
    if ("websocket".equalsIgnoreCase(request.header("Upgrade"))) {
      throw new IOException(
          "a paced client opens no WebSocket, as OkHttp hides its redirects and retries:"
              + " open it with the client that is not paced, and take a permit before");
    }
  }

  /** Returns the requests of a call that is under way. */
  CallRequests requests(Call call) {
    CallRequests requests = open.get(call);
    if (requests == null) {
      throw new IllegalStateException(
          "a request is about to be sent without a permit: the interceptor of PacedOkHttp was"
              + " removed from the client, or sends on after its call");
    }
    return requests;
  }
}
