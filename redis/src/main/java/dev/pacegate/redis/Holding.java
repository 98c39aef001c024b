package dev.pacegate.redis;

import dev.pacegate.limit.Outcome;
import dev.pacegate.redis.Report.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client has of one term: leases with units that it may use, those in use, and what it has
 * to report of them. Not thread-safe. Local instants are nanoseconds.
 */
final class Holding {

  /** A lease is short beside an interval that is so many times as long. */
  private static final long SLIGHT = 8;

  private Term term;
  private int index; // of the term
  private final List<Lease> leases =
      new ArrayList<>(1); // by the instant from which they may be used
  private final TreeMap<Long, List<Draw>> open = new TreeMap<>((a, b) -> Long.signum(a - b));
  private final List<Report> unacknowledged = new ArrayList<>(1);
  private final RecentUse recent = new RecentUse();
  private boolean hadMore; // some units of the last leases were not used
  private long unleased; // how many leases were made for units without a grant

  /** Units of a lease that were started at one instant. */
  static final class Draw {
    final Lease lease;
    long units;

    Draw(Lease lease, long units) {
      this.lease = lease;
      this.units = units;
    }
  }

  Holding(Term term, int index) {
    this.term = term;
    this.index = index;
  }

  Term term() {
    return term;
  }

  /** Goes on as the count of another term of the same kind. */
  void change(Term next, int nextIndex, long now, @Nullable StoreClock clock) {
    term = next;
    if (!next.tracks()) {
      endAll(now, clock);
    }
    if (index != nextIndex) {
      index = nextIndex;
      unacknowledged.replaceAll(
          r -> new Report(nextIndex, r.lease(), r.left(), r.kind(), r.instant()));
    }
  }

  // What may be used

  long usableAt(long instant) {
    long units = 0;
    for (Lease lease : leases) {
      units += lease.isUsable(instant) ? lease.unused : 0;
    }
    return units;
  }

  /** Returns the first instant after that one from which a lease may be used; null if none. */
  @Nullable Long nextFrom(long instant) {
    for (Lease lease : leases) {
      if (lease.from - instant > 0) {
        return lease.from;
      }
    }
    return null;
  }

  /** Returns the units that may be used now or later. */
  long inHand(long now) {
    long units = 0;
    for (Lease lease : leases) {
      units += lease.isExpired(now) ? 0 : lease.unused;
    }
    return units;
  }

  long missing(long now, long wanted) {
    return Math.max(0, wanted - inHand(now));
  }

  /**
   * Returns how many units were used lately, in a span of nanoseconds: in a crowd, in which a
   * process has none for long, when it had some last, and twice as many if all were used.
   */
  long recently(long now, long span, boolean isInCrowd) {
    long units = recent.units(now, span);
    return isInCrowd ? recent.last() * (hadMore ? 1 : 2) : units;
  }

  // What is used

  /** Records the start of a request; what no lease covers, the store is told. */
  void start(long startedAt, long now, long units, long span, @Nullable StoreClock clock) {
    recent.add(now, units, span);
    long missing = units;
    for (Lease lease : leases) {
      if (missing > 0 && lease.isUsable(now)) {
        long part = Math.min(missing, lease.unused);
        lease.start(part);
        draw(lease, startedAt, now, part, clock);
        missing -= part;
      }
    }
    if (missing > 0) {
      startWithoutGrant(startedAt, now, missing, clock);
    }
  }

  /** Records units in use that the store does not know of. */
  void startWithoutGrant(long startedAt, long now, long units, @Nullable StoreClock clock) {
    Lease lease = Lease.withoutGrant("o" + unleased++, now);
    lease.add(units);
    leases.add(lease);
    draw(lease, startedAt, now, units, clock);
  }

  private void draw(Lease lease, long startedAt, long now, long units, @Nullable StoreClock clock) {
    if (term.tracks()) {
      name(lease, startedAt, units);
    } else {
      lease.end(units, now, atMost(clock, now));
    }
  }

  private void name(Lease lease, long startedAt, long units) {
    open.computeIfAbsent(startedAt, at -> new ArrayList<>(1)).add(new Draw(lease, units));
  }

  /** Records how units ended that were started at that instant. */
  void end(long startedAt, long now, long units, Outcome outcome, @Nullable StoreClock clock) {
    take(startedAt, units, (lease, part) -> end(lease, startedAt, now, part, outcome, clock));
  }

  /** Records when a request was sent, which names it from now on. */
  void sent(long startedAt, long now, long units) {
    if (startedAt != now) {
      take(startedAt, units, (lease, part) -> name(lease, now, part));
    }
  }

  private void take(long startedAt, long units, ObjLongConsumer<Lease> then) {
    List<Draw> draws = open.get(startedAt);
    if (draws == null) {
      return;
    }
    long rest = units;
    for (Draw draw : draws) {
      long part = Math.min(rest, draw.units);
      draw.units -= part;
      rest -= part;
      if (part > 0) {
        then.accept(draw.lease, part);
      }
    }
    draws.removeIf(draw -> draw.units == 0);
    if (draws.isEmpty()) {
      open.remove(startedAt);
    }
  }

