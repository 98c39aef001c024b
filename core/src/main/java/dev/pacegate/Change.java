package dev.pacegate;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Other limits for some pools: prepared as a whole, and only then put in force, so that one that
 * fails has changed nothing. Guarded by the gate.
 */
final class Change {

  /** What a pool is to get in a change. */
  record Next(Change change, Limit limit, Meter meter, boolean tracks) {}

  private final long now;
  private final List<Pool> pools = new ArrayList<>();

  Change(long now) {
    this.now = now;
  }

  /** Has {@code pool} get {@code limit}. */
  void prepare(Pool pool, Limit limit) {
    if (nextOf(pool) == null) {
      Meter meter = pool.successor(limit, now);
      pools.add(pool);
      pool.next = new Next(this, limit, meter, meter.tracks());
    }
  }

  /** Moves an open permit along. */
  void adopt(@Nullable Pool pool, OpenEntry permit) {
    Next next = nextOf(pool);
    if (next != null && next.tracks) {
      next.meter.adopt(permit.startedAt, permit.cost);
    }
  }

  /** A change that failed may have left something behind that does not count. */
  @SuppressWarnings("ReferenceEquality") // of changes, each of which is another
  private @Nullable Next nextOf(@Nullable Pool pool) {
    Next next = pool == null ? null : pool.next;
    return next == null || next.change != this ? null : next;
  }

  void install() {
    pools.forEach(pool -> pool.install(now));
  }
}
