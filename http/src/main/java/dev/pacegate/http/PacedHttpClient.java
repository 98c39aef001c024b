package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
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
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's {@link HttpClient}, which sends no faster than a limit allows.
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
 * ends before an answer; here that, too, takes a permit first. On HTTP/1.1 a GET has for that a
 * {@code Content-Length: 0}, as it had in every JDK before 19.
 *
 * <p><b>Waiting.</b> {@code send} waits in the limiter's line; {@code sendAsync} holds no thread.
 * Interrupting the one or cancelling the other costs nothing before the request is sent. A
 * request's own time-out begins when it is sent; {@link Builder#maxWait} bounds the wait for each
 * permit.
 *
 * <p><b>Ends.</b> A permit ends with the answer ({@link Answered}). It is <em>unused</em> if
 * nothing was sent: no connection, or given up before there was one. It is <em>lost</em> if
 * something was and the outcome is unknown: a broken connection, a time-out, a cancelled call or
 * body. A body handler that streams keeps the permit until its stream is read to the end or closed.
 *
 * <p><b>Redirects and authentication</b> follow the policy and the authenticator of the client that
 * was given, by the rules of the JDK's; but a POST that becomes a GET loses its body, credentials
 * and cookies in headers do not go to another host on any JDK, and credentials are tried once. What
 * a proxy answers in the peer's place takes a permit, too; only a tunnel that it refuses takes
 * none.
 *
 * <p>Exceptions are the JDK's. A request that is not sent fails with {@link
 * HttpWaitTooLongException} or {@link HttpRefusedException}, both of them I/O errors; what a
 * function of the user throws is thrown as it is, and no permit is left open. WebSockets are not
 * paced, and refused. On a JDK that can close clients, closing this one closes nothing: that is for
 * whoever made the client it was given. Thread-safe.
 */
public final class PacedHttpClient extends HttpClient {

  /** How answers are treated. */
  record Rules(Redirects redirects, Credentials credentials, Answered answered, boolean sendsOnce) {}

  private final HttpClient inner;
  private final Redirect policy;
  private final @Nullable Authenticator authenticator;
  private final PermitSource.Factory sources;
  private final Rules rules;

  private PacedHttpClient(Builder options, Function<? super HttpRequest, Limiter> route) {
    this.inner = options.plain;
    this.policy = options.policy;
    this.authenticator = options.authenticator;
    this.sources = new PermitSource.Factory(route, options.cost, options.maxWait, options.feedback);
    this.rules =
        new Rules(
            new Redirects(policy, options.maxRedirects),
            new Credentials(authenticator, inner.proxy().orElseGet(ProxySelector::getDefault)),
            options.answered,
            PlainClient.isOfJdk(inner));
  }

  /**
   * Begins a paced client that sends as {@code client} does. It is used itself if it follows no
   * redirects and has no authenticator; otherwise one like it, except for a local address and a
   * priority, which cannot be read off a client.
   *
   * @throws IllegalArgumentException if it follows redirects or has an authenticator, and is not
   *     the JDK's own
   */
  public static Builder builder(HttpClient client) {
    return new Builder(PlainClient.of(client), client);
  }

  /** Begins a paced client that sends as one built by {@code client} would. */
  public static Builder builder(HttpClient.Builder client) {
    HttpClient asked = client.build();
    return new Builder(PlainClient.of(client, asked), asked);
  }

  /**
   * Waits for a permit and sends the request, and those that follow from it.
   *
   * @throws HttpWaitTooLongException if the wait would be longer than allowed
   * @throws HttpRefusedException if there is no permit to be had
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
    PermitSource source = sources.of(exchange.request());
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
      response = inner.send(attempt.request(), attempt);
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
   * future gives up the place in line, or cancels the exchange. What the peer pushes takes no
   * permit, as nobody asked for it.
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
                ? inner.sendAsync(attempt.request(), attempt)
                : inner.sendAsync(attempt.request(), attempt, pushes));
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

  /** The options of a paced client. One of the limits must be given; all else has a default. */
  public static final class Builder {

