package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a server stores of a name, as {@link StoreTwin} keeps it. */
final class StoredLimit {

  /** Units that are spent from one instant to another; without an id those that are over. */
  record Run(String id, long units, long from, long instant) {}

  /** Of a client in the line. */
  record Place(String client, List<Long> want, long over) {}

  /** A limit with the number by which it is known. */
  record Law(long revision, Terms terms) {}

  /** Of one term. */
  static final class Count {
    final List<Run> runs = new ArrayList<>();
    long full; // when a bucket is full again, and a part of a microsecond more
    long part;
    long most; // units that were ever spent at once

    Count copy() {
      var copy = new Count();
      copy.runs.addAll(runs);
      copy.full = full;
      copy.part = part;
      copy.most = most;
      return copy;
    }

    @Nullable Run find(String id) {
      return runs.stream().filter(run -> run.id.equals(id)).findFirst().orElse(null);
    }

    long held() {
      return runs.stream().mapToLong(Run::units).sum();
    }

    List<Run> inOrder() {
      var sorted = new ArrayList<>(runs);
      sorted.sort((a, b) -> Long.compare(a.instant, b.instant));
      return sorted;
    }

    /** Ends the runs whose instant has come, in their order. */
    void expire(Term term, long instant) {
      for (Run run : inOrder()) {
        if (run.instant <= instant) {
          pour(term, run.units, run.instant);
          runs.remove(run);
        }
      }
    }

    /** Returns the count as it will be when all runs up to an instant are over. */
    Count at(Term term, long instant) {
      Count later = copy();
      later.expire(term, instant);
      return later;
    }

    /** Pours units into a bucket that were spent at an instant. */
    void pour(Term term, long units, long instant) {
      if (term.refill() == 0) {
        return;
      }
      if (full < instant) {
        full = instant;
        part = 0;
      }
      long amount = units * term.every() + part;
      full += amount / term.refill();
      part = amount % term.refill();
    }

    /** Returns what a bucket lacks at an instant. */
    long lack(Term term, long instant) {
      if (term.refill() == 0 || full < instant) {
        return 0;
      }
      return -Math.floorDiv(-((full - instant) * term.refill() + part), term.every());
    }

    /** Returns when a bucket lacks no more than these units. */
    long refilled(Term term, long units) {
      return term.refill() == 0
          ? 0
          : full - Math.floorDiv(units * term.every() - part, term.refill());
    }

    /** Returns when it has that many units, if nothing is reported or granted; or null. */
    @Nullable Long earliest(Term term, long units, long now) {
      var ends = new ArrayList<Long>();
      ends.add(now);
      inOrder().forEach(run -> ends.add(run.instant));
      for (int e = 0; e < ends.size(); e++) {
        Count then = at(term, ends.get(e));
        long room = term.capacity() - then.held() - units;
        if (room >= 0) {
          long at = Math.max(ends.get(e), then.refilled(term, room));
          if (e + 1 == ends.size() || at <= ends.get(e + 1)) {
            return at;
          }
        }
      }
      return null;
    }
  }

  /** Of the limit, or of one key. */
  static final class State {
    long began;
    long clock;
    Law law;
    boolean isOwn;
    long closed; // until when, if it has a limit of its own
    long before; // the longest fence of limits of its own just before, and until when that counts
    long beforeUntil;
    List<Count> counts = new ArrayList<>();
    final List<Place> line = new ArrayList<>();

    State(Law law) {
      this.law = law;
    }

    /** Returns the longest fence of what may have been in force for this key alone. */
    long longestFence(long instant, long fence) {
      return isOwn && instant < beforeUntil ? Math.max(fence, before) : fence;
    }

    State copy() {
      var copy = new State(law);
      copy.began = began;
      copy.clock = clock;
      copy.isOwn = isOwn;
      copy.closed = closed;
      copy.before = before;
      copy.beforeUntil = beforeUntil;
      counts.forEach(count -> copy.counts.add(count.copy()));
      copy.line.addAll(line);
      return copy;
    }
  }

  String run = "";
  String replication = "";
  long evicted;
  boolean durable;
  long commands;
  long began;
  long clock;
  Law law;
  long sequence;
  String changed = ""; // of a mutant
  String reason = "";
  long before;
  long beforeUntil;
  long closed;
  long emptied;
  long opened; // when the epoch began, by its own clock
  long unfenced;
  long ownFence; // the longest fence of limits that keys ever had of their own
  long paused;
  String why = "";
  final List<Long> offsets = new ArrayList<>();
  final TreeSet<String> replicas = new TreeSet<>(); // that must confirm
  final TreeMap<String, State> states = new TreeMap<>();
  final TreeSet<String> clients = new TreeSet<>(); // that have units or wait, or did lately

  StoredLimit(Law law) {
    this.law = law;
  }

  StoredLimit copy() {
    var copy = new StoredLimit(law);
    copy.run = run;
    copy.replication = replication;
    copy.evicted = evicted;
    copy.durable = durable;
    copy.commands = commands;
    copy.began = began;
    copy.clock = clock;
    copy.sequence = sequence;
    copy.changed = changed;
    copy.reason = reason;
    copy.before = before;
    copy.beforeUntil = beforeUntil;
    copy.closed = closed;
    copy.emptied = emptied;
    copy.opened = opened;
    copy.unfenced = unfenced;
    copy.ownFence = ownFence;
    copy.paused = paused;
    copy.why = why;
    copy.offsets.addAll(offsets);
    copy.replicas.addAll(replicas);
    copy.clients.addAll(clients);
    states.forEach((key, state) -> copy.states.put(key, state.copy()));
    return copy;
  }

  /**
   * Notes a client that has units or waits for some; those that don't any more are dropped then.
   */
  void noteClient(String client, State state) {
    var has = new TreeSet<String>();
    state.line.forEach(place -> has.add(place.client));
    for (Count count : state.counts) {
      count.runs.forEach(run -> has.add(run.id.substring(0, Math.max(0, run.id.lastIndexOf(':')))));
    }
    if (has.contains(client) && !clients.contains(client)) {
      clients.retainAll(has);
      clients.add(client);
    }
  }

  /** Begins an epoch with all that was spent, however much time has passed since. */
  void goOn(long now) {
    long passed = now - clock;
    closed += passed;
    emptied += passed;
    beforeUntil += passed;
    paused += passed;
    opened += passed;
    clock = now;
    began = Math.max(now, began + 1);
    State state = requireNonNull(states.get(""));
    state.began = began;
    state.clock = now;
    offsets.clear();
    state.line.replaceAll(place -> new Place(place.client, place.want, place.over + passed));
    for (Count count : state.counts) {
      count.full += passed;
      count.runs.replaceAll(
          run ->
              new Run(run.id, run.units, Math.min(now, run.from + passed), run.instant + passed));
    }
  }

  /** Returns the longest fence of what may have been in force for all. */
  long longestFence(long instant, long fence) {
    long longest = Math.max(law.terms.fence(), fence);
    return instant < beforeUntil ? Math.max(longest, before) : longest;
  }

  /** Returns until when nothing is granted. */
  long closedUntil(State state) {
    return state.isOwn ? state.closed : closed;
  }
}
