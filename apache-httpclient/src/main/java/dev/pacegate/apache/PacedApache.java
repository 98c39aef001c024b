package dev.pacegate.apache;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChain.Scope;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/**
 * Makes Apache HttpClient 5 send no faster than a limit allows.
 *
 * <pre>{@code
 * CloseableHttpClient client =
 *     PacedApache.builder().limit("10/1m").build().over(HttpClients.custom()).build();
 * }</pre>
 *
 * <p><b>Promise.</b> Every request to the peer has a permit of its own: the first one, each
 * redirect, each round of authentication, and each retry, HttpClient's own or that of an {@code
 * ExecChainHandler}. A response from HttpClient's cache takes none. The {@code CONNECT} by which a
 * proxy opens a tunnel goes to the proxy, and takes none either.
 *
 * <p><b>Waiting.</b> A request waits before it takes a connection from the pool; in the middle of
 * an authentication that belongs to its connection, it keeps that. {@code cancel} and {@code abort}
 * of the request, and an interrupt, leave the queue at once; nothing has been charged then. A
 * request that gets no permit fails with {@link dev.pacegate.adapter.NotSentException}, which
 * HttpClient does not retry.
 *
 * <p><b>Ends.</b> A permit ends with the body: read to its end, or closed, which reads up to 64 KiB
 * for at most a second. It is <em>not sent</em> if there was no connection, and <em>lost</em> if
 * the outcome is unknown: a time-out, a broken connection, a longer body that is closed, a request
 * that is cancelled.
 *
 * <p>A function of {@link Builder#settle} or {@link Builder#refused} gets the response with a body
 * that is still to be read. One that reads the body replaces it: {@code response.setEntity(new
 * BufferedHttpEntity(response.getEntity()))}.
 *
 * <p>Thread-safe. Only the classic client is paced, not the asynchronous one.
 */
public final class PacedApache {

  private static final String NAME = "pacegate";

  private final RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing;

  private PacedApache(RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing) {
    this.pacing = pacing;
  }

  /** Begins with no limit set. */
  public static Builder builder() {
    return new Builder();
  }

  /** The options. Not thread-safe. */
  public static final class Builder
      extends PacingOptions<ClassicHttpRequest, ClassicHttpResponse, Builder> {

    private Builder() {
      super(new ApacheMessages());
    }

    /**
     * Returns what paces clients by these options.
     *
     * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
     *     contradict each other
     */
    public PacedApache build() {
      return new PacedApache(pacing());
    }
  }

  /**
   * Paces the clients that {@code client} builds from now on, whatever else is set on it before or
   * after. All clients paced by this object share its limiters.
   *
   * @return {@code client}
   */
  public <T extends HttpClientBuilder> T over(T client) {
    client.addExecInterceptorFirst(NAME, this::call);
    client.addExecInterceptorBefore(ChainElement.CONNECT.name(), NAME, this::send);
    return client;
  }

  /** Returns the limiter of a request. See {@link RequestPacing#limiter}. */
  public Limiter limiter(ClassicHttpRequest request) {
    return pacing.limiter(request);
  }

  /**
   * Returns the limiters of all keys. See {@link RequestPacing#limiters}.
   *
   * @throws IllegalStateException if limiters were given instead of a limit
   */
  public KeyedLimiter<String> limiters() {
    return pacing.limiters();
  }

  /** One call of the user, above redirects and HttpClient's retries. */
  private ClassicHttpResponse call(ClassicHttpRequest request, Scope scope, ExecChain chain)
      throws IOException, HttpException {
    var runtime =
        new PacedRuntime(
            scope.execRuntime,
            pacing,
            scope.originalRequest instanceof CancellableDependency own ? own : null);
    var paced =
        new Scope(
            scope.exchangeId, scope.route, scope.originalRequest, runtime, scope.clientContext);
    Header[] headers = request.getHeaders();
    try {
      while (true) {
        ClassicHttpResponse response = chain.proceed(request, paced);
        runtime.received(response);
        if (!runtime.shouldRetry()) {
          return response;
        }
        EntityUtils.consume(response.getEntity());
        response.close();
        request.setHeaders(headers); // without those that the client has added
      }
    } catch (NoPermitException none) {
      throw none.reason();
    } catch (Throwable failure) {
      runtime.failed(failure);
      throw failure;
    }
  }

  /** One request, below all of that and above the connection. */
  private ClassicHttpResponse send(ClassicHttpRequest request, Scope scope, ExecChain chain)
      throws IOException, HttpException {
    if (!(scope.execRuntime instanceof PacedRuntime runtime) || !runtime.isOf(pacing)) {
      return chain.proceed(request, scope); // wrapped by another handler: it waits when it is sent
    }
    Header[] headers = request.getHeaders();
    while (true) {
      runtime.prepare(request, scope.clientContext);
      ClassicHttpResponse response;
      try {
        response = chain.proceed(request, scope);
      } finally {
        runtime.withdraw();
      }
      if (!runtime.shouldRetry()) {
        return response;
      }
      EntityUtils.consume(response.getEntity());
      request.setHeaders(headers);
    }
  }
}
