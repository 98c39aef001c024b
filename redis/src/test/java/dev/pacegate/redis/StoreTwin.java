package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.redis.Reply.Grant;
import dev.pacegate.redis.StoredLimit.Count;
import dev.pacegate.redis.StoredLimit.Law;
import dev.pacegate.redis.StoredLimit.Place;
import dev.pacegate.redis.StoredLimit.Run;
import dev.pacegate.redis.StoredLimit.State;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The scripts once more, in Java, as plainly as can be: what a server of Redis with one name in it
 * does. It can be copied, as a replica or a snapshot is.
 */
final class StoreTwin {

  private static final long ADOPTED_WITHIN = 60_000_000;
  private static final long WRITTEN_WITHIN = 10_000_000;

  /** What can be wrong with it, to show that a test would notice. */
  enum Mutant {
    NONE,
    NO_FENCE,
    LEASE_ENDS_WITH_USE,
    RESERVED_IS_FREE,
    EPOCH_BY_RUN_ALONE,
    ABSENT_IS_FRESH,
    /** Of the client. */
    CLOCK_TRUSTED
  }

  /** The server, and its wall clock. */
  String run = "a1";

  String replication = "b1";
  String earlier = "00";
  long evicted;
  long wall;

  /** What those who call say of it. */
  boolean durable;

  Mutant mutant = Mutant.NONE;

  @Nullable StoredLimit stored;
  private boolean recordChanged; // in the call that is carried out

  StoreTwin copy() {
    var copy = new StoreTwin();
    copy.run = run;
    copy.replication = replication;
    copy.earlier = earlier;
    copy.evicted = evicted;
    copy.wall = wall;
    copy.durable = durable;
    copy.mutant = mutant;
    copy.stored = stored == null ? null : stored.copy();
    return copy;
  }

  /** All keys are gone: FLUSHALL, a restart without a file, or the record was evicted. */
  void forget() {
    stored = null;
  }

  /** The state of a key is gone, and the server counts that. */
  void evict(String key) {
    evicted++;
    if (stored != null) {
      stored.states.remove(key);
    }
  }

  /** Takes over what another server stores. */
  void replicate(StoreTwin other) {
    stored = other.stored == null ? null : other.stored.copy();
  }

  // The scripts

  Reply acquire(String client, Request request, Terms terms, boolean fresh) {
    return acquire("", client, request, terms, fresh);
  }

  /** As a client calls for one key; the empty key stands for a limit without keys. */
  Reply acquire(String key, String client, Request request, Terms terms, boolean fresh) {
    State s = open(key, request.epoch(), request.distrust(), terms, fresh, durable);
    StoredLimit r = requireNonNull(stored);
    if (r.durable && !durable) {
      r.durable = false;
      recordChanged = true;
    }
    var call = new TwinCall(r, s, !key.isEmpty(), client, request, mutant);
    if (request.revision().equals(Long.toString(s.law.revision()))) {
      for (Report report : request.reports()) {
        call.report(report, request.epoch().equals(Long.toString(r.began)));
      }
      call.grant();
    }
    save(key, s);
    return header(s, request.revision(), call.pause, call.grants());
  }

  Reply change(String name, String revision, Terms until, Terms next) {
    return change("", name, revision, until, next);
  }

  Reply change(String key, String name, String revision, Terms until, Terms next) {
    State s = open(key, "", "", until, false, null);
    StoredLimit r = requireNonNull(stored);
    if (!r.changed.equals(name)) {
      r.changed = name;
      r.sequence = Math.max(r.sequence, s.clock) + 1;
      long longest = r.longestFence(s.clock, next.fence());
      r.before = longest;
      r.beforeUntil = s.clock + longest;
      if (r.closed > s.clock) {
        r.closed += Math.max(0, next.fence() - s.law.terms().fence());
        r.emptied = Math.max(r.emptied, r.closed);
      }
      var law = new Law(r.sequence, next);
      s.isOwn |= !key.isEmpty();
      if (key.isEmpty()) {
        r.law = law;
      }
      follow(s, law);
      expire(s);
      recordChanged = true;
    }
    save(key, s);
    return header(s, revision, 0, List.of());
  }

  private Reply header(State s, String revision, long pause, List<Grant> grants) {
    StoredLimit r = requireNonNull(stored);
    String current = Long.toString(s.law.revision());
    return new Reply(
        s.clock,
        Long.toString(r.began),
        current,
        revision.equals(current) ? "" : s.law.terms().limit().toString(),
        s.isOwn,
        Math.max(0, r.closed - s.clock),
        r.reason,
        Math.max(0, r.paused - s.clock),
        r.why,
        pause,
        grants);
  }

  private State open(
      String key,
      String epoch,
      String distrust,
      Terms terms,
      boolean fresh,
      @Nullable Boolean stated) {
    String reason = doubt(epoch, distrust, stated);
    if (reason != null) {
      begin(reason, terms, fresh && stored == null, stated);
    }
    StoredLimit r = requireNonNull(stored);
    recordChanged = reason != null || !r.replication.equals(replication) || !r.run.equals(run);
    r.replication = replication;
    r.run = run;
    r.evicted = evicted;
    State known = r.states.get(key);
    State s = known != null && known.began == r.began ? known : renewed(known);
    s.clock = Math.max(Math.max(r.clock, wall), s.clock);
    if (!s.isOwn && s.law.revision() != r.law.revision()) {
      follow(s, r.law);
    }
    expire(s);
    return s;
  }

