package dev.pacegate.adapter;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which requests that the peer refused are sent again, and how often.
 *
 * @param max how often a call may send a request again
 * @param choice which requests may be sent again, apart from their bodies
 */
record Retries<Q>(int max, Predicate<? super Q> choice) {

  /** Requests that may be retried without harm, by RFC 9110, section 9.2.2. */
  static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

  /** Returns whether a request that got such an answer is sent again, if there is time. */
  boolean allow(MessageReader<Q, ?> messages, Q request, PeerAnswer answer, int retried) {
    return retried < max
        && isRefused(answer)
        && messages.isRepeatable(request)
        && choice.test(request);
  }

  /** A peer that is overloaded invites to come again only if it says when. */
  private static boolean isRefused(PeerAnswer answer) {
    boolean invites = answer.verdict() == PeerVerdict.OVERLOADED && answer.retryAfter().isPresent();
    return invites || answer.refused();
  }
}
