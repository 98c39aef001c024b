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
 * Writes down what a limiter releases. Guarded by its gate.
 *
 * <p>What is over goes into the ring, in the order in which it ended. As long as half of the ring
 * reaches back as far as the limit's memory, every release has an entry of its own; beyond, those
 * that come within a small part of that memory share one, as of the latest of them. So the ring
 * always reaches back far enough, unless what cannot be shared fills it. What is open has a place
 * of its own until it ends.
 */
final class Journal {

  /** A permit as its limiter names it when it ends. */
  private record Key(long start, Cost cost) {}

  /** Where an open permit is written down, and others of the same name. */
  private record Place(
      int slot, long born, long since, boolean adopted, @Nullable Place next, int count) {}

  private final StateFile file;
  private final long base; // the instant of the file that is 0 of the limiter
  private final int ring; // how many entries there are
  private final Map<Key, Place> open = new HashMap<>();
  private final Map<Key, Integer> adopted = new HashMap<>(); // in the course of a change
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final long[] last = new long[LogRecord.LENGTH]; // the entry that may yet be shared
  private final long[] next = new long[LogRecord.LENGTH];
  private ProcessRecord life;
  private LimitEpoch era;
  private List<String> names;
  private boolean whole; // whether it matters when permits end
  private long memory;
  private long number; // of the last entry
  private long events;
  private long bornFirst; // when what shares the last entry began to start
  private long endedFirst; // and to end
  private boolean alone; // whether what comes next must have an entry of its own,
  private boolean lastAlone; // as the last one has
  private boolean stopped;

  Journal(StateFile file, ProcessRecord life, LimitEpoch era, long base, long number, long events) {
    this.file = file;
    this.life = life;
    this.base = base;
    this.ring = file.ring.count() / 2;
    this.number = number;
    this.events = events;
    this.era = era;
    this.names = LimitEpoch.names(era.limit());
    this.whole = LimitEpoch.countsWhole(era.limit());
    this.memory = era.memory();
    for (int slot = 0; slot < file.open.count(); slot++) {
      free.add(slot);
    }
  }

  /** Returns the limit that was written down last. */
  Limit limit() {
    return era.limit();
  }

  /** Writes nothing more. */
  void stop() {
    stopped = true;
  }

  /** Returns what is to be written when the process has ended in order. */
  ProcessRecord closed(long now, long wall) {
    return life.closedAt(base + now, wall);
  }

  // ---- what happens

  /** A permit of an earlier process, which is not there any more to end it, is lost. */
  void lost(int slot, long[] entry) {
    System.arraycopy(entry, 0, next, 0, LogRecord.LENGTH);
    next[LogRecord.KIND] = LogRecord.kind(LogRecord.LOST, LogRecord.isAdopted(entry));
    next[LogRecord.DONE] = ++events;
    next[LogRecord.END] = base;
    append();
    file.open.clear(slot);
  }

  /** A permit was to move along to another limit, which did not come into force. */
  void notAdopted(int slot) {
    file.open.clear(slot);
  }

  void released(long since, long now, Cost cost) {
    if (stopped) {
      return;
    }
    if (whole) {
      open(new Key(now, cost), ++events, since, false);
    } else {
      fill(LogRecord.STARTED, events + 1, now, since, now, cost);
      append();
    }
  }

  /** A permit moves along to the next limit. It may not have counted so far. */
  void adopted(long start, Cost cost) {
    if (!stopped) {
      var key = new Key(start, cost);
      if (adopted.merge(key, 1, Integer::sum) > count(open.get(key))) {
        open(key, ++events, start, true);
      }
    }
  }

  void ended(long start, long now, Cost cost, Outcome end) {
    var key = new Key(start, cost);
    Place place = stopped ? null : remove(key);
    if (place != null) {
      close(key, place, LogRecord.kind(end), ++events, now);
    }
  }

  void settled(long start, long now, Cost charged, Cost actual) {
    if (stopped) {
      return;
    }
    if (!whole) {
      // Two entries: one that is torn off at the end of the ring, or of the process, has no effect.
      fill(LogRecord.CHARGED, events + 1, start, start, now, charged);
      append();
      fill(LogRecord.SETTLED, events + 1, start, start, now, actual);
      append();
      return;
    }
    correct(start, charged, actual);
  }

  private void correct(long start, Cost charged, Cost actual) {
    Place place = remove(new Key(start, charged));
    if (place != null) {
      move(place, new Key(start, actual));
    }
  }

  /** An open permit is corrected that was charged again when it was sent; so is that. */
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

  /** Another limit is in force. What is open stays open, even if this limit does not care. */
  void changed(Limit limit, long now) {
    if (stopped) {
      return;
    }
    era = new LimitEpoch(era.number() + 1, ++events, base + now, false, limit);
    era.writeTo(file.eras);
    var before = new ArrayList<>(open.entrySet());
    whole = LimitEpoch.countsWhole(era.limit());
    names = LimitEpoch.names(era.limit());
    memory = era.memory();
    open.clear();
    adopted.clear();
    for (Map.Entry<Key, Place> permit : before) {
      for (Place place = permit.getValue(); place != null; place = place.next) {
        move(place, permit.getKey());
      }
    }
  }

  // ---- open permits

  private void open(Key key, long born, long since, boolean adopted) {
    Integer slot = free.poll();
    if (slot == null) {
      forget();
      return;
    }
    fill(LogRecord.kind(LogRecord.OPEN, adopted), born, key.start, since, key.start, key.cost);
    file.open.write(slot, next);
    Place others = open.get(key);
    open.put(key, new Place(slot, born, since, adopted, others, count(others) + 1));
  }

  private static int count(@Nullable Place place) {
    return place == null ? 0 : place.count;
  }

  /** Writes an open permit down once more, before it is taken away where it was. */
  private void move(Place place, Key key) {
    if (free.isEmpty()) {
      forget(); // for a moment it is written down nowhere
      vacate(place);
      open(key, place.born, place.since, place.adopted);
    } else {
      open(key, place.born, place.since, place.adopted);
      vacate(place);
    }
  }

  private void forget() {
    if (!life.forgot()) {
      life = life.forgetting();
      life.writeTo(file.life);
    }
  }

  private @Nullable Place remove(Key key) {
    Place place = open.remove(key);
    if (place != null && place.next != null) {
      open.put(key, place.next);
    }
    return place;
  }

  private void close(Key key, Place place, int kind, long done, long now) {
    int known = LogRecord.kind(kind, place.adopted);
    fill(known, place.born, key.start, place.since, now, key.cost);
    next[LogRecord.DONE] = done;
    append();
    vacate(place);
  }

  private void vacate(Place place) {
    file.open.clear(place.slot);
    free.push(place.slot);
  }

  // ---- what is over

  private void fill(int kind, long born, long start, long since, long end, Cost cost) {
    next[LogRecord.KIND] = kind;
    next[LogRecord.ERA] = era.number();
    next[LogRecord.BORN] = born;
    next[LogRecord.DONE] = born;
    next[LogRecord.START] = base + start;
    next[LogRecord.SINCE] = base + since;
    next[LogRecord.END] = base + end;
    LogRecord.putCost(next, cost, names);
    alone = era.isOversize(cost);
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
        && next[LogRecord.ERA] == last[LogRecord.ERA]
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
