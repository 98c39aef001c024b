package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
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
 * rate-limit headers are applied to the limiter; a refusal such as 429 pauses it, and is returned
 * unless {@link FilterBuilder#retryRefused} is set.
 *
 * <p><b>Exceptions.</b> A request that gets no permit in time, or at all, fails with a {@link
 * WebClientRequestException}, whose cause is {@link NotSentException}.
 *
 * <p>Immutable and thread-safe.
 */
public final class PacedExchangeFilter implements ExchangeFilterFunction {

  private final RequestPacing<ClientRequest, PeerResponse> pacing;

  private PacedExchangeFilter(RequestPacing<ClientRequest, PeerResponse> pacing) {
    this.pacing = pacing;
  }

  /** Returns a filter that takes permits from {@code limiter}. */
  public static PacedExchangeFilter of(Limiter limiter) {
    return builder().limiter(limiter).build();
  }

  /** Begins a filter with a limit for each host or key, costs, or other options. */
  public static FilterBuilder builder() {
    return new FilterBuilder();
  }

  /**
   * Returns the limiters of all hosts, or of the keys of {@link FilterBuilder#by}.
   *
   * @throws IllegalStateException if this was not built with {@link FilterBuilder#limit}
   */
  public KeyedLimiter<String> limiters() {
    return pacing.limiters();
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return Mono.defer(() -> send(request, next, pacing.newCall()))
        .onErrorMap(
            NotSentException.class,
            why ->
                new WebClientRequestException(
                    why, request.method(), request.url(), request.headers()));
  }

  private static Mono<ClientResponse> send(
      ClientRequest request, ExchangeFunction next, PacedCall<ClientRequest, PeerResponse> call) {
    return Place.mono(
        () -> call.acquireAsync(request),
        Place.PlaceEnding.OF_REQUEST,
        (paced, handOn) -> {
          paced.sending();
          return next.exchange(request)
              .flatMap(
                  response ->
                      new ReceivedResponse(response, paced, handOn)
                          .callers(Mono.defer(() -> send(request, next, call))))
              .switchIfEmpty(Mono.fromRunnable(paced::aborted));
        });
  }

  /**
   * Sets the options of a filter. A limit or limiter is required; every other option has a default.
   * Not thread-safe.
   *
   * <p>Functions that read responses get {@link PeerResponse}. All functions run on threads that
   * must not block. A request that {@link #retryRefused} chooses is sent again with the same body:
   * choose none whose body is a publisher that has its items only once.
   */
  public static final class FilterBuilder
      extends PacingOptions<ClientRequest, PeerResponse, FilterBuilder> {

    private FilterBuilder() {
      super(new Messages<>(ClientRequest::url, ClientRequest::method));
    }

    /**
     * Returns the filter.
     *
     * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
     *     contradict each other
     */
    public PacedExchangeFilter build() {
      return new PacedExchangeFilter(pacing());
    }
  }
}
