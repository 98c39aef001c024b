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
import org.jspecify.annotations.Nullable;

/**
 * An adapter of OkHttp in the shortest form, to try the contract with a client that follows
 * redirects by itself. An application interceptor sees calls: it takes the permit of the first
 * request, before there is a connection, as one that waits may be closed by its server. A network
 * interceptor sees what is sent, and takes the further permits, of redirects and of OkHttp's own
 * retries. Call {@link #over} when the client has its other interceptors: these functions of the
 * user then see the headers that those set.
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

  /** One call of the user, on one thread. */
  private static final class Call {
    private final PacedCall<Request, Response> paced;
    private @Nullable PacedRequest<Response> ready; // has its permit, and is not sent yet
    private boolean retry;

    Call(PacedCall<Request, Response> paced) {
      this.paced = paced;
    }

    /** Waits for a permit, without a connection. */
    void prepare(Request request) throws IOException {
      retry = false;
      ready = acquire(request);
    }

    /** Returns the request that is sent now; further ones wait for their permits here. */
    PacedRequest<Response> next(Request request) throws IOException {
      PacedRequest<Response> next = ready == null ? acquire(request) : ready;
      ready = null;
      return next;
    }

    /** A cached response, or no connection. */
    void withdraw() {
      if (ready != null) {
        ready.notSent();
        ready = null;
      }
    }

    private PacedRequest<Response> acquire(Request request) throws IOException {
      try {
        return paced.acquire(request);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for a permit");
      }
    }
  }

  private record Calls(RequestPacing<Request, Response> pacing) implements Interceptor {
    @Override
    public Response intercept(Chain chain) throws IOException {
      var call = new Call(pacing.newCall());
      Request request = chain.request().newBuilder().tag(Call.class, call).build();
      while (true) {
        Response response = proceed(chain, request, call);
        if (!call.retry) {
          return response;
        }
        response.close();
      }
    }

    private static Response proceed(Chain chain, Request request, Call call) throws IOException {
      call.prepare(request);
      try {
        return chain.proceed(request);
      } finally {
        call.withdraw();
      }
    }
  }

  /** Sends one request. */
  private static Response send(Interceptor.Chain chain) throws IOException {
    Call call = Objects.requireNonNull(chain.request().tag(Call.class));
    PacedRequest<Response> request = call.next(chain.request());
    Response response = null;
    try {
      request.sending();
      response = chain.proceed(chain.request());
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
      if (response != null) {
        response.close();
      }
      throw failure;
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
