package dev.pacegate.engine;

import dev.pacegate.LimiterListener;
import dev.pacegate.PeerRefusal;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener and the log, and lets no failure of either through. */
final class Reporter {

  private final String limiter;
  private final @Nullable LimiterListener listener;
  private final Time time;
  private final OnceAMinute refusalLogged = new OnceAMinute();
  private final OnceAMinute starvedLogged = new OnceAMinute();

  Reporter(String limiter, @Nullable LimiterListener listener, Time time) {
    this.limiter = limiter;
    this.listener = listener;
    this.time = time;
  }

  boolean listens() {
    return listener != null;
  }

  /** Logs that permits stay open: one line for all that became overdue since the last. */
  void logOverdue(long count, long oldest) {
    log(
        Level.WARNING,
        count == 1
            ? "a permit has been open for " + text(oldest) + "; is it ever ended?"
            : count
                + " permits have been open for up to "
                + text(oldest)
                + "; are they ever ended?");
  }

  /** Logs that open permits now count as lost, some of them as the program dropped them. */
  void logLost(long count, long dropped, long oldest) {
    String lost =
        count == 1
            ? "a permit was open for " + text(oldest) + " and now counts as lost"
            : count + " permits were open for up to " + text(oldest) + " and now count as lost";
    log(
        Level.WARNING,
        dropped == 0 ? lost : lost + "; " + dropped + " dropped by the program without an end");
  }

  /**
   * Says that the limiter is starved: most of the allowance is spent by lost requests. The log is
   * told once a minute at most, for a limiter of many keys too.
   */
  void starved(Losses losses, long wait) {
    Instant until = time.instant().plusNanos(wait);
    if (starvedLogged.passes(time.nanoTime())) {
      log(
          Level.WARNING,
          losses.lost()
              + " of "
              + losses.of()
              + " permits are spent by requests without an answer until "
              + timeOfDay(until)
              + "; see unanswered");
    }
    tell(l -> l.onStarvation(losses.lost(), losses.of(), until));
  }

  /** With the date if it is not today. A second that has begun is not over. */
  private String timeOfDay(Instant instant) {
    ZoneId zone = ZoneId.systemDefault();
    LocalDateTime goesOn = LocalDateTime.ofInstant(instant.plusNanos(999_999_999), zone);
    String clock = DateTimeFormatter.ofPattern("HH:mm:ss").format(goesOn);
    boolean today = goesOn.toLocalDate().equals(LocalDate.ofInstant(time.instant(), zone));
    return today ? clock : goesOn.toLocalDate() + " " + clock;
  }

  /** Says it once a minute at most, as one storm of refusals is one event to whoever reads it. */
  void refusedByPeer(PeerRefusal refusal) {
    if (refusalLogged.passes(System.nanoTime())) {
      log(
          Level.WARNING,
          "the peer has refused a request that "
              + refusal.limit()
              + " let through, with "
              + refusal.open()
              + " open and "
              + refusal.left()
              + " left: "
              + refusal.advice());
    }
    tell(l -> l.onPeerRefusal(refusal));
  }

  /** Logs a cost that no limit counts: most likely its name is misspelt. */
  void uncounted(String name) {
    log(Level.WARNING, "its limit counts no cost named \"" + name + "\"");
  }

  void failed(String what, Throwable failure) {
    try {
      logger().log(Level.ERROR, "limiter " + limiter + ": " + what + " failed", failure);
    } catch (RuntimeException ignored) {
      // A logger that fails has nobody left to tell.
    }
  }

  /** Asked for each time: a static field would load all of logging with the first limiter. */
  private static Logger logger() {
    return System.getLogger("dev.pacegate");
  }

  private void log(Level level, String message) {
    try {
      logger().log(level, "limiter " + limiter + ": " + message);
    } catch (RuntimeException ignored) {
      // A logger that fails has nobody left to tell.
    }
  }

  /** Tells the listener, if there is one. */
  void tell(Consumer<LimiterListener> event) {
    if (listener == null) {
      return;
    }
    try {
      event.accept(listener);
    } catch (Throwable failure) {
      failed("the listener", failure);
    }
  }

  private static String text(long nanos) {
    return Durations.format(Duration.ofMillis(nanos / 1_000_000));
  }
}
