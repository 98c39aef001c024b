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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The scripts once more, in Java, as plainly as can be: what a server of Redis does with the name
 * that is looked at. It can be copied, as a replica or a snapshot is.
 */
final class StoreTwin {

  private static final long ADOPTED_WITHIN = 60_000_000;
  private static final int MOST_OFFSETS = 8;
  private static final long WRITTEN_WITHIN = 10_000_000;
  private static final long LONGEST_LAG = 3;
  private static final String EVICTED = "the store has evicted keys";
  private static final String UNCOUNTED =
      "the statistics of the store were reset, and it may have evicted keys";

  /** Stands for the limit of keys itself, which has no state. */
  static final String ALL_KEYS = "*";

  /** What can be wrong with it, to show that a test would notice. */
  enum Mutant {
    NONE,
    NO_FENCE,
    LEASE_ENDS_WITH_USE,
    RESERVED_IS_FREE,
    EPOCH_BY_RUN_ALONE,
    ABSENT_IS_FRESH,
    /** The key that is used first after a loss says how long all wait, whatever their limits. */
    FENCE_OF_THE_FIRST_CALLER,
    /** A change has a name, and is carried out unless the last one had the same. */
    LAST_NAME_ONLY,
    /** A replica goes on with a record that does not name it. */
    UNNAMED_TAKES_OVER,
    /** Of the client. */
    CLOCK_TRUSTED,
    /**
     * Of the client: a replica that is listed, and was heard of lately, is believed to have all.
     */
    LAG_FOR_WAIT,
    /** Of the client: it waits for one replica of two. */
    WAIT_FOR_ONE,
    /** Of the client: what is confirmed on its next connection is believed. */
    WAIT_ON_ANOTHER_CONNECTION,
    /** A client that has just begun believes the store's clock. */
    BEGINNER_BELIEVES,
    /** Of the client: what a key is granted is not charged to the limit for all keys. */
    KEY_ALONE,
    /** A tag whose record is lost goes on in the epoch of the first one. */
    TAGS_SHARE_AN_EPOCH,
    /** Of the client: what a late reply grants may be used as if the call had been short. */
    LATE_REPLY_BELIEVED,
    /** A call for several keys grants to each what the one before it has. */
    KEY_BEFORE
  }

  /** A replica as its primary lists it. */
  record Listed(String name, boolean online, long lag) {
    boolean isThere() {
      return online && lag <= LONGEST_LAG;
    }
  }

  /**
   * What a client says of one key; the empty key stands for a limit without keys.
   *
   * @param offset by how much the client's wall clock is ahead; null if it does not know
   */
  record Entry(String key, String client, Request request, @Nullable Long offset) {}

  /** What is done to one key. */
  private record Served(State state, Request request, TwinCall call) {}

  /**
   * For how long clients stay away.
   *
   * @param call twice what a call takes
   * @param each the same of each client
   */
  record Pace(long call, long each) {

    /** As the scripts have it. */
    static final Pace USUAL = new Pace(600, 2);

    /** No gap, one and a half times, is longer than 15 s. */
    long gap(long clients) {
      return Math.min(clients * (call + each * clients), 10_000_000);
    }
  }

