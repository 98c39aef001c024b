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
 * What was let through before and since the limit was first changed, as far back as any limit in
 * force in between needs it. The first meter says what it remembers; from then on everything is
 * noted. Forgotten when the last change is that long ago.
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
   * Returns the history with which {@code next} takes over from {@code limit}, which nothing was
   * known of but its {@code meter}.
   *
   * @param began when anything was let through first
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
   * @param tracks whether {@code limit} is told of ends, so that starts of what is open are not
   *     noted
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

  /** Returns the nanoseconds until nothing of it matters any more; 0 if nothing does. */
  long endsIn(long now) {
    return Math.max(0, endsAt - now);
  }

  List<EarlierWindow> earlier() {
    return List.copyOf(earlier);
  }

  /** Returns when anything was let through first. */
  long began() {
    return began;
  }

  /** Returns whether anything is known of what went before. */
  boolean knowsAnything() {
    return !seeds.isEmpty() || !log.entries().isEmpty();
  }

  /** Returns what {@code meter} is to be told. */
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

  /** A permit has ended under a limit that needs no ends. Its start is noted unless it is older. */
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

  void startedLate(long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, now, now, cost), now, reach);
  }

  /** What was known as open ends with what it really costs: of that nothing is taken back. */
  void settled(long startedAt, long now, Cost charged, Cost actual) {
    costsMore(now, actual.beyond(charged), Entry.Kind.STARTED);
    Cost less = charged.beyond(actual);
    if (hasAmount(less) && carried.getOrDefault(startedAt, 0) == 0) {
      log.add(Entry.settled(startedAt, now, charged, EntryLog.less(charged, less)), now, reach);
    }
  }

  /** What an open permit costs more was sent by now, whenever it is said to have started. */
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

  /** What was not sent is a start all the same, for limits that count starts. */
  void notSent(long startedAt, long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, startedAt, now, cost), now, reach);
  }

  /** Forgets a window that holds nothing up any more. */
  void forget(EarlierWindow window) {
    earlier.remove(window);
  }
}
