package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The meter of a limit that has replaced another. It was told the earlier releases, has bridges
 * beside it, and logs new releases as long as the change matters.
 */
public final class ChangedMeter extends ForwardingMeter {

  private final List<Bridge> bridges;
  private @Nullable History history; // null once the change no longer matters

  private ChangedMeter(Meter meter, List<Bridge> bridges, History history) {
    super(meter);
    this.bridges = bridges;
    this.history = history;
  }

  /** Returns the meter of the next limit. Changes nothing else, not even the meter until now. */
  public static Meter of(Takeover takeover) {
    return of(takeover, EntryLog.MOST);
  }

  /** As the other method, with {@code most} exact entries in a log that begins. */
  static Meter of(Takeover takeover, int most) {
    Meter old = takeover.meter();
    Limit next = takeover.next();
    long now = takeover.now();
    History past = old instanceof ChangedMeter changed ? changed.historyAt(now) : null;
    History history = past == null ? History.begin(takeover, most) : past.and(takeover);
    var shifted = new ShiftedTime(takeover.timeOfDay());
    shifted.goBack(now - history.began());
    Limit taking = history.knowsAnything() ? next.withoutInitialState() : next;
    Meter meter = taking.newMeter(history.began(), shifted);
    shifted.goBack(0);
    var replay = new HistoryReplay(shifted, now);
    for (Meter leaf : meter.leaves()) {
      if (leaf.goesOnFrom(now, old.leaves())) {
        if (leaf.tracks()) {
          takeover.open().forEach(request -> leaf.adopt(request.startedAt(), request.cost()));
        }
      } else {
        replay.run(history.entriesFor(leaf), takeover.open(), leaf);
      }
    }
    return new ChangedMeter(meter, bridges(takeover, history, replay), history);
  }

  private static List<Bridge> bridges(Takeover takeover, History history, HistoryReplay replay) {
    long now = takeover.now();
    var bridges = new ArrayList<Bridge>();
    for (EarlierWindow window : history.earlier().besides(takeover.limit(), takeover.next(), now)) {
      var bridge = new Bridge(window, history.began());
      List<Entry> past = history.entriesFor(bridge);
      replay.run(past, takeover.open(), bridge);
      past.forEach(bridge::covers);
      if (!bridge.isOver(now)) {
        bridges.add(bridge);
      }
    }
    return bridges;
  }

  private @Nullable History historyAt(long now) {
    return history == null || history.endsIn(now) == 0 ? null : history;
  }

  /** Drops what no longer matters. */
  private void forget(long now) {
    history = historyAt(now);
    if (!bridges.isEmpty()) {
      bridges.removeIf(bridge -> bridge.isOver(now));
    }
  }

  // ---- asking

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long longest = meter.nanosUntil(since, now, cost);
    for (Bridge bridge : bridges) {
      longest = Math.max(longest, bridge.nanosUntil(since, now, cost));
    }
    return longest;
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long longest = meter.atLeast(since, now, ahead, cost);
    for (Bridge bridge : bridges) {
      longest = Math.max(longest, bridge.atLeast(since, now, ahead, cost));
    }
    return longest;
  }

  /** A limit that takes over needs the history, so this is not at rest while there is one. */
  @Override
  public long restsIn(long now) {
    long longest = meter.restsIn(now);
    for (Bridge bridge : bridges) {
      longest = Math.max(longest, bridge.restsIn(now));
    }
    return history == null ? longest : Math.max(longest, history.endsIn(now));
  }

  // ---- recording

  @Override
  public void release(long since, long now, Cost cost) {
    forget(now);
    if (history != null) {
      noteStart(history, since, now, cost);
    }
    meter.release(since, now, cost);
    for (Bridge bridge : bridges) {
      bridge.release(since, now, cost);
    }
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    if (history != null) {
      history.sent(startedAt, now);
    }
    meter.sent(startedAt, now, cost);
    for (Bridge bridge : bridges) {
      bridge.sent(startedAt, now, cost);
    }
  }

  @Override
  public void startsLate(long now, Cost cost) {
    if (history != null) {
      history.startedLate(now, cost);
    }
    meter.startsLate(now, cost);
    for (Bridge bridge : bridges) {
      bridge.startsLate(now, cost);
    }
  }

  /** Also called for permits that were released before a limit that needs no ends took over. */
  @Override
  public void end(long startedAt, long now, Cost cost, Outcome outcome) {
    forget(now);
    if (meter.tracks()) {
      meter.end(startedAt, now, cost, outcome);
    }
    for (Bridge bridge : bridges) {
      bridge.end(startedAt, now, cost, outcome);
    }
    if (history != null) {
      noteEnd(history, startedAt, now, cost, outcome);
    }
  }

  private void noteStart(History log, long since, long now, Cost cost) {
    if (meter.tracks()) {
      log.opened(now);
    } else {
      log.released(since, now, cost);
    }
  }

  private void noteEnd(History log, long startedAt, long now, Cost cost, Outcome outcome) {
    if (!meter.tracks()) {
      log.endedAfterAll(startedAt, now, cost, outcome);
    } else {
      log.ended(startedAt, now, cost, outcome);
      if (outcome == Outcome.NOT_SENT && !meter.leaves().stream().allMatch(Meter::tracks)) {
        log.notSent(startedAt, now, cost);
      }
    }
  }

  @Override
  public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    if (history != null && !meter.tracks()) { // else it ends with its actual cost
      history.settled(sentAt, now, charged, actual);
    }
    meter.settle(releasedAt, sentAt, now, charged, actual);
    for (Bridge bridge : bridges) {
      bridge.settle(bridge.tracks() ? sentAt : releasedAt, now, charged, actual);
    }
  }
}
