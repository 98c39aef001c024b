package dev.pacegate.apache;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;

/**
 * Builds an Apache {@link HttpClient} 5 that sends no faster than a limit allows.
 *
 * <pre>{@code
 * CloseableHttpClient client = PacedApache.builder(HttpClients.custom()).limit("10/1m").build();
 * }</pre>
 *
 * <p><b>Promise.</b> Every request to the peer has a permit of its own: the first one, each
 * redirect, each round of authentication, and each retry, HttpClient's own or that of an {@code
 * ExecChainHandler}. So one permit is one arrival at the peer, and a limit that counts as the
 * {@linkplain dev.pacegate.limit.Peer peer} does is never passed there. A response from
 * HttpClient's cache takes none. The {@code CONNECT} by which a proxy opens a tunnel goes to the
 * proxy, and takes none either.
 *
 * <p><b>Waiting.</b> A request waits before it takes a connection from the pool; in the middle of
 * an authentication that belongs to its connection, it keeps that. {@code cancel} and {@code abort}
 * of the request, and an interrupt, leave the queue at once; nothing has been charged then.
 * HttpClient's time-outs do not include waits. {@link #maxWait} bounds the wait for each permit; a
 * request that gets none in time fails with {@link dev.pacegate.adapter.NotSentException}, which
 * HttpClient does not retry.
 *
 * <p><b>Ends.</b> A permit ends with the body ({@link dev.pacegate.adapter.Answered}): read to its
 * end, or closed, which reads up to 64 KiB and begins no read after a second. It is <em>not
 * sent</em> if there was no connection, and <em>lost</em> if the outcome is unknown: a time-out, a
 * broken connection, a longer body that is closed, a request that is cancelled.
 *
 * <p>A function of {@link #settle} or {@link #refused} gets the response with a body that is still
 * to be read. One that reads the body replaces it: {@code response.setEntity(new
 * BufferedHttpEntity(response.getEntity()))}.
 *
 * <p>Only the classic client is paced, not the asynchronous one. Clients are thread-safe, builders
 * are not.
 */
public final class PacedApache
    extends PacingOptions<ClassicHttpRequest, ClassicHttpResponse, PacedApache> {

  private static final String NAME = "pacegate";

  private static final Map<HttpClient, RequestPacing<ClassicHttpRequest, ClassicHttpResponse>>
      PACED = Collections.synchronizedMap(new WeakHashMap<>());

  private final HttpClientBuilder client;
  private boolean built;

  private PacedApache(HttpClientBuilder client) {
    super(new ApacheMessages());
    this.client = client;
  }

  /** Begins a paced client with HttpClient's defaults. */
  public static PacedApache builder() {
    return builder(HttpClients.custom());
  }

  /**
   * Begins a paced client that sends as one built by {@code client} does, whatever is set on that
   * before {@link #build}.
   */
  public static PacedApache builder(HttpClientBuilder client) {
    return new PacedApache(requireNonNull(client));
  }

  /**
   * Builds the client. To share limits among clients, give all of them the same {@link #limiter} or
   * {@link #limiters}.
   *
   * @throws IllegalStateException if neither a limit nor a limiter was given, if options contradict
   *     each other, or if it was called before
   */
  public CloseableHttpClient build() {
    if (built) {
      throw new IllegalStateException(
          "this builder has built a client: begin another with an HttpClientBuilder of its own");
    }
    RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing = pacing();
    built = true;
    var handlers = new PacedExec(pacing);
    client.addExecInterceptorFirst(NAME, handlers::call);
    client.addExecInterceptorBefore(ChainElement.CONNECT.name(), NAME, handlers::send);
    CloseableHttpClient paced = client.build();
    PACED.put(paced, pacing);
    return paced;
  }

  /**
   * Returns how a paced client is paced: to pause or resume its limiters, or to change their limit.
   *
   * @throws IllegalArgumentException if the client is not paced
   */
  public static RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing(HttpClient client) {
    var pacing = PACED.get(requireNonNull(client));
    if (pacing == null) {
      throw new IllegalArgumentException(
          "this client is not paced: build it by PacedApache.builder(client)");
    }
    return pacing;
  }
}
