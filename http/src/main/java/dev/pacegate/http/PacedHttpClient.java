package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.adapter.Answered;
import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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

  /** How requests are paced and answers are treated. */
  record Rules(
      RequestPacing<HttpRequest, HttpResponse<?>> pacing,
      Redirects redirects,
      Credentials credentials,
      boolean waitsFromTimeout,
      boolean sendsOnce) {

    PacedCall<HttpRequest, HttpResponse<?>> begin(HttpRequest request) {
      Duration timeout = waitsFromTimeout ? request.timeout().orElse(null) : null;
      return timeout == null ? pacing.newCall() : pacing.newCall(timeout);
    }
  }

  private final HttpClient inner;
  private final @Nullable Authenticator authenticator;
  private final Rules rules;
  private final UnaryOperator<String> spelling; // of keys

  private PacedHttpClient(
      HttpClient inner,
      @Nullable Authenticator authenticator,
      Rules rules,
      UnaryOperator<String> spelling) {
    this.inner = inner;
    this.authenticator = authenticator;
    this.rules = rules;
    this.spelling = spelling;
  }

  private static PacedHttpClient of(
      HttpClient inner,
      RequestPacing<HttpRequest, HttpResponse<?>> pacing,
      Redirects redirects,
      @Nullable Authenticator authenticator,
      boolean waitsFromTimeout,
      UnaryOperator<String> spelling) {
    ProxySelector proxies = inner.proxy().orElseGet(ProxySelector::getDefault);
    var rules =
        new Rules(
            pacing,
            redirects,
            new Credentials(authenticator, proxies),
            waitsFromTimeout,
            PlainClient.isOfJdk(inner));
    return new PacedHttpClient(inner, authenticator, rules, spelling);
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
   * Returns a builder of clients like this one, for libraries that take no client but a builder.
   * Its clients share the limiters and all other options of this one. What is set on it is applied
   * to a copy of the client inside, which has connections of its own, and not its local address and
   * priority, as they cannot be read from a client. Redirects and the authenticator are replaced as
   * by {@link Builder#followRedirects} and {@link Builder#authenticator}.
   *
   * <p>A setter that could have no effect throws {@link UnsupportedOperationException}: {@code
   * localAddress}, and all that change the client inside if that is not the JDK's own. Not
   * thread-safe.
   */
  public HttpClient.Builder asBuilder() {
    return new LikeBuilder(this, inner, rules.redirects().policy(), authenticator);
  }

  /** Returns a client like this one that sends by another client. */
  PacedHttpClient like(HttpClient plain, Redirect policy, @Nullable Authenticator authenticator) {
    Redirects redirects = new Redirects(policy, rules.redirects().max());
    return of(plain, rules.pacing(), redirects, authenticator, rules.waitsFromTimeout(), spelling);
  }

  /**
   * Returns the limiter of a request: to look at it, to pause or resume it, or to change its limit.
   * It calls the functions by which the client was built to choose limiters.
   */
  public Limiter limiter(HttpRequest request) {
    return rules.pacing().limiter(request);
  }

  /**
   * Returns the limiter of a host, {@code "api.example.com"} or {@code "localhost:8080"}, however
   * it is spelled; or of another key of {@link Builder#by}, which must be spelled as that does.
   *
   * @throws IllegalStateException if the client was not built with {@link Builder#limit}
   */
  public Limiter limiter(String key) {
    return limiters().limiter(spelling.apply(key));
  }

  /**
   * Returns the limiters of all keys, to pause or change all of them at once. A text given to
   * {@code setLimit} is used as it is: write {@code peer(20/1m)} for a limit that counts as the
   * peer does.
   *
   * @throws IllegalStateException if the client was not built with {@link Builder#limit}
   */
  public KeyedLimiter<String> limiters() {
    return rules.pacing().limiters();
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
    Attempt<T> attempt = exchange.acquire();
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
        attempt ->
            pushes == null
                ? inner.sendAsync(attempt.sending(), attempt)
                : inner.sendAsync(attempt.sending(), attempt, pushes));
  }

  /**
   * Refuses: only the handshake could be paced.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  @SuppressWarnings("DoNotCallSuggester")
  public WebSocket.Builder newWebSocketBuilder() {
    throw new UnsupportedOperationException(
        "a WebSocket cannot be paced by this client: build it with the client inside, and send each"
            + " message with a permit of a Limiter");
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
    return rules.redirects().policy();
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
   *
   * <p><b>{@code retryRefused}</b> sends requests again if their body is none, or of {@code
   * BodyPublishers.ofString}, {@code ofByteArray} or {@code ofFile}: other publishers may send
   * their bytes only once. {@code previousResponse()} has the earlier responses, without their
   * bodies, which are read for a second and to 64 KiB at most, so that the connection can be used
   * again.
   */
  public static final class Builder extends PacingOptions<HttpRequest, HttpResponse<?>, Builder> {

    private final HttpClient plain;
    private Redirect policy;
    private @Nullable Authenticator authenticator;
    private boolean fromTimeout;
    private int maxRedirects = Redirects.usual();
    private UnaryOperator<String> spelling = HostKey::of;

    private Builder(HttpClient plain, HttpClient asked) {
      super(new JdkMessages());
      this.plain = plain;
      this.policy = asked.followRedirects();
      this.authenticator = asked.authenticator().orElse(null);
    }

    /** {@inheritDoc} */
    @Override
    public Builder by(Function<? super HttpRequest, String> key) {
      this.spelling = UnaryOperator.identity();
      return super.by(key);
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
      var redirects = new Redirects(policy, maxRedirects);
      return of(plain, pacing(), redirects, authenticator, fromTimeout, spelling);
    }
  }
}
