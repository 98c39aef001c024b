package dev.pacegate.adapter;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The options of a paced client, whatever client it is. A limit or limiter is required; every other
 * option has a default. Not thread-safe.
 *
 * <p>The builder of an adapter extends this, and its {@code build} calls {@link #pacing}.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 * @param <B> the builder
 */
public class PacingOptions<Q, R, B extends PacingOptions<Q, R, B>> {

  final MessageReader<Q, R> messages;
  private @Nullable Function<? super Q, Limiter> route;
  private @Nullable Limit limit;
  private @Nullable Function<? super Q, String> key; // null for the host
  Function<? super Q, Cost> cost = request -> Cost.ONE;
  @Nullable BiFunction<? super R, ? super Cost, ? extends @Nullable Cost> actual;
  @Nullable Function<? super R, ? extends @Nullable PeerAnswer> refused;
  @Nullable BiFunction<? super String, ? super Cost, ? extends @Nullable Cost> text;
  private @Nullable String name;
  private @Nullable LimiterListener listener;
  Retries<Q> retries = new Retries<>(0, request -> false);
  Duration maxWait = WaitBound.FOREVER;
  @Nullable Feedback feedback = Feedback.standard();
  boolean endsAtHeaders;

  /** Used by adapters. */
  protected PacingOptions(MessageReader<Q, R> messages) {
    this.messages = requireNonNull(messages);
  }

  @SuppressWarnings("unchecked") // by its declaration B is the type of this
  private B self() {
    return (B) this;
  }

  /**
   * Sets a limit for each host, or for each key of {@link #by}, given as text. Each of its terms
   * counts as the peer does, {@code peer(10/1m)}, unless it says {@code starts} or {@code peer}:
   * see {@link Limit#asPeerCounts}.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public B limit(String text) {
    return limit(Limits.parse(text).asPeerCounts());
  }

  /** As {@link #limit(String)}, given as a value, which is used as it is. */
  public B limit(Limit limit) {
    this.limit = requireNonNull(limit);
    this.route = null;
    return self();
  }

  /**
   * Sets the key by which {@link #limit} counts requests. Default: the {@linkplain
   * MessageReader#host host}. A limiter of one's own has no keys: choose it by {@link #limiters}.
   */
  public B by(Function<? super Q, String> key) {
    this.key = requireNonNull(key);
    return self();
  }

  /** Sets the limiter of all requests. */
  public B limiter(Limiter limiter) {
    requireNonNull(limiter);
    return limiters(request -> limiter);
  }

  /** Sets the limiter of each request; the function is called once for each. */
  public B limiters(Function<? super Q, Limiter> choice) {
    this.route = requireNonNull(choice);
    return self();
  }

  /** Sets the keyed limiter, and the key of each request. */
  public <K> B limiters(KeyedLimiter<K> limiters, Function<? super Q, ? extends K> choice) {
    return limiters(byKey(requireNonNull(limiters), requireNonNull(choice)));
  }

  private static <Q, K> Function<Q, Limiter> byKey(
      KeyedLimiter<K> limiters, Function<? super Q, ? extends K> choice) {
    return request ->
        limiters.limiter(requireNonNull(choice.apply(request), "no key for the request"));
  }

  /**
   * Sets the cost of each request. Default: 1. A redirect costs what its own request costs. A cost
   * that the limiter does not {@linkplain Limiter#requireCounted count} makes the call throw an
   * {@link IllegalArgumentException}.
   */
  public B cost(Function<? super Q, Cost> cost) {
    this.cost = requireNonNull(cost);
    return self();
  }

  /**
   * Corrects the cost of a request from its response: {@link #cost} estimates, such as {@code
   * Cost.of("tokens", 1500)}, and this function tells what was spent, or null to leave it at the
   * estimate. It gets the response and the cost charged, and is called when the whole body has come
   * in, before the permit ends, on the thread that has received the response or, of a stream, its
   * end. So it must not block. See {@link Permit#settle(Cost)}.
   *
   * <p>If the body is a stream, its bytes are the caller's, and may still be on their way to it:
   * read headers, or let the client collect what the function needs. Answers that lead to a further
   * request (a redirect, a round of authentication, a retry) stay at the estimate. An exception of
   * the function has no effect but that the first one is logged.
   */
  public B settle(BiFunction<? super R, ? super Cost, ? extends @Nullable Cost> actual) {
    this.actual = requireNonNull(actual);
    return self();
  }

  /**
   * Corrects the cost of a request from the text of its response, whatever type of body the caller
   * asks for: a text, a stream, lines. The caller gets all bytes as they come.
   *
   * <p>If the response is a stream of events ({@code text/event-stream}), the function gets the
   * data of each event, apart from {@code [DONE]}; of any other response it gets the whole body
   * once that is in. It gets the cost so far, too, first that charged, and returns it corrected, or
   * null if the text tells nothing. The last cost that it returned is charged at the end of the
   * body. A stream that is given up before its end stays at the estimate, unless {@code [DONE]} has
   * come. So does a body or an event of more than 1 MiB, which is not given to the function, and a
   * body that is compressed in another way than by gzip. Text is read as UTF-8.
   *
   * <p>The function runs on the thread that receives the body or the response, so it must not
   * block. It gets no body of an answer that leads to a further request: that stays at the
   * estimate. An exception of the function has no effect but that the first one is logged. It
   * replaces {@link #settle}: only one of the two can be set.
   */
  public B settleText(BiFunction<? super String, ? super Cost, ? extends @Nullable Cost> actual) {
    this.text = requireNonNull(actual);
    return self();
  }

  /**
   * Tells which responses are refusals although their status does not say so: {@code response ->
   * isFull(response) ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING}. Null is as {@code
   * NOTHING}. It adds to what the headers say: the weightier verdict counts, and the longer wait.
   * Such a response pauses the limiter, is counted, and is repeated as {@link #retryRefused} says,
   * like a 429.
   *
   * <p>The function gets each response that is given to the caller, body and all unless that is a
   * stream, before the permit ends. It does not get responses whose headers already lead to a
   * further request (a redirect, a round of authentication), or refuse this one and state a wait.
   * The limiter hears what all other responses say only then. An exception of the function has no
   * effect but that the first one is logged.
   */
  public B refused(Function<? super R, ? extends @Nullable PeerAnswer> refused) {
    this.refused = requireNonNull(refused);
    return self();
  }

  /** Names the limiters of {@link #limit} in messages. Default: the text of the limit. */
  public B name(String name) {
    this.name = requireNonNull(name);
    return self();
  }

  /** Sets a listener that receives events of the limiters of {@link #limit}. Default: none. */
  public B listener(LimiterListener listener) {
    this.listener = requireNonNull(listener);
    return self();
  }

  /**
   * Sets how rate-limit headers and refusals are applied to limiters. Default: {@link
   * Feedback#standard}.
   */
  public B feedback(Feedback feedback) {
    this.feedback = requireNonNull(feedback);
    return self();
  }

  /** Ignores rate-limit headers and refusals. */
  public B withoutFeedback() {
    this.feedback = null;
    return self();
  }

  /** Sets when permits end. Default: with the body. */
  public B answered(Answered answered) {
    this.endsAtHeaders = requireNonNull(answered) == Answered.HEADERS;
    return self();
  }

  /**
   * Bounds the wait for each permit. Default: unbounded. A wait of more than five seconds is logged
   * with its reason at level INFO, at most once a minute for each limiter and host.
   */
  public B maxWait(Duration maxWait) {
    this.maxWait = requireNonNull(maxWait);
    return self();
  }

  /**
   * Sends a request again that the peer refused because there were too many, up to {@code max}
   * times for each call. Default: 0.
   *
   * <p>Refused is what {@link #feedback} and {@link #refused} read as a refusal, such as 429, and
   * an overload, 503, with {@code Retry-After}. A refusal pauses the limiter, so the request goes
   * again when the answer said, with a permit of its own. Sent again are requests with the methods
   * GET, HEAD, PUT, DELETE, OPTIONS and TRACE, if their body can be sent again.
   *
   * <p>If the wait for the permit is known to be longer than {@link #maxWait} allows, the request
   * is not sent again. The last refusal is returned as any answer is.
   *
   * @throws IllegalArgumentException if {@code max} is negative
   */
  public B retryRefused(int max) {
    return retryRefused(max, request -> Retries.IDEMPOTENT.contains(messages.method(request)));
  }

  /**
   * As {@link #retryRefused(int)}, for the requests that {@code choice} accepts, whatever their
   * method: {@code request -> true} for POST, too.
   */
  public B retryRefused(int max, Predicate<? super Q> choice) {
    if (max < 0) {
      throw new IllegalArgumentException("retryRefused must not be negative: " + max);
    }
    this.retries = new Retries<>(max, requireNonNull(choice));
    return self();
  }

  /**
   * Returns how requests are paced by these options. Used by adapters.
   *
   * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
   *     contradict each other
   */
  protected RequestPacing<Q, R> pacing() {
    checkFeedback();
    checkEnd();
    var chosen = route;
    if (chosen != null) {
      check(
          name == null && listener == null,
          "name and listener belong to the limiters given: set them there");
      check(key == null, "by belongs to limit: choose limiters by limiters(KeyedLimiter, key)");
      return new RequestPacing<>(this, chosen, null);
    }
    Limit each = limit;
    if (each == null) {
      throw new IllegalStateException("a paced client needs a limit: call limit or limiter");
    }
    KeyedLimiter<String> keyed = keyed(each);
    return new RequestPacing<>(this, byKey(keyed, key == null ? messages::host : key), keyed);
  }

  private void checkFeedback() {
    check(
        retries.max() == 0 || feedback != null,
        "retryRefused needs feedback, which tells what a refusal is: drop withoutFeedback");
    check(
        refused == null || feedback != null,
        "refused needs feedback, which applies refusals to limiters: drop withoutFeedback");
  }

  private void checkEnd() {
    check(
        actual == null || text == null,
        "settle and settleText both correct the cost of a request: set one of them");
    check(
        (actual == null && text == null) || !endsAtHeaders,
        "settle needs the whole response before the permit ends: let permits end with the body");
    check(
        refused == null || !endsAtHeaders,
        "refused needs the whole response before the permit ends: let permits end with the body");
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }

  private KeyedLimiter<String> keyed(Limit each) {
    KeyedLimiter.Builder options = KeyedLimiter.builder(each);
    if (name != null) {
      options.name(name);
    }
    if (listener != null) {
      options.listener(listener);
    }
    return options.build();
  }
}