  /** A replica that must confirm is away. */
  static final class AwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AwayException(String name) {
      super("the replica " + name + " is unavailable", null, false, false);
    }
  }

  /** The server, and its wall clock. */
  String run = "a1";

  String replication = "b1";
  String earlier = "00";
  long evicted;
  long commands; // that it has carried out; as the number above, since its statistics were reset
  boolean evicts; // as it is set up
  long wall;

  /** What those who call say of it. */
  boolean durable;

  Mutant mutant = Mutant.NONE;
  Pace pace = Pace.USUAL;
  long asGoodAs = 1_000_000; // offsets of clocks that differ by no more are one

  /** Its replicas, by what clients it is called, and whether it has been a replica itself. */
  List<Listed> listed = List.of();

  long uptime = 1_000_000_000_000L; // for how long it has run

  String address = "";
  boolean wasReplica;

  @Nullable StoredLimit stored; // of the name that is looked at
  private String name = "";
  private final TreeMap<String, StoredLimit> others = new TreeMap<>(); // of its other names

  /** Keys of which the value is none of ours. */
  final TreeSet<String> unreadable = new TreeSet<>();

  // In the call that is carried out
  private boolean recordChanged;
  private long beganAt; // the clock at which all states are opened at least
  private long latest; // clock of a state

  /** Looks at another name. */
  StoreTwin at(String other) {
    if (!name.equals(other)) {
      if (stored != null) {
        others.put(name, stored);
      }
      stored = others.remove(other);
      name = other;
    }
    return this;
  }

  /** Returns what it stores of each name that it knows. */
  SortedMap<String, StoredLimit> records() {
    var records = new TreeMap<>(others);
    if (stored != null) {
      records.put(name, stored);
    }
    return records;
  }

  StoreTwin copy() {
    var copy = new StoreTwin();
    copy.run = run;
    copy.replication = replication;
    copy.earlier = earlier;
    copy.evicted = evicted;
    copy.commands = commands;
    copy.evicts = evicts;
    copy.wall = wall;
    copy.durable = durable;
    copy.mutant = mutant;
    copy.pace = pace;
    copy.asGoodAs = asGoodAs;
    copy.listed = listed;
    copy.uptime = uptime;
    copy.address = address;
    copy.wasReplica = wasReplica;
    copy.replicate(this);
    return copy;
  }

  /** All keys are gone: FLUSHALL, or a restart without a file. */
  void forget() {
    stored = null;
    others.clear();
    unreadable.clear();
  }

  /** The state of a key is gone, and the server counts that. */
  void evict(String key) {
    evicted++;
    unreadable.remove(key);
    if (stored != null) {
      stored.states.remove(key);
    }
  }

  /** Takes over what another server stores. */
  void replicate(StoreTwin other) {
    name = other.name;
    stored = other.stored == null ? null : other.stored.copy();
    unreadable.clear();
    unreadable.addAll(other.unreadable);
    others.clear();
    other.others.forEach((of, record) -> others.put(of, record.copy()));
  }

  // The scripts

  Reply acquire(String client, Request request, Terms terms, boolean fresh) {
    return acquire("", client, request, terms, fresh);
  }

  /** As a client calls for one key; the empty key stands for a limit without keys. */
  Reply acquire(String key, String client, Request request, Terms terms, boolean fresh) {
    return acquire(key, client, request, terms, fresh, null);
  }

  /** The same of a client that knows by how much its wall clock is ahead. */
  Reply acquire(
      String key,
      String client,
      Request request,
      Terms terms,
      boolean fresh,
      @Nullable Long offset) {
    return requireNonNull(
        acquire(List.of(new Entry(key, client, request, offset)), terms, fresh).get(0));
  }

  /**
   * One call of several entries: of several keys, or twice of one. Returns a reply to each; null of
   * a key that cannot be read.
   */
  List<@Nullable Reply> acquire(List<Entry> entries, Terms terms, boolean fresh) {
    StoredLimit other = others.get("");
    if (mutant == Mutant.TAGS_SHARE_AN_EPOCH && stored == null && other != null) {
      stored = other.copy();
      stored.states.clear();
    }
    String first = entries.get(0).key();
    List<Request> requests = entries.stream().map(Entry::request).toList();
    openIfConfirmed(first, requests, terms, fresh, durable);
    StoredLimit r = requireNonNull(stored);
    if (r.durable && !durable) {
      r.durable = false;
      recordChanged = true;
    }
    var served = new ArrayList<@Nullable Served>();
    String before = first;
    for (Entry entry : entries) {
      served.add(
          serve(r, entry, mutant == Mutant.KEY_BEFORE && !before.isEmpty() ? before : entry.key()));
      before = entry.key();
    }
    saveRecord(!first.isEmpty());
    boolean begins = requests.stream().anyMatch(request -> request.epoch().isEmpty());
    List<Long> offsets = begins ? List.copyOf(r.offsets) : List.of();
    var replies = new ArrayList<@Nullable Reply>();
    for (Served each : served) {
      replies.add(each == null ? null : reply(each, offsets));
    }
    return replies;
  }

  private Reply reply(Served served, List<Long> offsets) {
    TwinCall call = served.call;
    return header(served.state, served.request.revision(), call.pause, offsets, call.grants());
  }

  private @Nullable Served serve(StoredLimit r, Entry entry, String key) {
    if (unreadable.contains(key)) {
      return null;
    }
    State s = openState(key);
    Request request = entry.request;
    var call = new TwinCall(r, s, !key.isEmpty(), entry.client, request, mutant, pace);
    if (request.revision().equals(Long.toString(s.law.revision()))) {
      for (Report report : request.reports()) {
        call.report(report, request.epoch().equals(Long.toString(r.began)));
      }
      call.grant();
    }
    if (key.isEmpty()) {
      r.noteClient(entry.client, s);
    }
    saveState(key, s);
    noteOffset(r, request.epoch(), entry.offset);
    return new Served(s, request, call);
  }

  private void noteOffset(StoredLimit r, String epoch, @Nullable Long offset) {
    if (offset != null
        && epoch.equals(Long.toString(r.began))
        && r.offsets.stream().noneMatch(each -> Math.abs(each - offset) <= asGoodAs)) {
      r.offsets.add(offset);
      if (r.offsets.size() > MOST_OFFSETS) {
        r.offsets.remove(0);
      }
      recordChanged = true;
    }
  }

  /** Looks which limit is in force, and replaces it. */
  Reply set(String key, Terms until, Terms next) {
    Reply look = change(key, "", until, next);
    return change(key, look.revisionToReplace(isKey(key)), until, next);
  }

  Reply change(String key, String replaced, Terms until, Terms next) {
    openIfConfirmed(key, List.of(), until, false, null);
    StoredLimit r = requireNonNull(stored);
    State s = openState(key);
    if (mayChange(r, s, key, replaced, next)) {
      r.sequence = Math.max(r.sequence, s.clock) + 1;
      if (isKey(key)) {
        changeOfKey(r, s, next);
      } else {
        changeOfAll(r, s.clock, next);
      }
      follow(s, new Law(r.sequence, next));
      expire(s);
      recordChanged = true;
    }
    saveState(key, s);
    saveRecord(isKey(key));
    return header(s, "", 0, List.of(), List.of());
  }

  private static boolean isKey(String key) {
    return !key.isEmpty() && !key.equals(ALL_KEYS);
  }

  private boolean mayChange(StoredLimit r, State s, String key, String replaced, Terms next) {
    if (mutant == Mutant.LAST_NAME_ONLY && !replaced.isEmpty()) {
      String name = replaced + next.limit();
      String last = r.changed;
      r.changed = name;
      return !name.equals(last);
    }
    return replaced.equals(isKey(key) && !s.isOwn ? "0" : Long.toString(s.law.revision()));
  }

  private static void changeOfAll(StoredLimit r, long clock, Terms next) {
    r.before = r.longestFence(clock, next.fence());
    r.beforeUntil = clock + r.before;
    if (r.closed > clock) {
      r.closed += Math.max(0, next.fence() - r.law.terms().fence());
      r.emptied = Math.max(r.emptied, r.closed);
    }
    r.law = new Law(r.sequence, next);
  }

  private static void changeOfKey(StoredLimit r, State s, Terms next) {
    long closed = r.closedUntil(s);
    s.before = s.longestFence(s.clock, Math.max(s.law.terms().fence(), next.fence()));
    s.beforeUntil = s.clock + s.before;
    s.closed = s.clock < closed ? Math.max(closed, r.opened + next.fence()) : 0;
    s.isOwn = true;
    r.ownFence = Math.max(r.ownFence, next.fence());
  }

  /** What people do: {@code control.lua}. */
  Reply control(boolean keyed, String what, String value, String why) {
    StoredLimit known = requireNonNull(stored);
    String key = keyed ? ALL_KEYS : "";
    openRecord(key, List.of(), known.law.terms(), false, null);
    StoredLimit r = requireNonNull(stored);
    State s = openState(key);
    if (what.equals("unfence")) {
      if (keyed || r.closed > s.clock) {
        r.closed = s.clock;
        r.emptied = 0;
        r.unfenced = s.clock;
        fill(s);
      }
    } else if (what.equals("forget")) {
      r.replicas.remove(value);
    } else {
      r.paused = what.equals("pause") ? s.clock + Long.parseLong(value) : 0;
      r.why = what.equals("pause") ? why : "";
    }
    saveState(key, s);
    saveRecord(false);
    return header(s, "", 0, List.of(), List.of());
  }

  private static void fill(State s) {
    for (Count count : s.counts) {
      count.full = 0;
      count.part = 0;
    }
  }

  private Reply header(
      State s, String revision, long pause, List<Long> offsets, List<Grant> grants) {
    StoredLimit r = requireNonNull(stored);
    String current = Long.toString(s.law.revision());
    return new Reply(
        s.clock,
        Long.toString(r.began),
        current,
        revision.equals(current) ? "" : s.law.terms().limit().toString(),
        s.isOwn,
        Math.max(0, r.closedUntil(s) - s.clock),
        r.reason,
        Math.max(0, r.paused - s.clock),
        r.why,
        List.copyOf(r.replicas),
        pause,
        offsets,
        grants);
  }

  /**
   * Opens the record as all calls do.
   *
   * @throws AwayException if a replica is away that must confirm
   */
  private void openIfConfirmed(
      String key, List<Request> requests, Terms terms, boolean fresh, @Nullable Boolean stated) {
    StoredLimit before = stored == null || stored.replicas.isEmpty() ? null : stored.copy();
    openRecord(key, requests, terms, fresh, stated);
    String away = away();
    if (away == null) {
      return;
    } else if (!recordChanged) {
      stored = before; // nothing is written
    } else {
      if (key.isEmpty()) {
        saveState(key, openState(key));
      }
      saveRecord(isKey(key));
    }
    throw new AwayException(away);
  }

  private void openRecord(
      String key, List<Request> requests, Terms terms, boolean fresh, @Nullable Boolean stated) {
    String reason = doubt(!key.isEmpty(), requests, stated);
    boolean goesOn = asks() && hasAll(key);
    if (asks()) {
      takeOver(goesOn);
    }
    if (reason != null && !goesOn) {
      begin(reason, terms, fenceOf(key, terms), fresh && stored == null, stated);
    }
    StoredLimit r = requireNonNull(stored);
    recordChanged =
        reason != null
            || !r.replication.equals(replication)
            || !r.run.equals(run)
            || (!key.isEmpty() && commands < r.commands);
    r.replication = replication;
    r.run = run;
    beganAt = Math.max(r.clock, wall);
    latest = beganAt;
    noteReplicas(r);
  }

  private State openState(String key) {
    StoredLimit r = requireNonNull(stored);
    State known = r.states.get(key);
    State s = known != null && known.began == r.began ? known : renewed(r, known);
    if (s.isOwn && r.unfenced > 0 && s.closed > r.unfenced) {
      s.closed = r.unfenced;
      fill(s);
    }
    s.clock = Math.max(beganAt, s.clock);
    if (!s.isOwn && s.law.revision() != r.law.revision()) {
      follow(s, r.law);
    }
    expire(s);
    return s;
  }

  /** Returns whether it must know its address to go on. */
  boolean asks() {
    return stored != null
        && !stored.replicas.isEmpty()
        && (!stored.run.equals(run)
            || (!stored.replication.equals(replication) && !earlier.matches("0*")));
  }

  private boolean hasAll(String key) {
    StoredLimit r = requireNonNull(stored);
    return key.isEmpty()
        && earlier.equals(r.replication)
        && (mutant == Mutant.UNNAMED_TAKES_OVER || r.replicas.contains(address))
        && wall - r.clock < r.law.terms().fence()
        && uptime > Math.max(r.law.terms().fence(), r.before);
  }

  private void takeOver(boolean goesOn) {
    StoredLimit r = requireNonNull(stored);
    if (goesOn) {
      r.reason =
          r.closed > r.clock ? r.reason : "a replica took over that has all that was granted";
      r.goOn(wall);
      r.run = run;
      r.replication = replication;
      r.durable = false;
    }
    if (!r.replicas.remove(address) && wasReplica) {
      r.replicas.clear();
    }
  }

  private void noteReplicas(StoredLimit r) {
    if (r.law.terms().partition() == null) {
      for (Listed each : listed) {
        if (each.isThere() && r.replicas.add(each.name())) {
          recordChanged = true;
          r.durable = false;
        }
      }
    }
  }

  private @Nullable String away() {
    StoredLimit r = requireNonNull(stored);
    return r.replicas.stream()
        .filter(name -> listed.stream().noneMatch(l -> l.name().equals(name) && l.isThere()))
        .findFirst()
        .orElse(null);
  }

  private void saveState(String key, State s) {
    StoredLimit r = requireNonNull(stored);
    if (!key.equals(ALL_KEYS)) {
      r.states.put(key, s);
    }
    if (!key.isEmpty()) {
      r.states.values().removeIf(each -> !each.isOwn && restsAt(each) <= each.clock);
    }
    latest = Math.max(latest, s.clock);
  }

  private void saveRecord(boolean ofKeys) {
    StoredLimit r = requireNonNull(stored);
    if (!ofKeys || recordChanged || latest - r.clock >= WRITTEN_WITHIN) {
      r.clock = Math.max(r.clock, latest);
      r.evicted = evicted;
      r.commands = commands;
    }
  }

  static long restsAt(State s) {
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

  private @Nullable String doubt(boolean keyed, List<Request> requests, @Nullable Boolean stated) {
    if (stored == null) {
      return "the store does not know this name";
    } else if (!stored.run.equals(run) && !cameBack(stored, stated)) {
      return "the store was restarted, or another server took over";
    } else if (mutant != Mutant.EPOCH_BY_RUN_ALONE
        && stored.run.equals(run)
        && !stored.replication.equals(replication)) {
      if (!earlier.matches("0*")) {
        return "the store was promoted";
      } else if (wall - stored.clock >= ADOPTED_WITHIN) {
        return "the store has a new replication id";
      }
    }
    String eviction = keyed && stored.run.equals(run) ? eviction(stored) : null;
    if (eviction != null) {
      return eviction;
    }
    String epoch = Long.toString(stored.began);
    return requests.stream()
        .filter(each -> !each.distrust().isEmpty() && each.epoch().equals(epoch))
        .map(Request::distrust)
        .findFirst()
        .orElse(null);
  }

  private boolean cameBack(StoredLimit r, @Nullable Boolean stated) {
    return r.durable
        && !Boolean.FALSE.equals(stated)
        && r.replicas.isEmpty()
        && earlier.matches("0*");
  }

  private @Nullable String eviction(StoredLimit r) {
    boolean reset = commands < r.commands || evicted < r.evicted;
    if (evicted > (reset ? 0 : r.evicted)) {
      return EVICTED;
    }
    return reset && evicts ? UNCOUNTED : null;
  }

  private long fenceOf(String key, Terms terms) {
    State state = stored == null ? null : stored.states.get(key);
    return mutant == Mutant.FENCE_OF_THE_FIRST_CALLER && state != null
        ? state.law.terms().fence()
        : terms.fence();
  }

  private void begin(
      String reason, Terms terms, long callers, boolean fresh, @Nullable Boolean stated) {
    StoredLimit old = stored;
    long fence = old == null ? terms.fence() : old.longestFence(old.clock, callers);
    if (old != null && (reason.equals(EVICTED) || reason.equals(UNCOUNTED))) {
      fence = Math.max(fence, old.ownFence);
    }
    var r = old == null ? new StoredLimit(new Law(wall, terms)) : old;
    r.sequence = old == null ? wall : old.sequence;
    r.began = old == null ? wall : Math.max(wall, old.began + 1);
    boolean isSameRun = r.run.equals(run);
    r.run = run;
    r.replication = replication;
    r.durable = stated == null ? r.durable && isSameRun : stated;
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
    r.opened = wall;
    if (!reason.equals("the store's clock was set forward, or that of a process back")) {
      r.offsets.clear();
    }
    r.unfenced = 0;
    stored = r;
  }

  private State renewed(StoredLimit r, @Nullable State known) {
    if (known == null || !known.isOwn) {
      return fresh(r, r.law, r.emptied);
    }
    long fence = known.longestFence(known.clock, known.law.terms().fence());
    long closed = r.unfenced > 0 ? 0 : r.opened + fence;
    if (mutant == Mutant.FENCE_OF_THE_FIRST_CALLER) {
      closed = r.closed;
    }
    State s = fresh(r, known.law, closed);
    s.isOwn = true;
    s.closed = closed;
    s.before = fence;
    s.beforeUntil = closed;
    return s;
  }

  private static State fresh(StoredLimit r, Law law, long emptied) {
    var s = new State(law);
    s.began = r.began;
    for (Term term : law.terms().terms()) {
      var count = new Count();
      count.pour(term, term.capacity(), emptied);
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
    count.most = old.most;
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
