package dev.pacegate.feedback;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.time.Durations;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Logs, once for a limiter and a status, that an error states a wait which has no effect, as its
 * status is no refusal.
 */
final class IgnoredWaits {

  /** For all limiters of this process. */
  static final IgnoredWaits LOGGED = new IgnoredWaits(IgnoredWaits::log);

  private static final int MOST = 1_000;

  /** The limiter is not named in the log, as the name of a key's may have a secret in it. */
  private record LimiterStatus(String limiter, int status) {}

  private final Set<LimiterStatus> known = ConcurrentHashMap.newKeySet();
  private final Consumer<String> log;

  IgnoredWaits(Consumer<String> log) {
    this.log = log;
  }

  void tell(Limiter limiter, int status, PeerAnswer said) {
    boolean isIgnored = status >= 400 && said.verdict() == PeerVerdict.ACCEPTED;
    Duration wait = isIgnored ? said.retryAfter().orElse(Duration.ZERO) : Duration.ZERO;
    if (!wait.isZero()
        && known.size() < MOST
        && known.add(new LimiterStatus(limiter.name(), status))) {
      log.accept(text(status, Durations.brief(wait), said.source()));
    }
  }

  private static String text(int status, String wait, String source) {
    return "a response with status "
        + status
        + " asks for a wait of "
        + wait
        + (source.isEmpty() ? "" : " (" + source + ")")
        + ", which has no effect because this status is no refusal: if it is one, add"
        + " AnswerReader.refusals("
        + status
        + ") to the reader of the feedback";
  }

  private static void log(String message) {
    try {
      System.getLogger("dev.pacegate.feedback").log(Level.INFO, message);
    } catch (Throwable ofTheLogger) {
      // The answer counts all the same.
    }
  }
}
