package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The releases and ends before and since the first change of a limit, as far back as any limit in
 * force since then needs them. The first meter reports what it remembers; from then on everything
 * is logged. Dropped when the last change is that long ago.
 */
final class History {

  private final long began;
  private final long reach;
  private final long endsAt;
  private final Seeds seeds;
  private final EntryLog log;
  private final List<EarlierWindow> earlier;
  private final Map<Long, Integer> carried = new HashMap<>(); // open at the change, by start

  private History(
      long began,
      long reach,
      long endsAt,
      Seeds seeds,
      EntryLog log,
      List<EarlierWindow> earlier,
      Collection<OpenRequest> open) {
    this.began = began;
    this.reach = reach;
    this.endsAt = endsAt;
    this.seeds = seeds;
    this.log = log;
    this.earlier = new ArrayList<>(earlier);
    open.forEach(request -> carried.merge(request.startedAt(), 1, Integer::sum));
  }

  /**
   * Returns the history with which {@code next} takes over from {@code limit}, if only its {@code
   * meter} knows the past.
   *
   * @param began the instant of the first release
   */
  static History begin(
      Limit limit, Meter meter, long began, Limit next, long now, Collection<OpenRequest> open) {
    long reach = Math.max(limit.memory(), next.memory());
    Seeds seeds = Seeds.of(meter, now, open);
    List<EarlierWindow> earlier = EarlierWindow.after(List.of(), limit, next, now);
    return new History(began, reach, now + reach, seeds, new EntryLog(), earlier, open);
  }

  /**
   * Returns the history with which {@code next} takes over from {@code limit}.
   *
   * @param tracks whether {@code limit} is told of ends, so that starts of open requests are not
   *     logged
   */
  History and(Limit limit, boolean tracks, Limit next, long now, Collection<OpenRequest> open) {
    long longer = Math.max(reach, next.memory());
    var copy = new EntryLog(log.entries());
    if (!tracks) {
      copy.forgetStarts(open.stream().filter(request -> !isCarried(request)).toList());
    }
    List<EarlierWindow> windows = EarlierWindow.after(earlier, limit, next, now);
    return new History(began, longer, now + longer, seeds, copy, windows, open);
  }

  /** Returns the nanoseconds until none of it matters any more; 0 if that is now. */
  long endsIn(long now) {
    return Math.max(0, endsAt - now);
  }

  List<EarlierWindow> earlier() {
    return List.copyOf(earlier);
  }

  /** Returns the instant of the first release. */
  long began() {
    return began;
  }

  /** Returns whether anything is known of the time before the first change. */
  boolean knowsAnything() {
    return !seeds.isEmpty() || !log.entries().isEmpty();
  }

  /** Returns the entries to replay to {@code meter}. */
  List<Entry> entriesFor(Meter meter) {
    var all = new ArrayList<>(seeds.of(meter));
    all.addAll(log.entries());
    return all;
  }

  // ---- what happens

  void released(long since, long now, Cost cost) {
    log.add(Entry.started(since, now, cost), now, reach);
  }

  void ended(long startedAt, long now, Cost cost, Outcome outcome) {
    if (outcome != Outcome.NOT_SENT) {
      boolean lost = outcome == Outcome.LOST;
      Entry.Kind kind = lost ? Entry.Kind.LOST : Entry.Kind.ENDED;
      log.add(Entry.over(kind, startedAt, now, cost), now, reach);
    }
  }

  /**
   * A permit has ended under a limit that needs no ends. Its start is logged unless it is older.
   */
  void endedAfterAll(long startedAt, long now, Cost cost, Outcome outcome) {
    var request = new OpenRequest(startedAt, cost);
    if (isCarried(request)) {
      carried.merge(startedAt, -1, Integer::sum);
    } else if (outcome != Outcome.NOT_SENT) {
      log.forgetStart(request);
    }
    ended(startedAt, now, cost, outcome);
  }

  private boolean isCarried(OpenRequest request) {
    return carried.getOrDefault(request.startedAt(), 0) > 0;
  }

  /** An open request is known by another start from now on. */
  void sent(long startedAt, long now) {
    if (carried.getOrDefault(startedAt, 0) > 0) {
      carried.merge(startedAt, -1, Integer::sum);
      carried.merge(now, 1, Integer::sum);
    }
  }

  void startedLate(long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, now, now, cost), now, reach);
  }

  /** An open permit ends with its actual cost: of that nothing is given back. */
  void settled(long startedAt, long now, Cost charged, Cost actual) {
    costsMore(now, actual.beyond(charged), Entry.Kind.STARTED);
    Cost less = charged.beyond(actual);
    if (hasAmount(less) && carried.getOrDefault(startedAt, 0) == 0) {
      log.add(Entry.settled(startedAt, now, charged, EntryLog.less(charged, less)), now, reach);
    }
  }

  /** The extra cost of an open permit was sent by now, whenever its start was. */
  void settledOpen(long now, Cost charged, Cost actual) {
    costsMore(now, actual.beyond(charged), Entry.Kind.LATE);
  }

  private void costsMore(long now, Cost more, Entry.Kind kind) {
    if (hasAmount(more)) {
      log.add(Entry.over(kind, now, now, more), now, reach);
    }
  }

  private static boolean hasAmount(Cost cost) {
    return cost.amount() > 0 || cost.names().stream().anyMatch(name -> cost.amount(name) > 0);
  }

  /** A request that was not sent is a start all the same, for limits that count starts. */
  void notSent(long startedAt, long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, startedAt, now, cost), now, reach);
  }

  /** Drops a window that delays no request any more. */
  void forget(EarlierWindow window) {
    earlier.remove(window);
  }
}
