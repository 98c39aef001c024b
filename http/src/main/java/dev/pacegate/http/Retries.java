package dev.pacegate.http;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which requests that the peer refused are sent again, and how often.
 *
 * @param max how often a call may send a request again
 * @param choice which requests may be sent again, apart from their bodies
 */
record Retries(int max, Predicate<? super HttpRequest> choice) {

  /** Requests that may be repeated without harm, by RFC 9110, section 9.2.2. */
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

  /**
   * The JDK's publishers that send the same bytes each time: those of nothing, of a text, of bytes
   * and of a file. Any other may read from a source that is used up.
   */
  private static final Set<String> REPEATABLE =
      Set.of("EmptyPublisher", "StringPublisher", "ByteArrayPublisher", "FilePublisher");

  static final Retries NONE = new Retries(0, request -> false);

  static boolean isIdempotent(HttpRequest request) {
    return IDEMPOTENT.contains(request.method());
  }

  /** Returns whether a request that got such an answer is sent again, if there is time. */
  boolean repeat(HttpRequest request, PeerAnswer said, int repeated) {
    return repeated < max
        && isRefused(said)
        && request.bodyPublisher().map(Retries::isRepeatable).orElse(true)
        && choice.test(request);
  }

  /** A peer that is overloaded invites to come again only if it says when. */
  private static boolean isRefused(PeerAnswer said) {
    boolean invites = said.verdict() == PeerVerdict.OVERLOADED && said.retryAfter().isPresent();
    return invites || said.refused();
  }

  private static boolean isRepeatable(BodyPublisher body) {
    Class<?> type = body.getClass();
    return type.getModule() == HttpClient.class.getModule()
        && REPEATABLE.contains(type.getSimpleName());
  }
}
