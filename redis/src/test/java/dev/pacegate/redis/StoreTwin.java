package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.redis.Reply.Grant;
import dev.pacegate.redis.StoredLimit.Place;
import dev.pacegate.redis.StoredLimit.Run;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scripts once more, in Java: what a server of Redis with one limit in it does. It can be
 * copied, as a replica or a snapshot is.
 */
final class StoreTwin {

  private static final long ADOPTED_WITHIN = 60_000_000;

  /** What can be wrong with it, to show that a test would notice. */
  enum Mutant {
    NONE,
    NO_FENCE,
    UNUSED_TO_NOW,
    EPOCH_BY_RUN_ALONE,
    ABSENT_IS_FRESH,
    /** Of the client. */
    CLOCK_TRUSTED
  }

  /** The server, and its wall clock. */
  String run = "a1";

  String replication = "b1";
  String earlier = "00";
  long wall;
  Mutant mutant = Mutant.NONE;

  @Nullable StoredLimit stored;

  StoreTwin copy() {
    var copy = new StoreTwin();
    copy.run = run;
    copy.replication = replication;
    copy.earlier = earlier;
    copy.wall = wall;
    copy.mutant = mutant;
    copy.stored = stored == null ? null : stored.copy();
    return copy;
  }

  /** All keys are gone: FLUSHALL, a restart without a file, or the stored was evicted. */
  void forget() {
    stored = null;
  }

  /** The key that holds the runs is gone. */
  void loseRuns() {
    if (stored != null && !stored.runs.isEmpty()) {
      stored.runsLost = true;
    }
  }

  /** The key that holds the line is gone. */
  void loseLine() {
    if (stored != null) {
      stored.line.clear();
    }
  }

  /** Takes over what another server stores. */
  void replicate(StoreTwin other) {
    stored = other.stored == null ? null : other.stored.copy();
  }

  // The scripts

  Reply acquire(String client, Request request, Terms terms, boolean fresh) {
    StoredLimit r = open(request.epoch(), request.distrust(), terms, fresh);
    for (Report report : request.reports()) {
      boolean isOfEpoch = request.epoch().equals(Long.toString(r.began));
      report(r, client + ":" + report.lease(), report, isOfEpoch);
    }
    var leases = granted(r, client, request.number());
    long pause = 0;
    if (leases.isEmpty()) {
      pause = grant(r, client, request, leases);
    }
    var grants = new ArrayList<Grant>();
    for (Lease lease : leases) {
      grants.add(new Grant(lease.units, lease.from, lease.from + r.use));
    }
    return header(r, request.revision(), pause, grants);
  }

  Reply change(String name, String revision, Terms until, Terms next) {
    StoredLimit r = open("", "", until, false);
    if (!r.changed.equals(name)) {
      r.changed = name;
      r.change(next);
    }
    return header(r, revision, 0, List.of());
  }

  private static Reply header(StoredLimit r, String revision, long pause, List<Grant> grants) {
    String current = Long.toString(r.revision);
    return new Reply(
        r.clock,
        Long.toString(r.began),
        current,
        revision.equals(current) ? "" : r.limit,
        Math.max(0, r.closed - r.clock),
        r.reason,
        pause,
        List.copyOf(grants));
  }

  private StoredLimit open(String epoch, String distrust, Terms terms, boolean fresh) {
    String reason = doubt(epoch, distrust);
    if (reason != null) {
      stored = begin(reason, terms, stored == null && (fresh || mutant == Mutant.ABSENT_IS_FRESH));
    }
    StoredLimit r = requireNonNull(stored);
    r.replication = replication;
    r.clock = Math.max(r.clock, wall);
    r.expire();
    return r;
  }

