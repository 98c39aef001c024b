package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;

/** Sees each request that is sent: also redirects, and the retries of OkHttp. */
record WireInterceptor(CallInterceptor calls) implements Interceptor {

  private static final int SWITCHING_PROTOCOLS = 101;

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    PacedRequest<Response> sent = calls.of(chain.call()).next(request);
    Response response = null;
    try {
      sent.sending();
      response = tracked(chain.proceed(request), sent);
      sent.headers(response.code(), response.headers().toMultimap());
      return response;
    } catch (Throwable failure) {
      if (response != null) {
        response.close(); // before, as it may be answered
      }
      sent.failed(failure);
      throw failure;
    }
  }

  private static Response tracked(Response response, PacedRequest<Response> sent) {
    ResponseBody body = response.body();
    if (response.code() == SWITCHING_PROTOCOLS) {
      sent.bodyEnded(); // what follows is no response
      return response;
    }
    var source = Okio.buffer(new TrackedSource(body, sent));
    return response
        .newBuilder()
        .body(ResponseBody.create(source, body.contentType(), body.contentLength()))
        .build();
  }
}
