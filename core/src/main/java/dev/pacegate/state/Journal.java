package dev.pacegate.state;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Logs the releases of a limiter. Guarded by its gate.
 *
 * <p>Requests that are over go into the ring, in the order in which they ended. While half of the
 * ring reaches back as far as the limit's memory, every release has an entry of its own. Beyond
 * that, releases within a small part of that memory share one entry, as of the latest of them. So
 * the ring always reaches back far enough, unless entries that cannot be shared fill it. An open
 * request has a slot of its own until it ends.
 */
final class Journal {

  /** The identity of a permit when it ends. */
  private record OpenKey(long start, Cost cost) {}

  /** The slot of an open permit, and the next permit with the same key. */
  private record OpenPlace(
      int slot, long born, long since, boolean adopted, @Nullable OpenPlace next, int count) {}

  private final StateFile file;
  private final long base; // the instant of the file that is 0 of the limiter
  private final int ring; // how many entries there are
  private final Map<OpenKey, OpenPlace> open = new HashMap<>();
  private final Map<OpenKey, Integer> adopted = new HashMap<>(); // during a change of limits
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final long[] last = new long[LogRecord.LENGTH]; // the entry that may still be shared
  private final long[] next = new long[LogRecord.LENGTH];
  private ProcessRecord process;
  private LimitEpoch epoch;
  private List<String> names;
  private boolean whole; // whether it matters when permits end
  private long memory;
  private long number; // of the last entry
  private long events;
  private long bornFirst; // the first start in the last entry
  private long endedFirst; // and the first end
  private boolean alone; // whether the next request must have an entry of its own
  private boolean lastAlone; // whether the last one must
  private boolean stopped;

  Journal(
      StateFile file,
      ProcessRecord process,
      LimitEpoch epoch,
      long base,
      long number,
      long events) {
    this.file = file;
    this.process = process;
    this.base = base;
    this.ring = file.ring.count() / 2;
    this.number = number;
    this.events = events;
    this.epoch = epoch;
    this.names = LimitEpoch.names(epoch.limit());
    this.whole = LimitEpoch.countsWhole(epoch.limit());
    this.memory = epoch.memory();
    for (int slot = 0; slot < file.open.count(); slot++) {
      free.add(slot);
    }
  }

  /** Returns the limit that was logged last. */
  Limit limit() {
    return epoch.limit();
  }

  /** Stops writing. */
  void stop() {
    stopped = true;
  }

  /** Returns the record of a process that has ended in order. */
  ProcessRecord closed(long now, long wall) {
    return process.closedAt(base + now, wall);
  }

  // ---- events

  /** A permit of an earlier process, which can no longer end it, is lost. */
  void lost(int slot, long[] entry) {
    System.arraycopy(entry, 0, next, 0, LogRecord.LENGTH);
    next[LogRecord.KIND] = LogRecord.kind(LogRecord.LOST, LogRecord.isAdopted(entry));
    next[LogRecord.DONE] = ++events;
    next[LogRecord.END] = base;
    append();
    file.open.clear(slot);
  }

  /** A permit was to be taken over by another limit, which was not put in force. */
  void notAdopted(int slot) {
    file.open.clear(slot);
  }

  void released(long since, long now, Cost cost) {
    if (stopped) {
      return;
    }
    if (whole) {
      open(new OpenKey(now, cost), ++events, since, false);
    } else {
      fill(LogRecord.STARTED, events + 1, now, since, now, cost);
      append();
    }
  }

  /** The next limit takes a permit over, which may not have counted so far. */
  void adopted(long start, Cost cost) {
    if (!stopped) {
      var key = new OpenKey(start, cost);
      if (adopted.merge(key, 1, Integer::sum) > count(open.get(key))) {
        open(key, ++events, start, true);
      }
    }
  }

  void ended(long start, long now, Cost cost, Outcome end) {
    var key = new OpenKey(start, cost);
    OpenPlace place = stopped ? null : remove(key);
    if (place != null) {
      close(key, place, LogRecord.kind(end), ++events, now);
    }
  }

  void settled(long start, long now, Cost charged, Cost actual) {
    if (stopped) {
      return;
    }
    if (!whole) {
      // Two entries: if the end of the ring, or of the process, cuts one off, the other has no
      // effect.
      fill(LogRecord.CHARGED, events + 1, start, start, now, charged);
      append();
      fill(LogRecord.SETTLED, events + 1, start, start, now, actual);
      append();
      return;
    }
    correct(start, charged, actual);
  }

  private void correct(long start, Cost charged, Cost actual) {
    OpenPlace place = remove(new OpenKey(start, charged));
    if (place != null) {
      move(place, new OpenKey(start, actual));
    }
  }

