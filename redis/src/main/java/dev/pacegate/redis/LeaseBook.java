package dev.pacegate.redis;

import static dev.pacegate.limit.spi.Meter.AT_EVENT;
import static dev.pacegate.limit.spi.Meter.NEVER;

import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of the protocol: which units it may use and when, which are in use, what it has
 * to report, and when it has to call the store. Passive, without input or output; time is an
 * argument. Not thread-safe: the limiter's gate guards it.
 *
 * <p>Local instants are nanoseconds of the limiter's clock, any origin.
 */
final class LeaseBook {

  private static final long FIRST_RETRY = 20_000_000;
  private static final long LAST_RETRY = 500_000_000;

  private Terms terms;
  private final List<Lease> leases =
      new ArrayList<>(); // by the instant from which they may be used
  private final TreeMap<Long, List<Draw>> open = new TreeMap<>((a, b) -> Long.signum(a - b));
  private final List<Report> unacknowledged = new ArrayList<>();
  private final RecentUse recent = new RecentUse();
  private @Nullable StoreClock clock;
  private String epoch = "";
  private String revision = "";
  private String limitInStore = "";
  private String revisionInStore = "";
  private String distrust = "";
  private long number; // of the request that is next, or under way
  private boolean underWay;
  private long firstWanted; // by the request that is first in the queue
  private @Nullable Long comeBackAt; // when to ask again; null if at once
  private @Nullable Long missingSince; // when units were first missing since the last request
  private @Nullable Long retryAt;
  private long retry = FIRST_RETRY;
  private @Nullable Long closedUntil;
  private boolean retired;
  private long unleased; // how many leases were made for units without a grant

  /** Units of a lease that were started at one instant. */
  static final class Draw {
    final Lease lease;
    long units;

    Draw(Lease lease, long units) {
      this.lease = lease;
      this.units = units;
    }
  }

  LeaseBook(Terms terms) {
    this.terms = terms;
  }

  Terms terms() {
    return terms;
  }

  /** Goes on under another limit. */
  void change(Terms next, long now) {
    terms = next;
    if (!next.tracks()) {
      endAll(now);
    }
    if (next.limit().toString().equals(limitInStore)) {
      revision = revisionInStore;
    }
    comeBackAt = null;
  }

  // What the limiter asks and says

  /** Returns the wait for units as a meter does, from what has been granted. */
  long nanosUntil(long now, long units) {
    if (units == 0) {
      return 0;
    }
    if (units > terms.permits()) {
      return NEVER;
    }
    if (usableAt(now) >= units) {
      return 0;
    }
    firstWanted = units;
    for (Lease lease : leases) {
      if (lease.from - now > 0 && usableAt(lease.from) >= units) {
        return lease.from - now;
      }
    }
    return AT_EVENT;
  }

  private long usableAt(long instant) {
    long units = 0;
    for (Lease lease : leases) {
      units += lease.isUsable(instant) ? lease.unused : 0;
    }
    return units;
  }

  /** Returns a lower bound of the wait for more than has been granted. */
  long closedFor(long now) {
    return closedUntil == null ? 0 : Math.max(0, closedUntil - now);
  }

  /** Records the start of a request; what no lease covers, the store is told. */
  void start(long startedAt, long now, long units) {
    recent.add(now, units, terms.use() * 1000);
    long missing = units;
    for (Lease lease : leases) {
      if (missing > 0 && lease.isUsable(now)) {
        long part = Math.min(missing, lease.unused);
        lease.start(part);
        draw(lease, startedAt, now, part);
        missing -= part;
      }
    }
    if (missing > 0) {
      Lease lease = Lease.withoutGrant("o" + unleased++, now);
      lease.add(missing);
      leases.add(lease);
      draw(lease, startedAt, now, missing);
    }
  }

  private void draw(Lease lease, long startedAt, long now, long units) {
    if (terms.tracks()) {
      name(lease, startedAt, units);
    } else {
      lease.end(units, now, atMost(now));
    }
  }

  private void name(Lease lease, long startedAt, long units) {
    open.computeIfAbsent(startedAt, at -> new ArrayList<>(1)).add(new Draw(lease, units));
  }

  /** Records how units ended that were started at that instant. */
  void end(long startedAt, long now, long units, Outcome outcome) {
    take(startedAt, units, (lease, part) -> end(lease, startedAt, now, part, outcome));
  }

