package dev.pacegate;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener and the log, and lets no failure of either through. */
final class Reporter {

  private static final Logger LOG = System.getLogger("dev.pacegate");

  private final String limiter;
  private final @Nullable LimiterListener listener;
  private final AtomicLong refusalLogged = new AtomicLong();

  Reporter(String limiter, @Nullable LimiterListener listener) {
    this.limiter = limiter;
    this.listener = listener;
  }

  boolean listens() {
    return listener != null;
  }

  void released(Cost cost, long instant, long waited) {
    tell(l -> l.onRelease(cost, instant, waited));
  }

  void refused(Cost cost, long atLeast) {
    tell(l -> l.onRefusal(cost, atLeast));
  }

  void left(Cost cost, long waited) {
    tell(l -> l.onLeave(cost, waited));
  }

  void late(Cost cost, long after) {
    tell(l -> l.onLateStart(cost, after));
  }

  void overdue(Cost cost, long open) {
    log(
        Level.WARNING,
        "a permit (cost " + cost + ") has been open for " + text(open) + "; is it ever ended?");
    tell(l -> l.onOverdue(cost, open));
  }

  void abandoned(Cost cost, long open) {
    log(
        Level.WARNING,
        "a permit (cost " + cost + ") was open for " + text(open) + " and now counts as lost");
    tell(l -> l.onAbandon(cost, open));
  }

  /** Says it once a minute at most, as one storm of refusals is one event to whoever reads it. */
  void refusedByPeer(PeerRefusal refusal) {
    long now = System.nanoTime();
    long last = refusalLogged.get();
    if ((last == 0 || now - last > 60_000_000_000L)
        && refusalLogged.compareAndSet(last, now == 0 ? 1 : now)) {
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
      LOG.log(Level.ERROR, "limiter " + limiter + ": " + what + " failed", failure);
    } catch (RuntimeException ignored) {
      // A logger that fails has nobody left to tell.
    }
  }

  private void log(Level level, String message) {
    try {
      LOG.log(level, "limiter " + limiter + ": " + message);
    } catch (RuntimeException ignored) {
      // A logger that fails has nobody left to tell.
    }
  }

  private void tell(Consumer<LimiterListener> event) {
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
