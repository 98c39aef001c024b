package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The releases and ends before and since the first change of a limit, as far back as any limit in
 * force since then needs them. The first meter reports what it remembers; from then on everything
 * is logged. Dropped when the last change is that long ago, and the end of the last request that
 * was open by then.
 */
final class History {

  private final long began;
  private final long reach;
  private final Seeds seeds;
  private final EntryLog log;
  private EarlierWindows earlier;
  private final Carried carried = new Carried(); // open since the change
  private long endsAt; // unless any of those is still open

  private History(
      long began,
      long reach,
      long endsAt,
      Seeds seeds,
      EntryLog log,
      EarlierWindows earlier,
      Collection<OpenRequest> open) {
    this.began = began;
    this.reach = reach;
    this.endsAt = endsAt;
    this.seeds = seeds;
    this.log = log;
    this.earlier = earlier;
    open.forEach(request -> carried.add(request.startedAt()));
  }

  /**
   * Returns the history with which a limit takes over, if only the meter until now knows the past.
   *
   * @param most how many entries are exact
   */
  static History begin(Takeover takeover, int most) {
    Limit limit = takeover.limit();
    long now = takeover.now();
    EarlierWindows earlier = EarlierWindows.NONE.after(limit, takeover.next(), now);
    long reach = Math.max(limit.memory(), reach(takeover.next(), earlier));
    Seeds seeds = Seeds.of(takeover.meter(), now, takeover.open());
    var log = new EntryLog(List.of(), most);
    return new History(takeover.began(), reach, now + reach, seeds, log, earlier, takeover.open());
  }

  /** Returns the history with which a limit takes over, if this is that of the limit until now. */
  History and(Takeover takeover) {
    Collection<OpenRequest> open = takeover.open();
    long now = takeover.now();
    EarlierWindows windows = earlier.after(takeover.limit(), takeover.next(), now);
    long longer = Math.max(reach, reach(takeover.next(), windows));
    EntryLog copy = log.copy();
    if (!takeover.meter().tracks()) { // otherwise starts of open requests are not logged
      copy.forgetStarts(open.stream().filter(request -> !isCarried(request)).toList());
    }
    return new History(began, longer, now + longer, seeds, copy, windows, open);
  }

  /** Returns for how long a request may matter to {@code next}, or to a window beside it. */
  private static long reach(Limit next, EarlierWindows windows) {
    var all = new ArrayList<>(windows.all());
    all.addAll(EarlierWindow.of(next, 0));
    long longest = 0;
    for (EarlierWindow window : all) {
      longest = Math.max(longest, window.nanos());
    }
    long reach = longest + windows.unanswered();
    return Math.max(next.memory(), reach < 0 ? Long.MAX_VALUE : reach);
  }

  /**
   * Returns the nanoseconds until none of it matters any more; 0 if that is now, {@link
   * Meter#AT_EVENT} while a request is open that an earlier limit let through.
   */
  long endsIn(long now) {
    return carried.isEmpty() ? Math.max(0, endsAt - now) : Meter.AT_EVENT;
  }

  EarlierWindows earlier() {
    return earlier;
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

  /** A request was released whose end will be told. */
  void opened(long now) {
    carried.opened(now);
  }

  void ended(long startedAt, long now, Cost cost, Outcome outcome) {
    closed(startedAt, now, outcome);
    log(startedAt, now, cost, outcome);
  }

  /** The log goes on until the end of a request that was open at the change does not matter. */
  private void closed(long startedAt, long now, Outcome outcome) {
    if (carried.ended(startedAt) && outcome != Outcome.NOT_SENT) {
      long counted = startedAt + earlier.unanswered();
      long over = outcome == Outcome.LOST && counted - now > 0 ? counted : now;
      endsAt = over + reach - endsAt > 0 ? over + reach : endsAt;
    }
  }

  private void log(long startedAt, long now, Cost cost, Outcome outcome) {
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
    if (!isCarried(request) && outcome != Outcome.NOT_SENT) {
      log.forgetStart(request);
    }
    ended(startedAt, now, cost, outcome);
  }

  private boolean isCarried(OpenRequest request) {
    return carried.has(request.startedAt());
  }

  /** An open request is known by another start from now on. */
  void sent(long startedAt, long now) {
    if (carried.ended(startedAt)) {
      carried.sent(now);
      earlier = earlier.sent(now);
    } else {
      carried.opened(now);
    }
  }

  void startedLate(long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, now, now, cost), now, reach);
    endsAt = now + reach - endsAt > 0 ? now + reach : endsAt;
    earlier = earlier.startedLate(now);
  }

  /** An open permit ends with its actual cost: of that nothing is given back. */
  void settled(long startedAt, long now, Cost charged, Cost actual) {
    Cost more = actual.beyond(charged);
    if (hasAmount(more)) {
      log.add(Entry.started(now, now, more), now, reach);
    }
    Cost less = charged.beyond(actual);
    if (hasAmount(less) && !carried.has(startedAt)) {
      log.add(Entry.settled(startedAt, now, charged, EntryLog.less(charged, less)), now, reach);
    }
  }

  private static boolean hasAmount(Cost cost) {
    return cost.amount() > 0 || cost.names().stream().anyMatch(name -> cost.amount(name) > 0);
  }

  /** A request that was not sent is a start all the same, for limits that count starts. */
  void notSent(long startedAt, long now, Cost cost) {
    log.add(Entry.over(Entry.Kind.LATE, startedAt, now, cost), now, reach);
  }
}
