package dev.pacegate.okhttp;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Builds an {@link OkHttpClient} that sends no faster than a limit allows.
 *
 * <pre>{@code
 * OkHttpClient client = PacedOkHttp.builder(new OkHttpClient()).limit("10/1m").build();
 * }</pre>
 *
 * <p><b>Promise.</b> Every request on the wire has a permit of its own: the first one, each
 * redirect, each round of authentication, each retry of OkHttp, on HTTP/1.1 and HTTP/2. So one
 * permit is one arrival at the peer, and a limit that counts as the {@linkplain
 * dev.pacegate.limit.Peer peer} does is never passed there. A response that OkHttp's cache has
 * stored needs no permit.
 *
 * <p><b>Waiting.</b> The thread that runs the call waits, and holds no connection: the caller's for
 * {@code execute}, one of the dispatcher's for {@code enqueue}. Only the further requests of a call
 * wait on their connection. {@code Call.cancel}, an interrupt and {@code callTimeout}, which
 * includes all waits, leave the queue and cost nothing before the request is sent. Connect, read
 * and write time-outs do not include waits. {@link #maxWait} bounds the wait for each permit; a
 * request that gets none in time fails with {@link dev.pacegate.adapter.NotSentException}.
 *
 * <p><b>Ends.</b> A permit ends with the body ({@link dev.pacegate.adapter.Answered}), which the
 * caller reads to its end or closes. It is <em>not sent</em> if nothing was sent: no connection, or
 * given up before there was one. It is <em>lost</em> if the request was sent and the outcome is
 * unknown: a broken connection, a time-out, a cancelled call or body.
 *
 * <p>The functions given to these options get the request as it is when it reaches this client's
 * last interceptor, and the response that the caller gets. Exceptions of a user's function are
 * thrown from the call as those of an interceptor are.
 *
 * <p>WebSockets fail with an {@link java.io.IOException}, as OkHttp shows their requests to no
 * interceptor. Clients are thread-safe, builders are not.
 */
public final class PacedOkHttp extends PacingOptions<Request, Response, PacedOkHttp> {

  private final OkHttpClient client;

  private PacedOkHttp(OkHttpClient client) {
    super(new OkHttpMessages());
    this.client = client;
  }

  /** Begins a paced client with OkHttp's defaults. */
  public static PacedOkHttp builder() {
    return builder(new OkHttpClient());
  }

  /**
   * Begins a paced client that sends as {@code client} does: it shares its connections, dispatcher
   * and cache, and has all its settings. Interceptors that change the host or the headers by which
   * requests are counted must be among them.
   */
  public static PacedOkHttp builder(OkHttpClient client) {
    return new PacedOkHttp(requireNonNull(client));
  }

  /**
   * Builds a client. Clients derived from it by {@code newBuilder} share its limiters.
   *
   * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
   *     contradict each other
   */
  public OkHttpClient build() {
    var calls = new CallInterceptor(pacing());
    OkHttpClient.Builder paced = client.newBuilder();
    paced.interceptors().add(0, calls);
    return paced
        .addInterceptor(new RequestInterceptor(calls, client.cache() != null))
        .addNetworkInterceptor(new WireInterceptor(calls))
        .build();
  }

  /**
   * Returns how a paced client, or one derived from it, is paced: to pause or resume its limiters,
   * or to change their limit.
   *
   * @throws IllegalArgumentException if the client is not paced
   */
  public static RequestPacing<Request, Response> pacing(OkHttpClient client) {
    for (Interceptor interceptor : client.interceptors()) {
      if (interceptor instanceof CallInterceptor calls) {
        return calls.pacing;
      }
    }
    throw new IllegalArgumentException(
        "this client is not paced: build it by PacedOkHttp.builder(client)");
  }
}
