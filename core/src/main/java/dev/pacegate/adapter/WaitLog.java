package dev.pacegate.adapter;

import dev.pacegate.Bottleneck;
import dev.pacegate.Limiter;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs for what requests wait that have waited for more than five seconds: at most once a minute
 * for each limiter and host, and as long as they wait.
 */
final class WaitLog {

  private static final long LONG = TimeUnit.SECONDS.toNanos(5);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int MANY = 1_000;

  private final Map<Subject, Long> loggedAt = new ConcurrentHashMap<>();

  /** Limiters without a name may have the same text. */
  private record Subject(String limiter, String host) {}

  /**
   * Begins to watch a wait of a request to {@code host}; returns null if that fails, or the
   * limiter's clock or timer, as the request can wait without a log.
   */
  @Nullable Watch begin(Limiter limiter, Cost cost, Supplier<String> host) {
    try {
      var watch = new Watch(limiter, cost, host.get());
      watch.ringsIn(LONG);
      return watch;
    } catch (RuntimeException | Error unwatched) {
      return null;
    }
  }

  /** One wait. */
  final class Watch implements AutoCloseable {

    private final Limiter limiter;
    private final Cost cost;
    private final String host;
    private final Time time;
    private final long began;
    private boolean over; // guarded by this, as is the alarm
    private @Nullable Scheduled alarm;

    private Watch(Limiter limiter, Cost cost, String host) {
      this.limiter = limiter;
      this.cost = cost;
      this.host = host;
      this.time = limiter.time();
      this.began = time.nanoTime();
    }

    private synchronized void ringsIn(long nanos) {
      if (!over) {
        alarm = time.at(time.nanoTime() + nanos, this::rings);
      }
    }

    /** On the timer's thread, which only hands over: a log may block. */
    @SuppressWarnings("FutureReturnValueIgnored")
    private void rings() {
      if (!isOver()) {
        if (passes(new Subject(limiter.name(), host), time.nanoTime())) {
          CompletableFuture.runAsync(this::tell);
        }
        ringsIn(MINUTE);
      }
    }

    private synchronized boolean isOver() {
      return over;
    }

    /** Names the host, not the limiter: that of a key may have a secret in its name. */
    private void tell() {
      try {
        if (!isOver()) {
          Logger logger = System.getLogger("dev.pacegate");
          logger.log(Level.INFO, "a request to " + host + " has waited for " + text());
        }
      } catch (RuntimeException | Error ignored) {
        // A wait that cannot be logged goes on all the same.
      }
    }

    private String text() {
      String waited = Durations.brief(time.nanoTime() - began);
      Optional<Bottleneck> found;
      try {
        found = limiter.bottleneck(cost);
      } catch (RefusedException refused) {
        return waited;
      }
      return found.map(it -> waited + ": " + it.reason() + more(it)).orElse(waited);
    }

    private static String more(Bottleneck bottleneck) {
      String atLeast = Durations.brief(bottleneck.atLeast());
      return bottleneck.atLeast().isZero()
          ? ""
          : "; one that came now would wait for at least " + atLeast;
    }

    /** The wait is over. */
    @Override
    public synchronized void close() {
      over = true;
      if (alarm != null) {
        alarm.cancel();
      }
    }
  }

  /** Returns whether nothing was logged of that subject within the last minute. */
  private boolean passes(Subject subject, long now) {
    if (loggedAt.size() > MANY) {
      loggedAt.values().removeIf(at -> now - at >= MINUTE);
    }
    Long at = loggedAt.putIfAbsent(subject, now);
    return at == null || (now - at >= MINUTE && loggedAt.replace(subject, at, now));
  }
}
