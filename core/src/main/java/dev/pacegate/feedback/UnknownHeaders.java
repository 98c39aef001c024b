package dev.pacegate.feedback;

import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Logs, once by name, the rate-limit headers that no reader understands. */
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
    for (String header : reading.unknown()) {
      if (isNew(printable(header).toLowerCase(Locale.ROOT))) {
        log.accept(
            "a header of an answer speaks of a rate limit and is not understood, so it has no"
                + " effect: "
                + printable(header + ": " + String.join(", ", reading.texts(header))));
      }
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

  private static void log(String message) {
    try {
      System.getLogger("dev.pacegate.feedback").log(Level.INFO, message);
    } catch (Throwable ofTheLogger) {
      // The answer counts all the same.
    }
  }
}
