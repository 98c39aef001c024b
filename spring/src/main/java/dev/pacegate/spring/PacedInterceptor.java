package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Paces a RestClient or a RestTemplate: a permit for each request that goes on through it.
 *
 * <pre>{@code
 * RestClient.builder().requestInterceptor(PacedInterceptor.of(limiter)).build();
 * }</pre>
 *
 * <p><b>Promise.</b> That of the limit, if it is the last interceptor and the client below sends a
 * request once. What that client repeats or follows by itself, no interceptor sees: let it follow
 * no redirects and repeat nothing (Reactor Netty does, and is the default where it is there), or
 * take {@link PacedRequestFactory}, which takes a permit for those too.
 *
 * <p><b>Ends.</b> A permit ends with the end of the response's body: read, or closed, which reads a
 * short rest. A time-out, a broken connection or a long rest is lost. The answer's rate-limit
 * headers are applied to the limiter; a refusal such as 429 pauses it, and is returned unless
 * {@link InterceptorBuilder#retryRefused} is set.
 *
 * <p><b>Exceptions</b> are I/O errors, which RestClient and RestTemplate wrap in a {@code
 * ResourceAccessException}: {@link dev.pacegate.adapter.NotSentException} if there is no permit in
 * time or at all, and {@link InterruptedIOException} if interrupted while waiting; the thread stays
 * interrupted.
 *
 * <p>Immutable and thread-safe.
 */
public final class PacedInterceptor implements ClientHttpRequestInterceptor {

  private final RequestPacing<HttpRequest, PeerResponse> pacing;

  private PacedInterceptor(RequestPacing<HttpRequest, PeerResponse> pacing) {
    this.pacing = pacing;
  }

  /** Returns an interceptor that takes permits from {@code limiter}. */
  public static PacedInterceptor of(Limiter limiter) {
    return builder().limiter(limiter).build();
  }

  /** Begins an interceptor with a limit for each host or key, costs, or other options. */
  public static InterceptorBuilder builder() {
    return new InterceptorBuilder();
  }

  /**
   * Returns the limiters of all hosts, or of the keys of {@link InterceptorBuilder#by}.
   *
   * @throws IllegalStateException if this was not built with {@link InterceptorBuilder#limit}
   */
  public KeyedLimiter<String> limiters() {
    return pacing.limiters();
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    PacedCall<HttpRequest, PeerResponse> call = pacing.newCall();
    while (true) {
      PacedRequest<PeerResponse> paced = acquire(call, request);
      ClientHttpResponse response = null;
      try {
        paced.sending();
        response = execution.execute(request, body);
        var callers = new PacedResponse(response, paced);
        response = callers;
        if (callers.isReceived()) {
          return callers;
        }
        callers.close();
      } catch (Throwable failure) {
        paced.failed(failure);
        if (response != null) {
          response.close();
        }
        throw failure;
      }
    }
  }

  private static PacedRequest<PeerResponse> acquire(
      PacedCall<HttpRequest, PeerResponse> call, HttpRequest request) throws IOException {
    try {
      return call.acquire(request);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      var stopped = new InterruptedIOException("interrupted while waiting for a permit");
      stopped.initCause(interrupted);
      throw stopped;
    }
  }

  /**
   * Sets the options of an interceptor. A limit or limiter is required; every other option has a
   * default. Not thread-safe.
   *
   * <p>The length of a request's body is in its header {@code Content-Length}, for {@link #cost}.
   * Functions that read responses get {@link PeerResponse}.
   */
  public static final class InterceptorBuilder
      extends PacingOptions<HttpRequest, PeerResponse, InterceptorBuilder> {

    private InterceptorBuilder() {
      super(new Messages<>(HttpRequest::getURI, HttpRequest::getMethod));
    }

    /**
     * Returns the interceptor.
     *
     * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
     *     contradict each other
     */
    public PacedInterceptor build() {
      return new PacedInterceptor(pacing());
    }
  }
}