    private final HttpClient plain;
    private Redirect policy;
    private @Nullable Authenticator authenticator;
    private @Nullable Function<? super HttpRequest, Limiter> route;
    private @Nullable Limit limit;
    private Function<? super HttpRequest, String> key = RequestKey.host();
    private Function<? super HttpRequest, Cost> cost = request -> Cost.ONE;
    private Answered answered = Answered.BODY;
    private Duration maxWait = PermitSource.FOREVER;
    private @Nullable Feedback feedback = Feedback.standard();
    private int maxRedirects = Redirects.usual();

    private Builder(HttpClient plain, HttpClient asked) {
      this.plain = plain;
      this.policy = asked.followRedirects();
      this.authenticator = asked.authenticator().orElse(null);
    }

    /**
     * Sets a limit for each host, or for each of what {@link #by} says, given as text. It counts as
     * the peer does, {@code peer(10/1m)}, unless the text says {@code starts} or {@code peer}.
     *
     * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
     */
    public Builder limit(String text) {
      return limit(Limits.parse(text).asPeerCounts());
    }

    /** As {@link #limit(String)}, given as a value that says itself how it counts. */
    public Builder limit(Limit limit) {
      this.limit = requireNonNull(limit);
      this.route = null;
      return this;
    }

    /**
     * Sets what requests are counted together by {@link #limit}: {@link RequestKey#host} unless
     * given.
     */
    public Builder by(Function<? super HttpRequest, String> key) {
      this.key = requireNonNull(key);
      return this;
    }

    /** Sets the limiter of all requests. */
    public Builder limiter(Limiter limiter) {
      requireNonNull(limiter);
      return limiters(request -> limiter);
    }

    /** Sets the limiter of each request; the function is asked once for each. */
    public Builder limiters(Function<? super HttpRequest, Limiter> choice) {
      this.route = requireNonNull(choice);
      return this;
    }

    /** Sets the limiters of all keys, and the key of each request. */
    public <K> Builder limiters(
        KeyedLimiter<K> limiters, Function<? super HttpRequest, ? extends K> choice) {
      return limiters(byKey(requireNonNull(limiters), requireNonNull(choice)));
    }

    private static <K> Function<HttpRequest, Limiter> byKey(
        KeyedLimiter<K> limiters, Function<? super HttpRequest, ? extends K> choice) {
      return request ->
          limiters.limiter(requireNonNull(choice.apply(request), "no key for the request"));
    }

    /** Sets what each request costs; 1 unless given. A redirect costs what its own request does. */
    public Builder cost(Function<? super HttpRequest, Cost> cost) {
      this.cost = requireNonNull(cost);
      return this;
    }

    /**
     * Sets how limiters heed what answers say of the peer's limits: as {@link Feedback#standard}
     * unless given.
     */
    public Builder feedback(Feedback feedback) {
      this.feedback = requireNonNull(feedback);
      return this;
    }

    /** Has limiters heed nothing that answers say. */
    public Builder withoutFeedback() {
      this.feedback = null;
      return this;
    }

    /** Sets when permits end; with the body unless given. */
    public Builder answered(Answered answered) {
      this.answered = requireNonNull(answered);
      return this;
    }

    /** Bounds the wait for each permit; unbounded unless given. */
    public Builder maxWait(Duration maxWait) {
      this.maxWait = requireNonNull(maxWait);
      return this;
    }

    /** Sets which redirects are followed; those that the client given would, unless given. */
    public Builder followRedirects(Redirect policy) {
      this.policy = requireNonNull(policy);
      return this;
    }

    /**
     * Sets how many redirects are followed, one after another; as many as by the JDK's client
     * unless given: 4, or one less than {@code jdk.httpclient.redirects.retrylimit}. The answer
     * after that is returned as it is.
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

    /** Sets who knows credentials; whoever the client given would ask, unless given. */
    public Builder authenticator(Authenticator authenticator) {
      this.authenticator = requireNonNull(authenticator);
      return this;
    }

    /**
     * Returns the client.
     *
     * @throws IllegalStateException if no limit was given
     */
    public PacedHttpClient build() {
      var chosen = route;
      if (chosen == null) {
        if (limit == null) {
          throw new IllegalStateException("no limit was given");
        }
        chosen = byKey(KeyedLimiter.of(limit), key);
      }
      return new PacedHttpClient(this, chosen);
    }
  }
}
