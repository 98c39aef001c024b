package dev.pacegate.compatibility;

import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Okio;

/**
 * An adapter of OkHttp in the shortest form, to try the contract with a client that follows
 * redirects by itself: an application interceptor sees calls, a network interceptor what they send.
 */
final class PacedOkHttp extends PacingOptions<Request, Response, PacedOkHttp> {

  PacedOkHttp() {
    super(new Messages());
  }

  OkHttpClient over(OkHttpClient client) {
    return client
        .newBuilder()
        .addInterceptor(new Calls(pacing()))
        .addNetworkInterceptor(PacedOkHttp::send)
        .build();
  }

  /** One call of the user. */
  private static final class Call {
    final PacedCall<Request, Response> paced;
    boolean retry;

    Call(PacedCall<Request, Response> paced) {
      this.paced = paced;
    }
  }

  private record Calls(RequestPacing<Request, Response> pacing) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      var call = new Call(pacing.newCall());
      Request request = chain.request().newBuilder().tag(Call.class, call).build();
      while (true) {
        call.retry = false;
        Response response = chain.proceed(request);
        if (!call.retry) {
          return response;
        }
        response.close();
      }
    }
  }

  /** Sends one request. */
  private static Response send(Interceptor.Chain chain) throws IOException {
    Call call = Objects.requireNonNull(chain.request().tag(Call.class));
    PacedRequest<Response> request = acquire(call.paced, chain.request());
    try {
      request.sending();
      Response response = chain.proceed(chain.request());
      if (response.isRedirect()) {
        request.headers(response.code(), response.headers().toMultimap());
        request.superseded();
      } else {
        request.received(response);
        call.retry = request.shouldRetry();
      }
      return response.newBuilder().body(tracked(response.body(), request)).build();
    } catch (Throwable failure) {
      request.failed(failure);
      throw failure;
    }
  }

  private static PacedRequest<Response> acquire(PacedCall<Request, Response> call, Request request)
      throws IOException {
    try {
      return call.acquire(request);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a permit");
    }
  }

  private static ResponseBody tracked(ResponseBody body, PacedRequest<Response> request) {
    InputStream stream = request.body(body.byteStream());
    return ResponseBody.create(
        Okio.buffer(Okio.source(stream)), body.contentType(), body.contentLength());
  }

  private static final class Messages implements MessageReader<Request, Response> {
    @Override
    public String host(Request request) {
      return HostKey.of(request.url().uri());
    }

    @Override
    public String method(Request request) {
      return request.method();
    }

    @Override
    public boolean isRepeatable(Request request) {
      return request.body() == null || !request.body().isOneShot();
    }

    @Override
    public int status(Response response) {
      return response.code();
    }

    @Override
    public Map<String, List<String>> headers(Response response) {
      return response.headers().toMultimap();
    }
  }
}
