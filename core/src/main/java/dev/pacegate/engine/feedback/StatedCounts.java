package dev.pacegate.engine.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import dev.pacegate.engine.OpenPermit;
import dev.pacegate.engine.Pool;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Tells meters that ask for it how much the peer has counted. A quota is taken only by the term
 * that it names, and only if it states what is used: what is left of an unknown limit does not.
 */
final class StatedCounts {

  private static final long UNCLEAR = -1;

  private final Pool pool;
  private final long now;

  private StatedCounts(Pool pool, long now) {
    this.pool = pool;
    this.now = now;
  }

  /**
   * Tells what an answer says of the peer's counts.
   *
   * @return whether it contradicts the limit, for the first time
   */
  static boolean tell(Pool pool, PeerAnswer answer, OpenPermit permit, long now) {
    if (!isHeard(pool) || permit.isStated() || !permit.needsEnd()) {
      return false;
    }
    boolean news = false;
    for (var used : new StatedCounts(pool, now).used(answer.quotas()).entrySet()) {
      if (used.getValue() != UNCLEAR) {
        permit.setStated();
        news |= used.getKey().stated(permit.chargedAt(), now, permit.cost, used.getValue());
      }
    }
    return news;
  }

  /** As the other method, for an answer that is a refusal. */
  static boolean tellRefusal(Pool pool) {
    boolean news = false;
    for (Meter leaf : pool.meter().leaves()) {
      news |= leaf.hearsCounts() && leaf.refused();
    }
    return news;
  }

  private static boolean isHeard(Pool pool) {
    for (Meter leaf : pool.meter().leaves()) {
      if (leaf.hearsCounts()) {
        return !pool.succession().isShared();
      }
    }
    return false;
  }

  /** Returns what is used, by meters; two quotas that one meter takes must agree. */
  private Map<Meter, Long> used(List<Quota> quotas) {
    var all = new HashMap<Meter, Long>();
    for (Quota quota : quotas) {
      OptionalLong used = used(quota);
      List<Meter> meters = used.isEmpty() ? List.of() : meters(quota);
      if (meters.size() == 1) {
        all.merge(meters.get(0), used.getAsLong(), (a, b) -> a.equals(b) ? a : UNCLEAR);
      }
    }
    return all;
  }

  private List<Meter> meters(Quota quota) {
    List<Promise> terms = QuotaReconciler.terms(pool.limit(), quota);
    Promise term = QuotaReconciler.isNamed(quota) ? QuotaReconciler.term(terms, quota) : null;
    return term == null
        ? List.of()
        : QuotaReconciler.leaves(pool.meter(), terms, term, now).stream()
            .filter(Meter::hearsCounts)
            .toList();
  }

  private static OptionalLong used(Quota quota) {
    if (quota.limit().isEmpty() || quota.remaining().isEmpty()) {
      return quota.used();
    }
    long used = quota.limit().getAsLong() - quota.remaining().getAsLong();
    boolean fits = used >= 0 && quota.used().orElse(used) == used;
    return fits ? OptionalLong.of(used) : OptionalLong.empty();
  }
}
