package dev.pacegate;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Other limits for some pools: prepared as a whole, and only then put in force, so that one that
 * fails has changed nothing. Guarded by the gate.
 */
final class Change {

  private record Next(Limit limit, Meter meter, boolean tracks) {}

  private final long now;
  private final IdentityHashMap<Pool, Next> all = new IdentityHashMap<>();

  Change(long now) {
    this.now = now;
  }

  /** Has {@code pool} get {@code limit}. */
  void prepare(Pool pool, Limit limit) {
    if (!all.containsKey(pool)) {
      Meter meter = limit.newMeter(now).succeed(now, pool.meter());
      all.put(pool, new Next(limit, meter, meter.tracks()));
    }
  }

  /** Moves an open permit along. */
  void adopt(@Nullable Pool pool, OpenPermit permit) {
    Next next = pool == null ? null : all.get(pool);
    if (next != null && next.tracks) {
      next.meter.adopt(permit.startedAt, permit.cost);
    }
  }

  void install() {
    all.forEach((pool, next) -> pool.install(next.limit, next.meter, next.tracks));
  }
}
