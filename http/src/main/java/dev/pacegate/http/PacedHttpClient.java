package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that sends no faster than a limit allows.
 *
 * <pre>{@code
 * HttpClient client = PacedHttpClient.builder(HttpClient.newHttpClient()).limit("10/1m").build();
 * HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p><b>Promise.</b> Every request on the wire has a permit of its own: the first one, each
 * redirect that is followed, each round of authentication, each repetition. So one permit is one
 * arrival at the peer, and a limit that counts as the {@linkplain dev.pacegate.limit.Peer peer}
 * does is never passed there. The JDK's client repeats a GET or HEAD, unseen, if the connection
 * ends before an answer; here that takes a permit first, too. For that purpose a GET on HTTP/1.1
 * carries {@code Content-Length: 0}, as in every JDK before 19.
 *
 * <p><b>Waiting.</b> {@code send} waits in the limiter's queue; {@code sendAsync} holds no thread.
 * Interrupting the one or cancelling the other costs nothing before the request is sent. A
 * request's own time-out begins when it is sent; {@link Builder#maxWait} and {@link
 * Builder#maxWaitFromTimeout} bound the wait for permits.
 *
 * <p><b>Ends.</b> A permit ends with the answer ({@link Answered}). It is <em>not sent</em> if
 * nothing was sent: no connection, or given up before there was one. It is <em>lost</em> if the
 * request was sent and the outcome is unknown: a broken connection, a time-out, a cancelled call or
 * body. A streaming body handler keeps the permit until its stream is read to the end or closed.
 *
 * <p><b>Redirects and authentication</b> follow the policy and the authenticator of the given
 * client, by the rules of the JDK's client. Three things differ: a POST that becomes a GET loses
 * its body; credentials and cookies in headers do not go to another host on any JDK; and
 * credentials are tried once. If a proxy answers in the peer's place, that takes a permit, too,
 * except for a tunnel that it refuses.
 *
 * <p><b>Refusals</b> such as 429 pause the limiter, {@linkplain Builder#feedback as answers say},
 * and are returned as any answer is, unless {@link Builder#retryRefused} is set.
 *
 * <p><b>Exceptions</b> are the JDK's. A request that is not sent fails with {@link
 * HttpWaitTooLongException} or {@link HttpRefusedException}, which are I/O errors. An exception of
 * a user's function is thrown as it is, and no permit is left open.
 *
 * <p>WebSockets are refused, as they cannot be paced. Closing this client, on a JDK that can, does
 * not close the given client. Thread-safe.
 */
public final class PacedHttpClient extends HttpClient {

  /** How answers are treated. */
  record Rules(
      Redirects redirects,
      Credentials credentials,
      Retries retries,
      WaitBound.Rule waits,
      Answered answered,
      Settlement.@Nullable Rule settling,
      boolean sendsOnce) {}

  private final HttpClient inner;
  private final Redirect policy;
  private final @Nullable Authenticator authenticator;
  private final PermitSource.Factory sources;
  private final @Nullable KeyedLimiter<String> limiters; // null if the caller gave limiters
  private final Rules rules;

  private PacedHttpClient(
      Builder options,
      Function<? super HttpRequest, Limiter> route,
      @Nullable KeyedLimiter<String> limiters) {
    this.limiters = limiters;
    this.inner = options.plain;
    this.policy = options.policy;
    this.authenticator = options.authenticator;
    this.sources =
        new PermitSource.Factory(
            route, options.cost, options.feedback, new WaitLog(options.longWait));
    this.rules =
        new Rules(
            new Redirects(policy, options.maxRedirects),
            new Credentials(authenticator, inner.proxy().orElseGet(ProxySelector::getDefault)),
            options.retries,
            new WaitBound.Rule(options.maxWait, options.fromTimeout),
            options.answered,
            options.settling == null ? null : new Settlement.Rule(options.settling),
            PlainClient.isOfJdk(inner));
  }

  /**
   * Begins a paced client that sends as {@code client} does. If that follows no redirects and has
   * no authenticator it is used itself; otherwise a copy of it is used, without its local address
   * and priority, which cannot be read from a client.
   *
   * @throws IllegalArgumentException if it follows redirects or has an authenticator, and is not
   *     the JDK's own
   */
  public static Builder builder(HttpClient client) {
    return new Builder(PlainClient.of(client), client);
  }

  /** Begins a paced client that sends as a client built by {@code client} would. */
  public static Builder builder(HttpClient.Builder client) {
    HttpClient asked = client.build();
    return new Builder(PlainClient.of(client, asked), asked);
  }

  /**
   * Returns the limiter of a request: to look at it, to pause or resume it, or to change its limit.
   * It calls the functions by which the client was built to choose limiters.
   */
  public Limiter limiter(HttpRequest request) {
    return sources.limiter(request);
  }

  /**
   * Returns the limiter of a host, {@code "api.example.com"}, or of another key of {@link
   * Builder#by}.
   *
   * @throws IllegalStateException if the client was not built with {@link Builder#limit}
   */
  public Limiter limiter(String key) {
    return limiters().limiter(key);
  }

  /**
   * Returns the limiters of all keys, to pause or change all of them at once. A text given to
   * {@code setLimit} is used as it is: write {@code peer(20/1m)} for a limit that counts as the
   * peer does.
   *
   * @throws IllegalStateException if the client was not built with {@link Builder#limit}
   */
  public KeyedLimiter<String> limiters() {
    if (limiters == null) {
      throw new IllegalStateException(
          "this client was built with limiters of yours: use them, or limiter(request)");
    }
    return limiters;
  }

  /**
   * Waits for a permit and sends the request, and those that follow from it.
   *
   * @throws HttpWaitTooLongException if the wait would be longer than {@link Builder#maxWait} or
   *     {@link Builder#maxWaitFromTimeout} allows
   * @throws HttpRefusedException if no permit can be had
   * @throws IOException if sending or receiving fails
   * @throws InterruptedException if interrupted
   */
  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    var exchange = new Exchange<T>(rules, request, handler);
    HttpResponse<T> answer = null;
    while (answer == null) {
      answer = step(exchange);
    }
    return answer;
  }

  /** Sends one request; returns null if there is another one to be sent. */
  private <T> @Nullable HttpResponse<T> step(Exchange<T> exchange)
      throws IOException, InterruptedException {
    PermitSource source = exchange.source(sources);
    Permit permit = source.acquire();
    Attempt<T> attempt;
    try {
      attempt = exchange.attempt(source, permit);
    } catch (Throwable failure) {
      permit.notSent();
      throw failure;
    }
    HttpResponse<T> response;
    try {
      response = inner.send(attempt.sending(), attempt);
    } catch (Throwable failure) {
      Throwable reported = exchange.failed(attempt, failure);
      if (reported == null) {
        return null;
      }
      if (reported != failure) {
        throw (IOException) reported;
      }
      throw failure;
    }
    return exchange.accept(attempt, response);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return sendAsync(request, handler, null);
  }

  /**
   * Sends the request, and those that follow from it, as soon as there are permits. Cancelling the
   * future leaves the queue, or cancels the exchange. Pushed responses take no permit, as they
   * answer no request.
   *
   * @return the response; fails as {@link #send} does
   */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
    return AsyncExchange.start(
        new Exchange<T>(rules, request, handler),
        sources,
        attempt ->
            pushes == null
                ? inner.sendAsync(attempt.sending(), attempt)
                : inner.sendAsync(attempt.sending(), attempt, pushes));
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return inner.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return inner.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return policy;
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return inner.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return inner.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return inner.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return Optional.ofNullable(authenticator);
  }

  @Override
  public Version version() {
    return inner.version();
  }

  @Override
  public Optional<Executor> executor() {
    return inner.executor();
  }

  /**
   * Sets the options of a paced client. A limit or limiter is required; every other option has a
   * default. Not thread-safe.
   */
  public static final class Builder {

    private final HttpClient plain;
    private Redirect policy;
    private @Nullable Authenticator authenticator;
    private @Nullable Function<? super HttpRequest, Limiter> route;
    private @Nullable Limit limit;
    private Function<? super HttpRequest, String> key = RequestKey.host();
    private Function<? super HttpRequest, Cost> cost = request -> Cost.ONE;
    private Answered answered = Answered.BODY;
    private @Nullable BiFunction<? super HttpResponse<?>, ? super Cost, ? extends @Nullable Cost>
        settling;
    private @Nullable String name;
    private @Nullable LimiterListener listener;
    private Retries retries = Retries.NONE;
    private Duration maxWait = WaitBound.FOREVER;
    private Duration longWait = WaitLog.LONG;
    private boolean fromTimeout;
    private @Nullable Feedback feedback = Feedback.standard();
    private int maxRedirects = Redirects.usual();

    private Builder(HttpClient plain, HttpClient asked) {
      this.plain = plain;
      this.policy = asked.followRedirects();
      this.authenticator = asked.authenticator().orElse(null);
    }

    /**
     * Sets a limit for each host, or for each key of {@link #by}, given as text. It counts as the
     * peer does, {@code peer(10/1m)}, unless the text says {@code starts} or {@code peer}.
     *
     * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
     */
    public Builder limit(String text) {
      return limit(Limits.parse(text).asPeerCounts());
    }

    /** As {@link #limit(String)}, given as a value, which is used as it is. */
    public Builder limit(Limit limit) {
      this.limit = requireNonNull(limit);
      this.route = null;
      return this;
    }

    /** Sets the key by which {@link #limit} counts requests. Default: {@link RequestKey#host}. */
    public Builder by(Function<? super HttpRequest, String> key) {
      this.key = requireNonNull(key);
      return this;
    }

    /** Sets the limiter of all requests. */
    public Builder limiter(Limiter limiter) {
      requireNonNull(limiter);
      return limiters(request -> limiter);
    }

    /** Sets the limiter of each request; the function is called once for each. */
    public Builder limiters(Function<? super HttpRequest, Limiter> choice) {
      this.route = requireNonNull(choice);
      return this;
    }

    /** Sets the keyed limiter, and the key of each request. */
    public <K> Builder limiters(
        KeyedLimiter<K> limiters, Function<? super HttpRequest, ? extends K> choice) {
      return limiters(byKey(requireNonNull(limiters), requireNonNull(choice)));
    }

    private static <K> Function<HttpRequest, Limiter> byKey(
        KeyedLimiter<K> limiters, Function<? super HttpRequest, ? extends K> choice) {
      return request ->
          limiters.limiter(requireNonNull(choice.apply(request), "no key for the request"));
    }

    /**
     * Sets the cost of each request. Default: 1. A redirect costs what its own request costs. A
     * cost that the limiter does not {@linkplain Limiter#requireCounted count} makes {@link #send}
     * and {@link #sendAsync} throw an {@link IllegalArgumentException}.
     */
    public Builder cost(Function<? super HttpRequest, Cost> cost) {
      this.cost = requireNonNull(cost);
      return this;
    }

    /**
     * Corrects the cost of a request from its response: {@link #cost} estimates, such as {@code
     * Cost.of("tokens", 1500)}, and this function tells what was spent, or null to leave it at the
     * estimate. It gets the response and the cost charged, and is called when the whole body has
     * come in, before the permit ends, on the thread that has received the response. See {@link
     * Permit#settle(Cost)}.
     *
     * <p>If the body is a stream, its bytes are the caller's, and may still be on their way to it:
     * read headers, or let a body handler of your own collect what the function needs. Answers that
     * lead to a further request (a redirect, a round of authentication, a retry) stay at the
     * estimate. An exception of the function has no effect but that the first one is logged.
     */
    public Builder settle(
        BiFunction<? super HttpResponse<?>, ? super Cost, ? extends @Nullable Cost> actual) {
      this.settling = requireNonNull(actual);
      return this;
    }

    /** Names the limiters of {@link #limit} in messages. Default: the text of the limit. */
    public Builder name(String name) {
      this.name = requireNonNull(name);
      return this;
    }

    /** Sets a listener that receives events of the limiters of {@link #limit}. Default: none. */
    public Builder listener(LimiterListener listener) {
      this.listener = requireNonNull(listener);
      return this;
    }

    /**
     * Sets how rate-limit headers and refusals are applied to limiters. Default: {@link
     * Feedback#standard}.
     */
    public Builder feedback(Feedback feedback) {
      this.feedback = requireNonNull(feedback);
      return this;
    }

    /** Ignores rate-limit headers and refusals. */
    public Builder withoutFeedback() {
      this.feedback = null;
      return this;
    }

    /** Sets when permits end. Default: with the body. */
    public Builder answered(Answered answered) {
      this.answered = requireNonNull(answered);
      return this;
    }

    /**
     * Bounds the wait for each permit. Default: unbounded. A wait of more than five seconds is
     * logged with its reason at level INFO, at most once a minute for each limiter and host.
     */
    public Builder maxWait(Duration maxWait) {
      this.maxWait = requireNonNull(maxWait);
      return this;
    }

    /** Sets how long a wait must be to be logged. For tests. */
    Builder longWait(Duration longWait) {
      this.longWait = longWait;
      return this;
    }

    /**
     * Bounds the waits of a request by its own {@link HttpRequest#timeout()}, if it has one, in
     * place of {@link #maxWait}: no permit of that call, of a redirect or retry neither, is waited
     * for when that time has passed since the call began. What is sent has the whole time-out for
     * its answer, as the JDK counts it: a request that was sent and cut short would be lost. So a
     * call without redirects and retries takes at most twice its time-out.
     */
    public Builder maxWaitFromTimeout() {
      this.fromTimeout = true;
      return this;
    }

    /**
     * Sends a request again that the peer refused because there were too many, up to {@code max}
     * times for each call. Default: 0.
     *
     * <p>Refused is what {@link #feedback} reads as a refusal, such as 429, and an overload, 503,
     * with {@code Retry-After}. A refusal pauses the limiter, so the request goes again when the
     * answer said, with a permit of its own. Sent again are requests with the methods GET, HEAD,
     * PUT, DELETE, OPTIONS and TRACE, if their body is none, or of {@code BodyPublishers.ofString},
     * {@code ofByteArray} or {@code ofFile}. Other publishers may send their bytes only once.
     *
     * <p>If the wait for the permit is known to be longer than {@link #maxWait} or {@link
     * #maxWaitFromTimeout} allows, the request is not sent again. The last refusal is returned as
     * any answer is. {@code previousResponse()} has the earlier ones, without their bodies, which
     * are read for a second and to 64 KiB at most, so that the connection can be used again.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public Builder retryRefused(int max) {
      return retryRefused(max, Retries::isIdempotent);
    }

    /**
     * As {@link #retryRefused(int)}, for the requests that {@code choice} accepts, whatever their
     * method: {@code request -> true} for POST, too.
     */
    public Builder retryRefused(int max, Predicate<? super HttpRequest> choice) {
      if (max < 0) {
        throw new IllegalArgumentException("retryRefused must not be negative: " + max);
      }
      this.retries = new Retries(max, requireNonNull(choice));
      return this;
    }

    /** Sets which redirects are followed. Default: as the given client follows them. */
    public Builder followRedirects(Redirect policy) {
      this.policy = requireNonNull(policy);
      return this;
    }

    /**
     * Sets how many redirects are followed, one after another. Default: as the JDK's client, 4 or
     * one less than {@code jdk.httpclient.redirects.retrylimit}. The answer after that is returned
     * as it is.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public Builder maxRedirects(int max) {
      if (max < 0) {
        throw new IllegalArgumentException("maxRedirects must not be negative: " + max);
      }
      this.maxRedirects = max;
      return this;
    }

    /** Sets the authenticator. Default: that of the given client. */
    public Builder authenticator(Authenticator authenticator) {
      this.authenticator = requireNonNull(authenticator);
      return this;
    }

    /**
     * Returns the client.
     *
     * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
     *     contradict each other
     */
    public PacedHttpClient build() {
      check(
          retries.max() == 0 || feedback != null,
          "retryRefused needs feedback, which tells what a refusal is: drop withoutFeedback");
      check(
          settling == null || answered == Answered.BODY,
          "settle needs the whole response before the permit ends: drop answered(HEADERS)");
      var chosen = route;
      if (chosen != null) {
        check(
            name == null && listener == null,
            "name and listener belong to the limiters given: set them there");
        return new PacedHttpClient(this, chosen, null);
      }
      Limit each = limit;
      if (each == null) {
        throw new IllegalStateException("a paced client needs a limit: call limit or limiter");
      }
      KeyedLimiter<String> keyed = keyed(each);
      return new PacedHttpClient(this, byKey(keyed, key), keyed);
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
}
