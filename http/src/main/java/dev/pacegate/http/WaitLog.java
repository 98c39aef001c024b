package dev.pacegate.http;

import dev.pacegate.Bottleneck;
import dev.pacegate.Limiter;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Logs for what requests wait that have waited for more than five seconds: at most once a minute
 * for each limiter and host, and as long as they wait.
 */
final class WaitLog {

  static final Duration LONG = Duration.ofSeconds(5);

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int MANY = 1_000;

  private final long longNanos;
  private final Map<Subject, Long> loggedAt = new ConcurrentHashMap<>();

  /** Logs waits of more than {@code longWait}: {@link #LONG}, but for tests. */
  WaitLog(Duration longWait) {
    this.longNanos = longWait.toNanos();
  }

  /** Limiters without a name may have the same text. */
  private record Subject(String limiter, String host) {}

  /** Begins to watch a wait of a request to {@code host}. */
  Watch begin(Limiter limiter, Cost cost, String host) {
    var watch = new Watch(limiter, cost, host);
    watch.ringsIn(longNanos);
    return watch;
  }

  /** One wait. */
  final class Watch implements AutoCloseable {

    private final Limiter limiter;
    private final Cost cost;
    private final String host;
    private final long began = System.nanoTime();
    private volatile boolean over;
    private volatile CompletableFuture<Void> alarm = new CompletableFuture<>();

    private Watch(Limiter limiter, Cost cost, String host) {
      this.limiter = limiter;
      this.cost = cost;
      this.host = host;
    }

    /** The timer's thread only hands over: a log may block. */
    @SuppressWarnings("FutureReturnValueIgnored")
    private void ringsIn(long nanos) {
      var next = new CompletableFuture<Void>();
      alarm = next;
      next.thenRun(
          () -> {
            if (!over) {
              CompletableFuture.runAsync(this::rings);
            }
          });
      next.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
      if (over) {
        next.complete(null);
      }
    }

    private void rings() {
      if (!over) {
        tell();
        ringsIn(MINUTE);
      }
    }

    /** Names the host, not the limiter: that of a key may have a secret in its name. */
    private void tell() {
      try {
        if (passes(new Subject(limiter.name(), host), System.nanoTime())) {
          Logger logger = System.getLogger("dev.pacegate");
          logger.log(Level.INFO, "a request to " + host + " has waited for " + text());
        }
      } catch (RuntimeException | Error ignored) {
        // A wait that cannot be logged goes on all the same.
      }
    }

    private String text() {
      String waited = Durations.brief(System.nanoTime() - began);
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

    /** The wait is over. Completes the alarm, as a cancelled one would stay with the timer. */
    @Override
    public void close() {
      over = true;
      alarm.complete(null);
    }
  }

  /** Returns whether nothing was logged of that subject within the last minute. */
  private boolean passes(Subject subject, long now) {
    if (loggedAt.size() > MANY) {
      loggedAt.values().removeIf(at -> now - at >= MINUTE);
    }
    return loggedAt.merge(subject, now, (at, later) -> later - at >= MINUTE ? later : at) == now;
  }
}