  /** Records when a request was sent, which names it from now on. */
  void sent(long startedAt, long now, long units) {
    if (startedAt != now) {
      take(startedAt, units, (lease, part) -> name(lease, now, part));
    }
  }

  private void take(long startedAt, long units, ObjLongConsumer<Lease> then) {
    List<Draw> draws = open.get(startedAt);
    if (draws == null) {
      return;
    }
    long rest = units;
    for (Draw draw : draws) {
      long part = Math.min(rest, draw.units);
      draw.units -= part;
      rest -= part;
      if (part > 0) {
        then.accept(draw.lease, part);
      }
    }
    draws.removeIf(draw -> draw.units == 0);
    if (draws.isEmpty()) {
      open.remove(startedAt);
    }
  }

  // A limit of starts is told no ends.
  private void endAll(long now) {
    open.values().forEach(draws -> draws.forEach(d -> d.lease.end(d.units, now, atMost(now))));
    open.clear();
  }

  private void end(Lease lease, long startedAt, long now, long units, Outcome outcome) {
    switch (outcome) {
      case NOT_SENT -> lease.notSent(units);
      case ANSWERED -> lease.end(units, now, atMost(now));
      case LOST -> lease.end(units, now, atMost(later(now, startedAt + terms.unanswered() * 1000)));
    }
  }

  private long atMost(long local) {
    return clock == null ? 0 : clock.atMost(local);
  }

  // What the store is asked and says

  /**
   * Returns what to ask the store now; null if nothing. The request is then under way until {@link
   * #replied} or {@link #failed}.
   *
   * @param wanted the units for which requests wait
   */
  @Nullable Request request(long now, long wanted) {
    noteMissing(now, wanted);
    Long due = dueAt(now, wanted);
    if (due == null || due - now > 0) {
      return null;
    }
    underWay = true;
    missingSince = null;
    report(now);
    boolean mayAsk = isSharp() && distrust.isEmpty() && !retired;
    long want = mayAsk ? Math.min(missing(now, wanted), terms.permits()) : 0;
    long least = Math.min(want, Math.max(1, Math.min(firstWanted, terms.permits()) - inHand(now)));
    return new Request(
        number,
        want,
        least,
        mayAsk ? Math.min(recent.units(now, terms.use() * 1000), terms.permits()) : 0,
        epoch,
        distrust,
        revision,
        List.copyOf(unacknowledged));
  }

  /** Returns when the store must be called next, now at the earliest; null if not by time alone. */
  @Nullable Long dueAt(long now, long wanted) {
    if (underWay) {
      return null;
    }
    Long due = wantedAt(now, wanted);
    for (Lease lease : leases) {
      due = earlier(due, lease.reportAt(flush(), heartbeat()));
    }
    // A call that failed is repeated though no request waits: those that are refused meanwhile wait
    // for what it says, and it may have been carried out.
    if (!unacknowledged.isEmpty() || !distrust.isEmpty() || retryAt != null) {
      due = now;
    }
    return due == null || retryAt == null ? due : Long.valueOf(later(due, retryAt));
  }

  private @Nullable Long wantedAt(long now, long wanted) {
    if (missing(now, wanted) == 0) {
      return null;
    }
    if (comeBackAt == null || now - comeBackAt > 2 * terms.horizon() * 1000) { // of long ago
      return now;
    }
    return missingSince == null ? comeBackAt : later(comeBackAt, missingSince + gather());
  }

  // Where units are reserved ahead of time, a short pause loses none and gathers what to ask for.
  private void noteMissing(long now, long wanted) {
    if (missing(now, wanted) == 0) {
      missingSince = null;
    } else if (missingSince == null) {
      missingSince = now;
    }
  }

  private long gather() {
    return terms.horizon() * 1000 / 4;
  }

  private long missing(long now, long wanted) {
    return Math.max(0, wanted - inHand(now));
  }

  /** Returns the units that may be used now or later. */
  private long inHand(long now) {
    long units = 0;
    for (Lease lease : leases) {
      units += lease.isExpired(now) ? 0 : lease.unused;
    }
    return units;
  }

  private void report(long now) {
    Set<String> saidOpen = takeBackOpen();
    for (Lease lease : leases) {
      note(lease.reportAnew(now));
      note(lease.reportEnded());
      if (lease.isExpired(now)) {
        note(lease.reportUnused());
      }
      note(lease.reportOpen(now, heartbeat(), saidOpen.contains(lease.name)));
    }
    leases.removeIf(Lease::isOver);
  }

