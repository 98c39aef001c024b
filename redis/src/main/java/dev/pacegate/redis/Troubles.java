package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives an outage of a name one reason. While a cluster replaces a node a call fails in many ways,
 * one after the other, and to tell each would tell one outage often. What it is after a moment is
 * the reason: then a connection was tried anew.
 *
 * <p>Thread-safe.
 */
final class Troubles {

  /** Less than an outage lasts before the log tells it. */
  private static final long MOMENT = Duration.ofMillis(800).toNanos();

  private final Time time;
  private final Map<String, KnownTrouble> outages = new ConcurrentHashMap<>(); // by name

  private record KnownTrouble(long since, String why) {}

  Troubles(Time time) {
    this.time = time;
  }

  /**
   * A call was answered, or failed.
   *
   * @return the failure as it is to be told
   */
  @Nullable Throwable told(String name, @Nullable Throwable failure) {
    if (failure == null || RedisFailures.isOfScript(failure)) {
      outages.remove(name);
      return failure;
    }
    return failed(name, failure);
  }

  /** A call failed, or is late. Returns that as it is to be told. */
  Throwable failed(String name, Throwable failure) {
    String why = Causes.ofCall(failure);
    long now = time.nanoTime();
    KnownTrouble outage =
        outages.compute(
            name,
            (key, known) ->
                known == null
                    ? new KnownTrouble(now, why)
                    : now - known.since() < MOMENT ? new KnownTrouble(known.since(), why) : known);
    return new TroubleException(outage.why(), failure);
  }
}
