package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
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
 * <p><b>Ends.</b> A permit ends with the end of the response's body: read, or closed, which reads
 * the rest. A time-out or a broken connection is lost. The answer's rate-limit headers are applied
 * to the limiter; a refusal such as 429 pauses it.
 *
 * <p>An interrupt while waiting is an {@link InterruptedIOException}; the thread stays interrupted.
 * Immutable and thread-safe.
 */
public final class PacedInterceptor implements ClientHttpRequestInterceptor {

  private final Limiter limiter;
  private final @Nullable Duration maxWait;
  private final Feedback feedback;

  private PacedInterceptor(Limiter limiter, @Nullable Duration maxWait, Feedback feedback) {
    this.limiter = limiter;
    this.maxWait = maxWait;
    this.feedback = feedback;
  }

  /** Returns an interceptor that takes permits from {@code limiter}. */
  public static PacedInterceptor of(Limiter limiter) {
    return new PacedInterceptor(requireNonNull(limiter), null, Feedback.standard());
  }

  /**
   * Returns this interceptor with a longest wait. A request that would wait longer fails with
   * {@link WaitTooLongException}, at once if that is known. Default: unbounded.
   */
  public PacedInterceptor maxWait(Duration maxWait) {
    return new PacedInterceptor(limiter, requireNonNull(maxWait), feedback);
  }

  /** Returns this interceptor with another way to apply answers to the limiter. */
  public PacedInterceptor feedback(Feedback feedback) {
    return new PacedInterceptor(limiter, maxWait, requireNonNull(feedback));
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    Permit permit = acquire();
    try {
      permit.sending();
      ClientHttpResponse response = execution.execute(request, body);
      Answers.apply(feedback, limiter, permit, response.getStatusCode(), response.getHeaders());
      return new PacedResponse(response, permit);
    } catch (Throwable failure) {
      permit.failed(failure);
      throw failure;
    }
  }

  private Permit acquire() throws IOException {
    try {
      if (maxWait == null) {
        return limiter.acquire();
      }
      return limiter.tryAcquire(maxWait).orElseThrow(() -> tooLong(maxWait));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      var stopped = new InterruptedIOException("interrupted while waiting for " + limiter.name());
      stopped.initCause(interrupted);
      throw stopped;
    }
  }

  private WaitTooLongException tooLong(Duration longest) {
    return new WaitTooLongException(
        limiter.name(), Durations.brief(longest), limiter.estimateWait(1));
  }
}
