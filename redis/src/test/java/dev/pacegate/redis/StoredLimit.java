package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a server stores of a limit, as {@link StoreTwin} keeps it. */
final class StoredLimit {

  /** Units that are free again at one instant. */
  record Run(String id, long units, long from, long instant) {}

  /** Of a client in the line. */
  record Place(long ticket, long want, long until) {}

  String run = "";
  String replication = "";
  long began;
  String limit = "";
  String changed = "";
  String reason = "";
  long clock;
  long free;
  long ticket;
  long revision;
  long permits;
  long interval;
  long use;
  long horizon;
  long unanswered;
  long fence;
  long before;
  long beforeUntil;
  long closed;
  boolean runsLost;
  final Map<String, Run> runs = new HashMap<>();
  final TreeMap<String, Place> line = new TreeMap<>();

  StoredLimit copy() {
    var copy = new StoredLimit();
    copy.run = run;
    copy.replication = replication;
    copy.began = began;
    copy.limit = limit;
    copy.changed = changed;
    copy.reason = reason;
    copy.clock = clock;
    copy.free = free;
    copy.ticket = ticket;
    copy.revision = revision;
    copy.permits = permits;
    copy.interval = interval;
    copy.use = use;
    copy.horizon = horizon;
    copy.unanswered = unanswered;
    copy.fence = fence;
    copy.before = before;
    copy.beforeUntil = beforeUntil;
    copy.closed = closed;
    copy.runsLost = runsLost;
    copy.runs.putAll(runs);
    copy.line.putAll(line);
    return copy;
  }

  /** Takes a limit over. */
  void set(Terms terms) {
    limit = terms.limit().toString();
    permits = terms.permits();
    interval = terms.interval();
    use = terms.use();
    horizon = terms.horizon();
    unanswered = terms.unanswered();
    fence = terms.fence();
  }

  /** Returns the longest fence of what may have been in force. */
  long longestFence(Terms terms) {
    long longest = Math.max(fence, terms.fence());
    return clock < beforeUntil ? Math.max(longest, before) : longest;
  }

  /** Frees what is due. */
  void expire() {
    for (Run run : List.copyOf(runs.values())) {
      if (run.instant <= clock) {
        free += run.units;
        runs.remove(run.id);
      }
    }
  }

  /** Frees units of a run, at once or when they may be used again. */
  void giveBack(long units, long instant) {
    if (instant <= clock) {
      free += units;
      return;
    }
    long grain = interval / 1024 + 1;
    long rounded = -Math.floorDiv(-instant, grain) * grain;
    String id = "=" + revision + "." + rounded;
    Run known = runs.get(id);
    runs.put(id, new Run(id, units + (known == null ? 0 : known.units), 0, rounded));
  }

  /** Holds units of a lease for as long as the peer may count them. */
  void keepOpen(String id, @Nullable Run run, long left) {
    long until = clock + unanswered + interval;
    if (run == null) {
      runs.put(id, new Run(id, left, clock, until));
      free -= left;
    } else {
      long units = Math.max(run.units, left);
      runs.put(id, new Run(id, units, run.from, Math.max(run.instant, until)));
      free -= units - run.units;
    }
  }

  /** Returns the runs by the instants at which they are free. */
  List<Run> inOrder() {
    var sorted = new ArrayList<>(runs.values());
    sorted.sort(
        (a, b) ->
            a.instant != b.instant ? Long.compare(a.instant, b.instant) : a.id.compareTo(b.id));
    return sorted;
  }

  /** Adds units, which a fence holds too. */
  private void addUnits(long more) {
    if (more > 0 && closed > clock) {
      Run held = runs.get("!");
      long fenced = held == null ? 0 : held.units;
      runs.put("!", new Run("!", fenced + more, closed, closed));
    } else {
      free += more;
    }
  }

  void change(Terms next) {
    long later = next.interval() - interval;
    long laterIfOpen =
        later + Math.max(0, next.use() - use) + Math.max(0, next.unanswered() - unanswered);
    before = longestFence(next);
    beforeUntil = clock + before;
    addUnits(next.permits() - permits);
    revision++;
    set(next);
    for (Run run : List.copyOf(runs.values())) {
      long instant = run.instant + (run.id.startsWith("=") ? later : laterIfOpen);
      long from = run.from;
      if (run.id.equals("!")) {
        instant = run.instant + Math.max(0, laterIfOpen);
        closed = instant;
        from = instant;
      }
      runs.put(run.id, new Run(run.id, run.units, from, instant));
    }
    expire();
  }

  /** Returns all units of the limit. */
  long units() {
    return free + (runsLost ? 0 : runs.values().stream().mapToLong(Run::units).sum());
  }
}