  // What is not open any more must not be called open again in a request that is repeated.
  private Set<String> takeBackOpen() {
    var names = new HashSet<String>();
    for (Report report : unacknowledged) {
      if (report.kind() == Report.Kind.OPEN) {
        names.add(report.lease());
      }
    }
    unacknowledged.removeIf(report -> report.kind() == Report.Kind.OPEN);
    return names;
  }

  private void note(@Nullable Report report) {
    if (report != null) {
      unacknowledged.add(report);
    }
  }

  /**
   * Takes the answer to a request, which may be an earlier attempt of the one under way.
   *
   * @param sent when it was sent, a local instant
   * @param received when the reply came
   */
  void replied(Request request, long sent, long received, Reply reply) {
    if (request.number() != number) {
      return;
    }
    number++;
    underWay = false;
    retryAt = null;
    retry = FIRST_RETRY;
    unacknowledged.removeAll(request.reports());
    if (!reply.limit().isEmpty()) {
      limitInStore = reply.limit();
      revisionInStore = reply.revision();
      change(terms, received);
    }
    boolean believed = follow(reply, sent, received);
    int index = reply.grants().size();
    for (Reply.Grant grant : reply.grants()) {
      add(request.number() + "." + --index, grant, believed, sent, received);
    }
    closedUntil =
        clock == null || reply.closedFor() == 0
            ? null
            : Long.valueOf(clock.notBefore(reply.clock() + reply.closedFor()));
    comeBackAt = comeBackAt(reply, received);
    if (retired) {
      giveUp();
    }
  }

  // Who was granted units that are free only later would be granted no earlier ones now. A pause of
  // a part of that time loses none of them, and gathers what is to be asked and reported.
  private static @Nullable Long comeBackAt(Reply reply, long received) {
    long pause = reply.comeBackIn();
    if (pause == 0 && !reply.grants().isEmpty()) {
      long last = reply.grants().get(reply.grants().size() - 1).from();
      pause = Math.max(0, last - reply.clock()) / 4 * 3;
    }
    return pause == 0 ? null : Long.valueOf(received + pause * 1000);
  }

  /** Returns whether what this reply grants may be used. */
  private boolean follow(Reply reply, long sent, long received) {
    if (clock != null && clock.isOf(reply)) {
      boolean sharp = isSharp();
      String doubt = clock.follow(reply, sent, received, terms.fence());
      distrust = doubt == null ? "" : doubt;
      return doubt == null && sharp;
    }
    String doubt = null;
    if (clock != null) {
      doubt = clock.judgeNext(reply, received);
      leases.forEach(Lease::forgotten);
      leases.removeIf(Lease::isOver);
      unacknowledged.clear();
    }
    distrust = doubt == null ? "" : doubt;
    epoch = reply.epoch();
    clock = StoreClock.of(reply, sent, received);
    return false;
  }

  /** Returns whether the store has answered in so short a time that its clock can be judged. */
  boolean isSharp() {
    return clock != null && clock.isSharp(terms.use() * 1000);
  }

  private void add(String name, Reply.Grant grant, boolean usable, long sent, long received) {
    if (clock == null) {
      return;
    }
    StoreClock now = clock;
    long from = usable ? now.by(grant.from()) : received;
    long until = usable ? now.notBefore(grant.until()) : received;
    int place = leases.size();
    while (place > 0 && leases.get(place - 1).from - from > 0) {
      place--;
    }
    leases.add(place, new Lease(name, grant.units(), from, until, sent));
  }

  /** The request was not answered: it is repeated after a while. */
  void failed(Request request, long now) {
    if (request.number() != number || !underWay) {
      return;
    }
    underWay = false;
    retryAt = now + retry;
    retry = Math.min(2 * retry, LAST_RETRY);
  }

  /** Gives up what is unused, and what is yet to be granted. */
  void retire() {
    retired = true;
    giveUp();
  }

  private void giveUp() {
    for (Lease lease : leases) {
      note(lease.reportUnused());
    }
    leases.removeIf(Lease::isOver);
  }

  boolean hasOpen() {
    return !open.isEmpty();
  }

  private long flush() {
    return (terms.interval() - terms.horizon()) * 1000 / 8 * 7;
  }

  private long heartbeat() {
    return (terms.interval() + terms.unanswered()) * 1000 / 4;
  }

  static @Nullable Long earlier(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a - b <= 0 ? a : b;
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
