package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * What happened to requests, in the order in which it became known.
 *
 * <p>Up to {@value #MOST} entries are kept as they are. Beyond, those that ended within 1/{@value
 * #CELLS} of the longest limit's length (or, long ago, within 1/{@value #OLDER_CELLS} of their age)
 * are told as one, as of the latest of them: so a limit that reads them lets through no more than
 * it should.
 */
final class EntryLog {

  static final int MOST = 2048;

  private static final int CELLS = 512;
  private static final int OLDER_CELLS = 64;

  private static final Comparator<Long> BY_TIME = (a, b) -> Long.signum(a - b);

  private final List<Entry> entries = new ArrayList<>();

  EntryLog() {}

  EntryLog(Collection<Entry> entries) {
    this.entries.addAll(entries);
  }

  List<Entry> entries() {
    return entries;
  }

  /** Adds what has become known at {@code now}. */
  void add(Entry entry, long now, long reach) {
    int last = entries.size() - 1;
    if (last >= 0 && entries.get(last).isTheSameAs(entry)) {
      entries.set(last, entries.get(last).and(entry));
      return;
    }
    if (entries.size() >= MOST) {
      merge(now, reach);
    }
    entries.add(entry);
  }

  /** Tells as one what ended within a small part of how far back it is; of mixed ends the worst. */
  private void merge(long now, long reach) {
    var merged = new ArrayList<Entry>();
    long begin = 0; // of what is told as one
    for (Entry each : entries) {
      Entry entry = each.asRelease();
      int last = merged.size() - 1;
      long grain = Math.max(reach / CELLS, (now - entry.end()) / OLDER_CELLS);
      if (last >= 0 && entry.end() - begin < grain && isLate(merged.get(last)) == isLate(entry)) {
        merged.set(last, merged.get(last).and(entry));
      } else {
        merged.add(entry);
        begin = entry.end();
      }
    }
    entries.clear();
    entries.addAll(merged);
  }

  private static boolean isLate(Entry entry) {
    return entry.kind() == Entry.Kind.LATE;
  }

  /** Takes out what is known of the starts of {@code requests}: of those more is known. */
  void forgetStarts(Collection<OpenRequest> requests) {
    if (requests.isEmpty()) {
      return;
    }
    var started = new TreeMap<Long, Integer>(BY_TIME);
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).kind() == Entry.Kind.STARTED) {
        started.put(entries.get(i).start(), i);
      }
    }
    for (OpenRequest request : requests) {
      var found = started.ceilingEntry(request.startedAt());
      if (found != null && entries.get(found.getValue()).first() - request.startedAt() <= 0) {
        Entry entry = entries.get(found.getValue());
        entries.set(found.getValue(), entry.withCost(less(entry.cost(), request.cost())));
      }
    }
  }

  /** Returns what is left of {@code all} without {@code part}, entry by entry and at least 0. */
  private static Cost less(Cost all, Cost part) {
    Cost left =
        Cost.sum(
            Math.max(0, all.calls() - part.calls()), Math.max(0, all.amount() - part.amount()));
    for (String name : all.names()) {
      left = left.and(name, Math.max(0, all.amount(name) - part.amount(name)));
    }
    return left;
  }
}
