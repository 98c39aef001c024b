package dev.pacegate.adapter;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * Tells what a client's requests and responses contain. Each adapter implements it once. Its
 * methods must not block; they are called by several threads.
 *
 * @param <Q> the client's type of a request
 * @param <R> the client's type of a response
 */
public interface ClientTypes<Q, R> {

  /** Returns the target of a request. */
  URI uri(Q request);

  /** Returns the method of a request, such as {@code GET}. */
  String method(Q request);

  /** Returns whether the body of a request can be sent once more. Default: true. */
  default boolean isRepeatable(Q request) {
    return true;
  }

  /** Returns the status code of a response. */
  int status(R response);

  /** Returns the values of each header of a response, in order; names may have any case. */
  Map<String, List<String>> headers(R response);

  /**
   * Returns the host of a target as the key by which requests are counted: in lower case, with the
   * port if that is not the scheme's default, without a dot at the end, an international name as
   * resolvers get it ({@code xn--}), and an address always in the same form.
   */
  static String host(URI target) {
    return HostKey.of(target);
  }
}
