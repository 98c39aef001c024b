package dev.pacegate.engine;

import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * New limits for some pools: prepared as a whole and only then put in force, so that a change that
 * fails has changed nothing. Guarded by the gate.
 */
public final class LimitChange {

  /** The new limit of one pool. */
  private static final class Next {
    final Limit limit;
    final List<OpenRequest> open = new ArrayList<>();
    @Nullable Meter meter;
    Runnable installation = () -> {};

    Next(Limit limit) {
      this.limit = limit;
    }
  }

  private final long now;
  private final Map<Pool, Next> pools = new LinkedHashMap<>();

  public LimitChange(long now) {
    this.now = now;
  }

  /** Prepares {@code limit} for {@code pool}, unless it has it already. */
  public void prepare(Pool pool, Limit limit) {
    if (!pool.limit().equals(limit)) {
      pools.putIfAbsent(pool, new Next(limit));
    }
  }

  /** Takes over an open permit. */
  void adopt(Pool pool, OpenEntry permit) {
    Next next = pools.get(pool);
    if (next != null) {
      next.open.add(new OpenRequest(permit.chargedAt(), permit.cost));
    }
  }

  private void discard(Pool pool, Next next) {
    if (next.meter != null) {
      pool.succession().discard(next.meter, now);
    }
  }

  private void prepare(Pool pool, Next next) {
    next.meter = pool.successor(next.limit, now, next.open);
    next.installation = pool.installation(next.limit, next.meter, now);
  }

  public void install() {
    boolean prepared = false;
    try {
      pools.forEach(this::prepare);
      prepared = true;
    } finally {
      if (!prepared) {
        pools.forEach(this::discard);
      }
    }
    pools.values().forEach(next -> next.installation.run());
  }
}