  /** Corrects an open permit that was charged again when it was sent, and that charge. */
  void settledLate(long start, long now, Cost charged, Cost actual) {
    if (!stopped && whole) {
      startedLate(now, actual.beyond(charged));
      correct(start, charged, actual);
    }
  }

  void startedLate(long now, Cost cost) {
    if (!stopped) {
      fill(LogRecord.LATE, events + 1, now, now, now, cost);
      append();
    }
  }

  /** Another limit is in force. Open requests stay open, even if this limit ignores them. */
  void changed(Limit limit, long now) {
    if (stopped) {
      return;
    }
    epoch = new LimitEpoch(epoch.number() + 1, ++events, base + now, false, limit);
    epoch.writeTo(file.epochs);
    var before = new ArrayList<>(open.entrySet());
    whole = LimitEpoch.countsWhole(epoch.limit());
    names = LimitEpoch.names(epoch.limit());
    memory = epoch.memory();
    open.clear();
    adopted.clear();
    for (Map.Entry<OpenKey, OpenPlace> permit : before) {
      for (OpenPlace place = permit.getValue(); place != null; place = place.next) {
        move(place, permit.getKey());
      }
    }
  }

  // ---- open permits

  private void open(OpenKey key, long born, long since, boolean adopted) {
    Integer slot = free.poll();
    if (slot == null) {
      forget();
      return;
    }
    fill(LogRecord.kind(LogRecord.OPEN, adopted), born, key.start, since, key.start, key.cost);
    file.open.write(slot, next);
    OpenPlace others = open.get(key);
    open.put(key, new OpenPlace(slot, born, since, adopted, others, count(others) + 1));
  }

  private static int count(@Nullable OpenPlace place) {
    return place == null ? 0 : place.count;
  }

  /** Writes an open permit to its new slot before it removes it from the old one. */
  private void move(OpenPlace place, OpenKey key) {
    if (free.isEmpty()) {
      forget(); // for a moment it is in no slot
      vacate(place);
      open(key, place.born, place.since, place.adopted);
    } else {
      open(key, place.born, place.since, place.adopted);
      vacate(place);
    }
  }

  private void forget() {
    if (!process.forgot()) {
      process = process.forgetting();
      process.writeTo(file.process);
    }
  }

  private @Nullable OpenPlace remove(OpenKey key) {
    OpenPlace place = open.remove(key);
    if (place != null && place.next != null) {
      open.put(key, place.next);
    }
    return place;
  }

  private void close(OpenKey key, OpenPlace place, int kind, long done, long now) {
    int known = LogRecord.kind(kind, place.adopted);
    fill(known, place.born, key.start, place.since, now, key.cost);
    next[LogRecord.DONE] = done;
    append();
    vacate(place);
  }

  private void vacate(OpenPlace place) {
    file.open.clear(place.slot);
    free.push(place.slot);
  }

  // ---- requests that are over

  private void fill(int kind, long born, long start, long since, long end, Cost cost) {
    next[LogRecord.KIND] = kind;
    next[LogRecord.EPOCH] = epoch.number();
    next[LogRecord.BORN] = born;
    next[LogRecord.DONE] = born;
    next[LogRecord.START] = base + start;
    next[LogRecord.SINCE] = base + since;
    next[LogRecord.END] = base + end;
    LogRecord.putCost(next, cost, names);
    alone = epoch.isOversize(cost);
    events = Math.max(events, born);
  }

  private void append() {
    if (isShared()) {
      last[LogRecord.VERSION]++;
      LogRecord.share(last, next);
    } else {
      next[LogRecord.NUMBER] = ++number;
      next[LogRecord.VERSION] = 0;
      System.arraycopy(next, 0, last, 0, LogRecord.LENGTH);
      bornFirst = next[LogRecord.START];
      endedFirst = next[LogRecord.END];
      lastAlone = alone;
    }
    file.ring.write(slot(number) + (int) (last[LogRecord.VERSION] & 1), last);
  }

  private int slot(long number) {
    return 2 * (int) (number % ring);
  }

  private boolean isShared() {
    long grain = memory / (ring / 2) + 1;
    return next[LogRecord.END] - endedFirst < grain
        && next[LogRecord.KIND] == last[LogRecord.KIND]
        && next[LogRecord.EPOCH] == last[LogRecord.EPOCH]
        && (next[LogRecord.KIND] == LogRecord.STARTED || next[LogRecord.KIND] == LogRecord.ANSWERED)
        && Math.abs(next[LogRecord.START] - bornFirst) < grain
        && !alone
        && !lastAlone
        && isHurried();
  }

  /** Returns whether half of the ring does not reach back far enough. */
  private boolean isHurried() {
    long half = number - ring / 2;
    return half > 0 && next[LogRecord.END] - file.ring.get(slot(half), LogRecord.END) < memory;
  }
}
