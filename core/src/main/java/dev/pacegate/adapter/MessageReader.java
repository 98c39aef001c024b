package dev.pacegate.adapter;

import dev.pacegate.PeerAnswer;
import java.util.List;
import java.util.Map;

/**
 * Reads a client's requests and responses. Each adapter implements it once. Its methods must not
 * block; they are called by several threads.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 */
public interface MessageReader<Q, R> {

  /**
   * Returns the peer of a request, by which requests are counted unless the user chooses otherwise,
   * and which is logged if they wait: {@link HostKey#of} of a URI.
   */
  String host(Q request);

  /**
   * Returns the method of a request, such as {@code GET}. A protocol without the methods of HTTP
   * returns an empty text; its requests are retried only if the user chooses them.
   */
  String method(Q request);

  /** Returns whether the body of a request can be sent once more. Default: true. */
  default boolean isRepeatable(Q request) {
    return true;
  }

  /** Returns the status code of a response; zero if the protocol has none. */
  int status(R response);

  /**
   * Returns the values of each header of a response, in order; names may have any case. Empty if
   * the protocol has none.
   */
  Map<String, List<String>> headers(R response);

  /**
   * Returns what a response says about the peer's limits beside its status and headers, such as an
   * error code, or a wait in its body or trailers. Default: nothing. It adds to what they say: the
   * weightier verdict counts, and the longer wait. Not called if the adapter reports the headers by
   * {@link PacedRequest#headers}, as the limiter may have heard them by then.
   */
  default PeerAnswer answer(R response) {
    return PeerAnswer.NOTHING;
  }
}
