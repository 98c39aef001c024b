package dev.pacegate.okhttp;

import dev.pacegate.adapter.InterceptedCall;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/** Sees calls where they begin and end, above the user's interceptors. */
final class CallInterceptor implements Interceptor {

  final RequestPacing<Request, Response> pacing;
  private final Map<Call, InterceptedCall<Request, Response>> open = new ConcurrentHashMap<>();

  CallInterceptor(RequestPacing<Request, Response> pacing) {
    this.pacing = pacing;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    requirePlain(chain.request());
    var paced = new InterceptedCall<>(pacing, () -> new IOException("Canceled")); // as OkHttp's
    open.put(chain.call(), paced);
    try (var watch = new CancelWatch(chain.call(), paced::cancel)) {
      return chain.proceed(chain.request());
    } catch (Throwable failure) {
      paced.failed(failure); // if an interceptor has dropped a response
      throw failure;
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

  /** Returns a call that is under way. */
  InterceptedCall<Request, Response> of(Call call) {
    InterceptedCall<Request, Response> paced = open.get(call);
    if (paced == null) {
      throw new IllegalStateException(
          "a request is about to be sent without a permit: the interceptor of PacedOkHttp was"
              + " removed from the client, or sends on after its call");
    }
    return paced;
  }
}
