package dev.pacegate.engine;

import dev.pacegate.limit.All;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Inlet;
import dev.pacegate.limit.spi.MeterSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a limit, by who counts them.
 *
 * @param shared those that the source counts
 * @param local those that the limiter counts for this process alone; null if there are none
 */
record SharedTerms(Limit shared, @Nullable Limit local) {

  /**
   * Returns the terms of {@code limit}.
   *
   * @throws IllegalArgumentException if the source counts none of them, or refuses them
   */
  static SharedTerms of(Limit limit, MeterSource source) {
    SharedTerms terms = split(limit, source);
    source.check(terms.shared);
    return terms;
  }

  /** Returns the terms of a limit that has been checked. */
  static SharedTerms split(Limit limit, MeterSource source) {
    var shared = new ArrayList<Limit>();
    var local = new ArrayList<Limit>();
    for (Limit term : limit.terms()) {
      (source.counts(term) ? shared : local).add(term);
    }
    if (shared.isEmpty()) {
      throw new IllegalArgumentException("the source counts no term of " + limit);
    }
    return local.isEmpty()
        ? new SharedTerms(limit, null)
        : new SharedTerms(one(shared), one(local));
  }

  private static Limit one(List<Limit> terms) {
    return terms.size() == 1 ? terms.get(0) : new All(terms);
  }

  /**
   * Returns {@code shared}, which the source has put in force, together with these local terms.
   *
   * @throws IllegalArgumentException if the source does not count all its terms
   */
  Limit changedTo(Limit next, MeterSource source) {
    if (split(next, source).local != null) {
      throw new IllegalArgumentException("the source does not count all terms of " + next);
    }
    return next.equals(shared) ? whole() : with(next);
  }

  private Limit whole() {
    return with(shared);
  }

  private Limit with(Limit next) {
    return local == null ? next : next.and(local);
  }

  /**
   * Sets a limit whose shared terms the source may want to put in force itself.
   *
   * @param now the limit in force
   * @param setter puts a limit in force
   * @throws IllegalArgumentException if the source cannot count it
   */
  static void set(Limit now, Limit next, MeterSource source, Inlet inlet, Consumer<Limit> setter) {
    SharedTerms present = split(now, source);
    SharedTerms terms = of(next, source);
    boolean same = terms.shared.equals(present.shared);
    if (!same && !Objects.equals(terms.local, present.local)) {
      setter.accept(
          new SharedTerms(present.shared, terms.local).whole()); // not the source's affair
    }
    if (same || !source.takesChange(terms.shared, inlet)) {
      setter.accept(next);
    }
  }
}
