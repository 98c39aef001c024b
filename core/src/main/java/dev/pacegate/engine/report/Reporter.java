package dev.pacegate.engine.report;

import dev.pacegate.LimiterListener;
import dev.pacegate.flight.Flight;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports to the listener and the log, and catches failures of both. */
public final class Reporter {

  private final String limiter;
  private final @Nullable LimiterListener listener;
  private final Time time;
  private @Nullable Map<String, OnceAMinute> lines; // by kind; once there is one

  public Reporter(String limiter, @Nullable LimiterListener listener, Time time) {
    this.limiter = limiter;
    this.listener = listener;
    this.time = time;
  }

  public String limiter() {
    return limiter;
  }

  public Time time() {
    return time;
  }

  public boolean listens() {
    return listener != null;
  }

  /** Logs overdue permits: one line for all since the last line. */
  public void logOverdue(long count, long oldest) {
    log(
        Level.WARNING,
        count == 1
            ? "a permit has been open for " + Durations.brief(oldest) + "; does the program end it?"
            : count
                + " permits have been open for up to "
                + Durations.brief(oldest)
                + "; does the program end them?");
  }

  /** Logs permits that now count as lost, {@code dropped} of them as the program abandoned them. */
  public void logLost(long count, long dropped, long oldest) {
    String lost =
        count == 1
            ? "a permit was open for " + Durations.brief(oldest) + " and now counts as lost"
            : count
                + " permits were open for up to "
                + Durations.brief(oldest)
                + " and now count as lost";
    log(Level.WARNING, dropped == 0 ? lost : lost + "; the program dropped " + without(dropped));
  }

  private static String without(long dropped) {
    return dropped == 1 ? "1 permit without ending it" : dropped + " permits without ending them";
  }

  /**
   * Reports starvation: lost requests spend most of the allowance. Logged at most once a minute,
   * also for a limiter of many keys.
   */
  public void starved(Losses losses, long wait) {
    Instant until = time.instant().plusNanos(wait);
    if (isDue("starved", time.nanoTime())) {
      log(
          Level.WARNING,
          losses.lost()
              + " of "
              + losses.capacity()
              + " permits are spent by requests without an answer until "
              + TimeOfDay.text(until, time)
              + "; see unanswered, or counted");
    }
    tell(l -> l.onStarvation(losses.lost(), losses.capacity(), until));
  }

  public void recordWait(Flight.Wait wait, Cost cost, boolean granted) {
    wait.end(limiter, cost.amount(), granted);
  }

  public void recordPause(String reason, long nanos) {
    if (nanos > 0) {
      Flight.paused(limiter, nanos, reason);
    }
  }

  public void recordLost(Cost cost, long openNanos, boolean abandoned) {
    Flight.lost(limiter, cost.amount(), openNanos, abandoned);
  }

  public void recordChange(String what, Limit from, Limit to) {
    if (!from.equals(to)) {
      recordChanged(what, from, to);
      warnOf(what, to);
    }
  }

  /**
   * Logs what a limit that is put in force hardly means: once a minute, as each key may have one.
   *
   * @param what which limit it is, such as "limit of a key"
   */
  public void warnOf(String what, Limit limit) {
    try {
      List<String> warnings = limit.warnings();
      if (!warnings.isEmpty() && isDue(what, time.nanoTime())) {
        log(Level.WARNING, String.join("; ", warnings));
      }
    } catch (Throwable failure) {
      failed("asking a limit for its warnings", failure);
    }
  }

  public void recordChanged(String what, Object from, Object to) {
    Flight.changed(limiter, what, from, to);
  }

  /** Returns whether a line of this kind is due at {@code now}: the log gets one a minute. */
  public synchronized boolean isDue(String kind, long now) {
    if (lines == null) {
      lines = new HashMap<>();
    }
    return lines.computeIfAbsent(kind, first -> new OnceAMinute()).passes(now);
  }

  public void failed(String what, Throwable failure) {
    try {
      logger().log(Level.ERROR, "limiter " + limiter + ": " + what + " failed", failure);
    } catch (Throwable ignored) {
      // The logger itself has failed; what comes after must still be done.
    }
  }

  /** Looked up each time: a static field would load all of logging with the first limiter. */
  private static Logger logger() {
    return System.getLogger("dev.pacegate");
  }

  public void log(Level level, String message) {
    try {
      logger().log(level, "limiter " + limiter + ": " + message);
    } catch (Throwable ignored) {
      // The logger itself has failed; what comes after must still be done.
    }
  }

  /** Calls the listener, if there is one. */
  public void tell(Consumer<LimiterListener> event) {
    if (listener == null) {
      return;
    }
    try {
      event.accept(listener);
    } catch (Throwable failure) {
      failed("the listener", failure);
    }
  }
}
