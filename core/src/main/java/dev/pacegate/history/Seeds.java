package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the meters of the first limit knew when it was changed: for each measure the report of the
 * most exact meter, once as starts and once as ends. Of meters that know ends only up to a bound it
 * is one of the longest bound: earlier ends than the next limit counts would let too many through.
 */
final class Seeds {

  /** The measure, and whether requests count until they end. */
  private record Account(Measure measure, boolean whole) {}

  /**
   * How exact a report is.
   *
   * @param bound how long after their starts ends are known; negative if only lost requests are
   * @param amount of what is known, not supposed
   */
  private record Exactness(boolean remembers, long bound, long amount) {

    /** Returns whether it is of all requests, not only of those that were lost. */
    boolean isOfStarts() {
      return remembers || (bound >= 0 && bound < Long.MAX_VALUE);
    }

    boolean isMoreThan(@Nullable Exactness other) {
      if (other == null || remembers != other.remembers) {
        return other == null || remembers;
      }
      return bound == other.bound ? amount > other.amount : bound > other.bound;
    }
  }

  private final Map<Account, EntryLog> known = new HashMap<>();
  private final Map<Account, Exactness> exactness = new HashMap<>();

  private Seeds() {}

  /**
   * Collects the reports of {@code meter}.
   *
   * @param open the open requests, which are known from elsewhere
   */
  static Seeds of(Meter meter, long now, Collection<OpenRequest> open) {
    var seeds = new Seeds();
    for (Meter leaf : meter.leaves()) {
      var told = new Told(leaf.measure(), leaf.tracks(), now);
      boolean remembers = leaf.recall(now, told);
      var account = new Account(leaf.measure(), leaf.tracks());
      var exact = new Exactness(remembers, told.bound, told.exact);
      if ((remembers || !told.entries.isEmpty())
          && exact.isMoreThan(seeds.exactness.get(account))) {
        seeds.exactness.put(account, exact);
        seeds.known.put(account, new EntryLog(told.entries()));
      }
    }
    seeds.known.values().forEach(log -> log.forgetStarts(open));
    return seeds;
  }

  /** Returns whether no meter reported anything. */
  boolean isEmpty() {
    return known.isEmpty();
  }

  /**
   * Returns the entries for {@code meter}: of its own measure, counted as it counts; else as others
   * count. Calls and plain cost substitute each other, as most requests cost 1.
   */
  List<Entry> of(Meter meter) {
    Measure measure = meter.measure();
    boolean isKnown = !measure.equals(Measure.CALLS) || isTold(measure);
    List<Entry> entries = of(isKnown ? measure : standIn(measure), meter);
    if (entries == null) {
      entries = of(isKnown ? standIn(measure) : measure, meter);
    }
    return entries == null ? List.of() : entries;
  }

  private boolean isTold(Measure measure) {
    return isOfStarts(new Account(measure, true)) || isOfStarts(new Account(measure, false));
  }

  private @Nullable List<Entry> of(Measure candidate, Meter meter) {
    var same = new Account(candidate, meter.tracks());
    var other = new Account(candidate, !meter.tracks());
    boolean isOther = !known.containsKey(same) || (isOfStarts(other) && !isOfStarts(same));
    EntryLog log = known.get(isOther ? other : same);
    if (log == null) {
      return null;
    }
    Measure measure = meter.measure();
    return candidate.equals(measure) ? log.entries() : converted(log, candidate, measure);
  }

  private boolean isOfStarts(Account account) {
    Exactness exact = exactness.get(account);
    return exact != null && exact.isOfStarts();
  }

  private static Measure standIn(Measure measure) {
    return switch (measure.entry()) {
      case PLAIN -> Measure.CALLS;
      case CALLS -> Measure.PLAIN;
      case NAMED -> measure;
    };
  }

  private static List<Entry> converted(EntryLog log, Measure from, Measure to) {
    return log.entries().stream()
        .map(entry -> entry.withCost(to.cost(from.of(entry.cost()))))
        .toList();
  }

  /** The report of one meter, as entries. */
  private static final class Told implements Past {
    long exact;
    long bound = Long.MAX_VALUE;
    private final List<Entry> entries = new ArrayList<>();
    private long largest = 1;
    private final Measure measure;
    private final boolean whole;
    private final long now;

    Told(Measure measure, boolean whole, long now) {
      this.measure = measure;
      this.whole = whole;
      this.now = now;
    }

    @Override
    public void started(long instant, long amount) {
      exact += amount;
      add(Entry.started(instant, instant, measure.cost(amount)), amount);
    }

    @Override
    public void ended(long instant, long amount) {
      exact += amount;
      add(Entry.over(Entry.Kind.ENDED, instant, instant, measure.cost(amount)), amount);
    }

    @Override
    public void lost(long startedAt, long amount) {
      exact += amount;
      long end = startedAt - now > 0 ? startedAt : now;
      add(Entry.over(Entry.Kind.LOST, startedAt, end, measure.cost(amount)), amount);
    }

    @Override
    public void supposed(long instant, long amount) {
      Entry.Kind kind = whole ? Entry.Kind.ENDED : Entry.Kind.STARTED;
      add(Entry.over(kind, instant, instant, measure.cost(amount)), amount);
    }

    @Override
    public void bounded(long nanos) {
      bound = nanos;
    }

    @Override
    public void largest(long amount) {
      largest = Math.max(largest, amount);
    }

    /** Returns the entries, with the number of requests that each may stand for. */
    List<Entry> entries() {
      entries.replaceAll(
          entry -> {
            long requests = (measure.of(entry.cost()) - 1) / largest + 1;
            boolean counts = measure.entry() == Measure.Entry.CALLS;
            return counts ? entry : entry.withCost(entry.cost().plus(Cost.sum(requests, 0)));
          });
      return entries;
    }

    /** Amounts of the same instants are, most likely, of one request. */
    private void add(Entry entry, long amount) {
      int last = entries.size() - 1;
      if (last >= 0 && entries.get(last).isTheSameAs(entry)) {
        entries.set(last, entries.get(last).and(entry));
      } else if (amount > 0) {
        entries.add(entry);
      }
    }
  }
}
