package dev.pacegate.feedback;

import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Logs the rate-limit headers that no reader understands: each name once, those of one answer in
 * one line.
 */
final class UnknownHeaders {

  /** For all readers of this process. */
  static final UnknownHeaders LOGGED = new UnknownHeaders(UnknownHeaders::log);

  private static final int MOST = 100;
  private static final int LONGEST = 100;

  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Consumer<String> log;

  UnknownHeaders(Consumer<String> log) {
    this.log = log;
  }

  void tell(Reading reading) {
    var headers = new StringJoiner("; ");
    for (String header : reading.unknown()) {
      if (isNew(printable(header).toLowerCase(Locale.ROOT))) {
        headers.add(printable(header + ": " + String.join(", ", reading.texts(header))));
      }
    }
    if (headers.length() > 0) {
      log.accept(
          "a response has headers that speak of a rate limit and are not understood, so they have"
              + " no effect: "
              + headers);
    }
  }

  /** Returns whether the name is a new one, unless too many are known already. */
  private boolean isNew(String name) {
    if (names.contains(name)) {
      return false;
    }
    synchronized (names) {
      return names.size() < MOST && names.add(name);
    }
  }

  private static String printable(String text) {
    String start = text.substring(0, Math.min(LONGEST, text.length()));
    return start.replaceAll("[^\\x20-\\x7e]", "?");
  }

  static void log(String message) {
    try {
      System.getLogger("dev.pacegate.feedback").log(Level.INFO, message);
    } catch (Throwable ofTheLogger) {
      // The answer counts all the same.
    }
  }
}