  private void save(String key, State s) {
    StoredLimit r = requireNonNull(stored);
    if (key.isEmpty() || recordChanged || s.clock - r.clock >= WRITTEN_WITHIN) {
      r.clock = Math.max(r.clock, s.clock);
    }
    r.states.put(key, s);
    if (!key.isEmpty()) {
      r.states.values().removeIf(each -> !each.isOwn && restsAt(each) <= each.clock);
    }
  }

  private static long restsAt(State s) {
    return LongStream.concat(
            s.line.stream().mapToLong(Place::over),
            s.counts.stream()
                .flatMapToLong(
                    c ->
                        LongStream.concat(
                            LongStream.of(c.full + 1), c.runs.stream().mapToLong(Run::instant))))
        .max()
        .orElse(0);
  }

  private @Nullable String doubt(String epoch, String distrust, @Nullable Boolean stated) {
    if (stored == null) {
      return "the store does not know this name";
    } else if (!stored.run.equals(run) && !cameBack(stored, stated)) {
      return "the store was restarted, or another server took over";
    } else if (mutant != Mutant.EPOCH_BY_RUN_ALONE
        && stored.run.equals(run)
        && !stored.replication.equals(replication)
        && (!earlier.matches("0*") || wall - stored.clock >= ADOPTED_WITHIN)) {
      return "the store was promoted";
    } else if (stored.run.equals(run) && stored.evicted != evicted) {
      return "the store has evicted keys";
    } else if (!distrust.isEmpty() && epoch.equals(Long.toString(stored.began))) {
      return distrust;
    }
    return null;
  }

  private boolean cameBack(StoredLimit r, @Nullable Boolean stated) {
    return r.durable && !Boolean.FALSE.equals(stated) && earlier.matches("0*");
  }

  private void begin(String reason, Terms terms, boolean fresh, @Nullable Boolean stated) {
    StoredLimit old = stored;
    long fence = old == null ? terms.fence() : old.longestFence(old.clock, terms.fence());
    var r = old == null ? new StoredLimit(new Law(wall, terms)) : old;
    r.sequence = old == null ? wall : old.sequence;
    r.began = old == null ? wall : Math.max(wall, old.began + 1);
    r.run = run;
    r.replication = replication;
    r.evicted = evicted;
    r.durable = stated == null ? r.durable : stated;
    r.clock = wall;
    r.reason = reason;
    r.states.remove("");
    if (mutant == Mutant.NO_FENCE || (old == null && mutant == Mutant.ABSENT_IS_FRESH)) {
      fence = 0;
    }
    r.before = fence;
    r.beforeUntil = wall + fence;
    r.closed = fresh ? wall : wall + fence;
    r.emptied = fresh ? 0 : wall + fence;
    stored = r;
  }

  private State renewed(@Nullable State known) {
    boolean isOwn = known != null && known.isOwn;
    State s = fresh(known != null && isOwn ? known.law : requireNonNull(stored).law);
    s.isOwn = isOwn;
    return s;
  }

  private State fresh(Law law) {
    StoredLimit r = requireNonNull(stored);
    var s = new State(law);
    s.began = r.began;
    for (Term term : law.terms().terms()) {
      var count = new Count();
      count.pour(term, term.capacity(), r.emptied);
      s.counts.add(count);
    }
    return s;
  }

  private static void follow(State s, Law law) {
    Terms before = s.law.terms();
    var left = new ArrayList<Integer>();
    IntStream.range(0, before.terms().size()).forEach(left::add);
    var counts = new ArrayList<Count>();
    for (Term to : law.terms().terms()) {
      Integer index =
          left.stream().filter(i -> to.follows(before.terms().get(i))).findFirst().orElse(null);
      left.remove(index);
      counts.add(
          index == null
              ? allSpent(to, s.clock, law.terms().fence())
              : moved(
                  s.counts.get(index),
                  before.terms().get(index),
                  to,
                  Math.max(0, law.terms().use() - before.use()),
                  s.clock));
    }
    s.counts = counts;
    s.law = law;
    s.line.clear();
  }

  private static Count allSpent(Term term, long clock, long fence) {
    var count = new Count();
    count.runs.add(new Run("", term.capacity(), clock, clock + fence));
    return count;
  }

  private static Count moved(Count old, Term from, Term to, long longerUse, long clock) {
    long later = to.interval() - from.interval();
    long laterIfOpen = later + longerUse + Math.max(0, to.unanswered() - from.unanswered());
    var count = new Count();
    count.pour(to, old.lack(from, clock), clock);
    for (Run run : old.runs) {
      long instant = run.instant() + (run.id().isEmpty() ? later : laterIfOpen);
      count.runs.add(new Run(run.id(), run.units(), run.from(), instant));
    }
    return count;
  }

  private static void expire(State s) {
    for (int i = 0; i < s.counts.size(); i++) {
      s.counts.get(i).expire(s.law.terms().terms().get(i), s.clock);
    }
  }
}