  // A limit of starts is told no ends.
  private void endAll(long now, @Nullable StoreClock clock) {
    long at = atMost(clock, now);
    open.values().forEach(draws -> draws.forEach(d -> d.lease.end(d.units, now, at)));
    open.clear();
  }

  private void end(
      Lease lease,
      long startedAt,
      long now,
      long units,
      Outcome outcome,
      @Nullable StoreClock clock) {
    long lost = startedAt + term.lost() * 1000;
    boolean isLost = outcome == Outcome.LOST && lost - now > 0;
    if (outcome == Outcome.NOT_SENT || (term.isReused() && !isLost && !lease.isExpired(now))) {
      lease.notSent(units);
    } else {
      lease.end(units, now, atMost(clock, isLost ? lost : now));
    }
  }

  private static long atMost(@Nullable StoreClock clock, long local) {
    return clock == null ? 0 : clock.atMost(local);
  }

  /** Returns whether a request that started then is open. */
  boolean knows(long startedAt) {
    return open.containsKey(startedAt);
  }

  boolean hasOpen() {
    return !open.isEmpty();
  }

  // What is reported

  /**
   * Returns when the store must be told of a lease, at the latest; null if not by time alone.
   *
   * @param quietUntil before when only what the store would take to be over is told; null if all is
   */
  @Nullable Long reportAt(Terms terms, @Nullable Long quietUntil) {
    Long over = null;
    for (Lease lease : leases) {
      over = LeaseBook.earlier(over, lease.reportAt(flush(terms)));
    }
    boolean isEarly = over != null && quietUntil != null && quietUntil - over > 0;
    return LeaseBook.earlier(isEarly ? quietUntil : over, openAt());
  }

  /** Returns when the store must be told what it would take to be over; null if nothing is. */
  @Nullable Long openAt() {
    Long open = null;
    for (Lease lease : leases) {
      open = LeaseBook.earlier(open, lease.openAt(heartbeat(), covered()));
    }
    return open;
  }

  boolean hasUnacknowledged() {
    return !unacknowledged.isEmpty();
  }

  /** Returns whether requests are over of which the store is to be told by a call of its own. */
  boolean hasEnded(Terms terms) {
    return flush(terms) != null && leases.stream().anyMatch(Lease::hasEnded);
  }

  /** Notes what is to be reported, and adds it with all that is unacknowledged. */
  void report(long now, List<Report> reports) {
    Set<String> saidOpen = takeBackOpen();
    for (Lease lease : leases) {
      note(lease.reportAnew(index, now));
      note(lease.reportEnded(index));
      if (lease.isExpired(now)) {
        hadMore |= lease.unused > 0;
        note(lease.reportUnused(index));
      }
      note(lease.reportOpen(index, now, heartbeat(), saidOpen.contains(lease.name)));
    }
    leases.removeIf(Lease::isOver);
    reports.addAll(unacknowledged);
  }

  // What is not open any more must not be called open again in a request that is repeated.
  private Set<String> takeBackOpen() {
    if (unacknowledged.isEmpty()) {
      return Set.of();
    }
    var names = new HashSet<String>();
    for (Report report : unacknowledged) {
      if (report.kind() == Kind.OPEN) {
        names.add(report.lease());
      }
    }
    unacknowledged.removeIf(report -> report.kind() == Kind.OPEN);
    return names;
  }

  private void note(@Nullable Report report) {
    if (report != null) {
      unacknowledged.add(report);
    }
  }

  /** The store has heard these. */
  void acknowledge(List<Report> reports) {
    unacknowledged.removeAll(reports);
  }

  void add(Lease lease) {
    hadMore = false;
    int place = leases.size();
    while (place > 0 && leases.get(place - 1).from - lease.from > 0) {
      place--;
    }
    leases.add(place, lease);
  }

  /** The store has forgotten all leases. */
  void forgotten() {
    leases.forEach(Lease::forgotten);
    leases.removeIf(Lease::isOver);
    unacknowledged.clear();
  }

  /** Gives up what is unused. */
  void giveUp() {
    for (Lease lease : leases) {
      note(lease.reportUnused(index));
    }
    leases.removeIf(Lease::isOver);
  }

  /** What is unused is over, and the store is told anew of the rest. */
  void stoodStill(long now) {
    leases.forEach(lease -> lease.stoodStill(now));
  }

  /**
   * Returns how long the end of a request may remain untold; null if that is told with other calls
   * alone. Of a long window of starts it makes a unit free a lease's length earlier, which is not
   * worth a call: of keys that are used once it would be every other call.
   */
  private @Nullable Long flush(Terms terms) {
    if (term.isReused()) {
      return 0L; // places are waited for by others as soon as they are free
    } else if (!term.tracks() && SLIGHT * terms.use() <= term.span()) {
      return null;
    }
    return Math.max(0, term.span() - terms.horizon()) * 1000 / 8 * 7;
  }

  private long heartbeat() {
    return term.spentFor() * 1000 / 4;
  }

  // Of starts nothing ends later; units of a lease are spent for as long as those of a lost
  // request.
  private long covered() {
    return term.tracks() ? term.unanswered() * 1000 : Long.MAX_VALUE;
  }
}
