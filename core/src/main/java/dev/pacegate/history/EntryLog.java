package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * A log of requests, in the order in which their starts and ends became known.
 *
 * <p>Up to {@value #MOST} entries are exact. Beyond, entries that ended within 1/{@value #CELLS} of
 * the longest limit's length (or, long ago, within 1/{@value #OLDER_CELLS} of their age) are
 * merged, as of the latest of them. So a limit that reads them lets through no more than it should.
 */
final class EntryLog {

  static final int MOST = 2048;

  private static final int CELLS = 512;
  private static final int OLDER_CELLS = 64;

  private static final Comparator<Long> BY_TIME = (a, b) -> Long.signum(a - b);

  private final List<Entry> entries = new ArrayList<>();
  private final int most;

  EntryLog(Collection<Entry> entries) {
    this(entries, MOST);
  }

  EntryLog(Collection<Entry> entries, int most) {
    this.entries.addAll(entries);
    this.most = most;
  }

  EntryLog copy() {
    return new EntryLog(entries, most);
  }

  List<Entry> entries() {
    return entries;
  }

  /** Adds an entry that became known at {@code now}. */
  void add(Entry entry, long now, long reach) {
    int last = entries.size() - 1;
    if (last >= 0 && entries.get(last).isTheSameAs(entry)) {
      entries.set(last, entries.get(last).and(entry));
      return;
    }
    if (entries.size() >= most) {
      merge(now, reach);
    }
    entries.add(entry);
  }

  /** Merges entries that ended within a small part of their age; of mixed ends the worst counts. */
  private void merge(long now, long reach) {
    var merged = new ArrayList<Entry>();
    var last = new int[] {-1, -1}; // of requests sent in time, and late
    var begin = new long[2]; // of the merged ones
    for (Entry each : entries) {
      Entry entry = each.asRelease();
      int group = isLate(entry) ? 1 : 0;
      long grain = Math.max(reach / CELLS, (now - entry.end()) / OLDER_CELLS);
      if (last[group] >= 0 && entry.end() - begin[group] < grain) {
        merged.set(last[group], merged.get(last[group]).and(entry));
      } else {
        last[group] = merged.size();
        begin[group] = entry.end();
        merged.add(entry);
      }
    }
    entries.clear();
    entries.addAll(merged);
  }

  private static boolean isLate(Entry entry) {
    return entry.kind() == Entry.Kind.LATE;
  }

  /** Removes the entry of the start of {@code request}, as more is known of it now. */
  void forgetStart(OpenRequest request) {
    int found = -1;
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      if (entry.kind() == Entry.Kind.STARTED) {
        if (entry.start() - request.startedAt() < 0) {
          break;
        }
        found = i;
      }
    }
    if (found >= 0) {
      forgetStart(found, request);
    }
  }

  private void forgetStart(int first, OpenRequest request) {
    int index = indexOf(request, first);
    Entry entry = entries.get(index);
    if (entry.first() - request.startedAt() <= 0) {
      entries.set(index, entry.withCost(less(entry.cost(), request.cost())));
    }
  }

  /**
   * Returns which entry is that of {@code request}, of those with the same start as the {@code
   * first}: one for each instant since which a request had been first in the queue.
   */
  private int indexOf(OpenRequest request, int first) {
    int found = first;
    long start = entries.get(first).start();
    for (int i = first; i < entries.size() && entries.get(i).start() - start <= 0; i++) {
      Entry entry = entries.get(i);
      if (entry.kind() == Entry.Kind.STARTED && entry.start() == start) {
        if (entry.cost().equals(request.cost())) {
          return i;
        }
        found = entries.get(found).cost().calls() > 0 ? found : i;
      }
    }
    return found;
  }

  /** Removes the entries of the starts of {@code requests}, as more is known of them now. */
  void forgetStarts(Collection<OpenRequest> requests) {
    if (requests.isEmpty()) {
      return;
    }
    var started = new TreeMap<Long, Integer>(BY_TIME);
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).kind() == Entry.Kind.STARTED) {
        started.putIfAbsent(entries.get(i).start(), i);
      }
    }
    for (OpenRequest request : requests) {
      var found = started.ceilingEntry(request.startedAt());
      if (found != null) {
        forgetStart(found.getValue(), request);
      }
    }
  }

  /** Returns {@code all} without {@code part}, entry by entry and at least 0. */
  static Cost less(Cost all, Cost part) {
    return Cost.sum(Math.max(0, all.calls() - part.calls()), 0).plus(all.beyond(part));
  }
}