  private @Nullable String doubt(String epoch, String distrust) {
    if (stored == null) {
      return "the store does not know this name";
    } else if (!stored.run.equals(run)) {
      return "the store was restarted, or another server took over";
    } else if (mutant != Mutant.EPOCH_BY_RUN_ALONE
        && !stored.replication.equals(replication)
        && (!earlier.matches("0*") || wall - stored.clock >= ADOPTED_WITHIN)) {
      return "the store was promoted";
    } else if (stored.runsLost) {
      return "the store has lost a key";
    } else if (!distrust.isEmpty() && epoch.equals(Long.toString(stored.began))) {
      return distrust;
    }
    return null;
  }

  private StoredLimit begin(String reason, Terms terms, boolean fresh) {
    StoredLimit old = stored;
    var r = new StoredLimit();
    long fence = terms.fence();
    r.began = wall;
    if (old == null) {
      r.set(terms);
      r.revision = wall;
    } else {
      fence = old.longestFence(terms);
      r.began = Math.max(wall, old.began + 1);
      r.limit = old.limit;
      r.permits = old.permits;
      r.interval = old.interval;
      r.use = old.use;
      r.horizon = old.horizon;
      r.unanswered = old.unanswered;
      r.fence = old.fence;
      r.revision = old.revision;
      r.changed = old.changed;
    }
    if (mutant == Mutant.NO_FENCE) {
      fence = 0;
    }
    r.run = run;
    r.replication = replication;
    r.clock = wall;
    r.before = fence;
    r.beforeUntil = wall + fence;
    r.closed = wall + fence;
    r.reason = reason;
    if (fresh) {
      r.free = r.permits;
      r.closed = wall;
    } else {
      r.runs.put("!", new Run("!", r.permits, wall + fence, wall + fence));
    }
    return r;
  }

  private void report(StoredLimit r, String id, Report report, boolean isOfEpoch) {
    Run run = r.runs.get(id);
    long left = report.left();
    if (report.kind() == Report.Kind.OPEN || report.kind() == Report.Kind.ANEW) {
      r.keepOpen(id, run, left);
    } else if (run != null && run.units() > left && isOfEpoch) {
      long instant = report.instant() + r.interval;
      if (report.kind() == Report.Kind.UNUSED) {
        instant = mutant == Mutant.UNUSED_TO_NOW ? r.clock : run.from();
      }
      if (left == 0) {
        r.runs.remove(id);
      } else {
        r.runs.put(id, new Run(id, left, run.from(), run.instant()));
      }
      r.giveBack(run.units() - left, instant);
    }
  }

  /** A lease to be granted. */
  private static final class Lease {
    long units;
    final long first;
    long from;

    Lease(long units, long from) {
      this.units = units;
      this.first = from;
      this.from = from;
    }
  }

  private static List<Lease> granted(StoredLimit r, String client, long number) {
    var leases = new ArrayList<Lease>();
    while (true) {
      Run run = r.runs.get(client + ":" + number + "." + leases.size());
      if (run == null) {
        return leases;
      }
      leases.add(0, new Lease(run.units(), run.from()));
    }
  }

  private record Piece(@Nullable Run run, long units, long instant) {}

  private static List<Piece> pieces(StoredLimit r, long ahead, long need) {
    var offers = new ArrayList<Piece>();
    long skip = ahead;
    if (r.free < 0) {
      skip -= r.free;
    } else {
      offers.add(new Piece(null, r.free, r.clock));
    }
    for (Run run : r.inOrder()) {
      if (run.instant() <= r.clock + r.horizon) {
        offers.add(new Piece(run, run.units(), run.instant()));
      }
    }
    var found = new ArrayList<Piece>();
    long sum = 0;
    for (Piece offer : offers) {
      long skipped = Math.min(skip, offer.units);
      skip -= skipped;
      long part = Math.min(offer.units - skipped, need - sum);
      if (part > 0) {
        found.add(new Piece(offer.run, part, offer.instant));
        sum += part;
      }
    }
    return found;
  }

  private static void take(StoredLimit r, Piece piece) {
    Run run = piece.run;
    if (run == null) {
      r.free -= piece.units;
    } else if (run.units() == piece.units) {
      r.runs.remove(run.id());
    } else {
      r.runs.put(run.id(), new Run(run.id(), run.units() - piece.units, run.from(), run.instant()));
    }
  }

