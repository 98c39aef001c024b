package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.feedback.Feedback;
import java.time.Duration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Paces a WebClient: a permit for each request that goes on through it. No thread waits.
 *
 * <pre>{@code
 * WebClient.builder().filter(PacedExchangeFilter.of(limiter)).build();
 * }</pre>
 *
 * <p><b>Promise.</b> That of the limit, if it is the last filter and the connector below sends a
 * request once. What a connector follows or repeats by itself, no filter sees. Reactor Netty's
 * follows no redirects unless told; it repeats a request whose pooled connection was closed, which
 * {@code HttpClient.disableRetry(true)} ends.
 *
 * <p><b>Ends.</b> A permit ends with the end of the response's body. Cancelling leaves the queue; a
 * request under way, or a body that is not read to its end, is lost, as is a time-out. The answer's
 * rate-limit headers are applied to the limiter; a refusal such as 429 pauses it.
 *
 * <p>Immutable and thread-safe.
 */
public final class PacedExchangeFilter implements ExchangeFilterFunction {

  private static final Duration UNBOUNDED = Duration.ofSeconds(Long.MAX_VALUE);

  private final Limiter limiter;
  private final Duration maxWait;
  private final Feedback feedback;

  private PacedExchangeFilter(Limiter limiter, Duration maxWait, Feedback feedback) {
    this.limiter = limiter;
    this.maxWait = maxWait;
    this.feedback = feedback;
  }

  /** Returns a filter that takes permits from {@code limiter}. */
  public static PacedExchangeFilter of(Limiter limiter) {
    return new PacedExchangeFilter(requireNonNull(limiter), UNBOUNDED, Feedback.standard());
  }

  /**
   * Returns this filter with a longest wait. A request that would wait longer fails with {@link
   * WaitTooLongException}, at once if that is known. Default: unbounded.
   */
  public PacedExchangeFilter maxWait(Duration maxWait) {
    return new PacedExchangeFilter(limiter, requireNonNull(maxWait), feedback);
  }

  /** Returns this filter with another way to apply answers to the limiter. */
  public PacedExchangeFilter feedback(Feedback feedback) {
    return new PacedExchangeFilter(limiter, maxWait, requireNonNull(feedback));
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return Place.mono(
        limiter,
        maxWait,
        (permit, handOn) -> {
          permit.sending();
          return next.exchange(request)
              .map(response -> received(response, permit, handOn))
              .switchIfEmpty(Mono.fromRunnable(permit::lost));
        });
  }

  private ClientResponse received(ClientResponse response, Permit permit, Runnable handOn) {
    Answers.apply(
        feedback, limiter, permit, response.statusCode(), response.headers().asHttpHeaders());
    handOn.run();
    return response.mutate().body(body -> tracked(body, permit)).build();
  }

  private static Flux<DataBuffer> tracked(Flux<DataBuffer> body, Permit permit) {
    return body.doOnComplete(permit::answered)
        .doOnError(failure -> permit.lost())
        .doOnCancel(permit::lost);
  }
}
