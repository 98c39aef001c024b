package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a client's requests are paced: the limiter and the cost of each, and what becomes of its
 * response. Built by {@link PacingOptions}. Immutable and thread-safe; its limiters have state.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 */
public final class RequestPacing<Q, R> {

  final MessageReader<Q, R> messages;
  final @Nullable Feedback feedback;
  final Retries<Q> retries;
  final ResponseFunctions<R> functions;
  final boolean endsAtHeaders;
  private final Function<? super Q, Limiter> route;
  private final @Nullable KeyedLimiter<String> limiters; // null if the user gave limiters
  private final Function<? super Q, Cost> cost;
  private final Duration maxWait;
  private final WaitLog log = new WaitLog();

  RequestPacing(
      PacingOptions<Q, R, ?> options,
      Function<? super Q, Limiter> route,
      @Nullable KeyedLimiter<String> limiters) {
    this.messages = options.messages;
    this.feedback = options.feedback;
    this.retries = options.retries;
    this.functions = new ResponseFunctions<>(options.actual, options.refused, options.text);
    this.endsAtHeaders = options.endsAtHeaders;
    this.route = route;
    this.limiters = limiters;
    this.cost = options.cost;
    this.maxWait = options.maxWait;
  }

  /** Begins a call of the user. Each of its requests waits for at most {@code maxWait}. */
  public PacedCall<Q, R> newCall() {
    return new PacedCall<>(this, WaitBound.each(maxWait));
  }

  /**
   * Begins a call of the user with one deadline for all its waits: {@code waits} after its first
   * request asked for a permit. It replaces {@code maxWait}, unless it is more than a century.
   */
  public PacedCall<Q, R> newCall(Duration waits) {
    return waits.compareTo(WaitBound.CENTURY) > 0
        ? newCall()
        : new PacedCall<>(this, WaitBound.all(waits));
  }

  /** Calls each function once: a second call might return something else. */
  PermitSource source(Q request, WaitBound bound) {
    Limiter limiter = limiter(request);
    Cost amount = requireNonNull(cost.apply(request), "no cost for the request");
    bound.begin(limiter.time());
    return new PermitSource(limiter, amount, () -> messages.host(request), bound, log);
  }

  /**
   * Returns the limiter of a request: to look at it, to pause or resume it, or to change its limit.
   * It calls the user's functions that choose limiters.
   */
  public Limiter limiter(Q request) {
    return requireNonNull(route.apply(requireNonNull(request)), "no limiter for the request");
  }

  /**
   * Returns the limiters of all keys, to pause or change all of them at once. A text given to
   * {@code setLimit} is used as it is: write {@code peer(20/1m)} for a limit that counts as the
   * peer does.
   *
   * @throws IllegalStateException if the user gave limiters instead of {@link PacingOptions#limit}
   */
  public KeyedLimiter<String> limiters() {
    if (limiters == null) {
      throw new IllegalStateException(
          "this client was built with limiters of yours: use them, or limiter(request)");
    }
    return limiters;
  }
}