  private static long grant(StoredLimit r, String client, Request request, List<Lease> leases) {
    long want = request.want();
    long least = request.least();
    long batch = Math.max(Math.max(4, (r.permits + 7) / 8), least);
    long ahead = 0;
    long others = 0;
    boolean passed = false;
    var line = new ArrayList<>(r.line.entrySet());
    line.sort((a, b) -> Long.compare(a.getValue().ticket(), b.getValue().ticket()));
    for (var place : line) {
      if (place.getKey().equals(client)) {
        passed = true;
      } else if (place.getValue().until() < r.clock) {
        r.line.remove(place.getKey());
      } else {
        others += place.getValue().want();
        ahead = passed ? ahead : others;
      }
    }
    List<Piece> found = pieces(r, ahead, others > 0 ? Math.min(want, batch) : want);
    long sum = found.stream().mapToLong(Piece::units).sum();
    if (sum < least) {
      found = List.of();
      sum = 0;
    }
    for (Piece piece : found) {
      take(r, piece);
      Lease last = leases.isEmpty() ? null : leases.get(leases.size() - 1);
      if (last != null
          && ((leases.size() == 1 && last.units < least)
              || piece.instant - last.first <= r.interval / 64.0)) {
        last.units += piece.units;
        last.from = piece.instant;
      } else {
        leases.add(new Lease(piece.units, piece.instant));
      }
    }
    if (sum == want && others == 0 && request.spare() > 0 && r.free > 0) {
      long more = Math.min(request.spare(), r.free);
      r.free -= more;
      if (leases.size() == 1 && leases.get(0).from == r.clock) {
        leases.get(0).units += more;
      } else {
        leases.add(0, new Lease(more, r.clock));
      }
    }
    for (int i = 0; i < leases.size(); i++) {
      String id = client + ":" + request.number() + "." + (leases.size() - 1 - i);
      while (r.runs.containsKey(id)) {
        id += "'";
      }
      Lease lease = leases.get(i);
      long until = lease.from + r.use + r.unanswered + r.interval;
      r.runs.put(id, new Run(id, lease.units, lease.from, until));
    }
    if (sum == want) {
      r.line.remove(client);
      return 0;
    }
    return waitInLine(
        r, client, sum > 0 ? others : ahead, Math.min(want - sum, batch), least, sum > 0);
  }

  private static long waitInLine(
      StoredLimit r, String client, long ahead, long rest, long least, boolean again) {
    Place place = again ? null : r.line.get(client);
    long ticket = place == null ? ++r.ticket : place.ticket();
    long pause = Math.max(comeBack(r, ahead, rest, least) - r.clock, r.horizon / 16 + 1);
    r.line.put(client, new Place(ticket, rest, r.clock + pause + r.horizon));
    return pause;
  }

  private static long comeBack(StoredLimit r, long ahead, long rest, long leastAsked) {
    if (r.closed > r.clock) {
      return r.closed - r.horizon;
    }
    long least = Math.max(1, Math.min(leastAsked, rest));
    long over = r.clock + r.interval;
    long sum = r.free - ahead;
    long first = over;
    long last = over;
    boolean found = false;
    for (Run run : r.inOrder()) {
      sum += run.units();
      if (!found && sum >= least) {
        found = true;
        first = Math.min(run.instant(), over);
      }
      if (sum >= rest) {
        last = run.instant();
        break;
      }
    }
    return Math.min(last, first + r.horizon / 2) - r.horizon * 3 / 4;
  }

  /** Returns all units of the limit, 0 if it is unknown. */
  long units() {
    return stored == null ? 0 : stored.units();
  }

  /** Returns whether all units of the limit are free or in a run: none was lost or made. */
  boolean hasAllUnits() {
    return stored == null || stored.runsLost || units() == stored.permits;
  }
}
