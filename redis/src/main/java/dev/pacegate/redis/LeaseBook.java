package dev.pacegate.redis;

import static dev.pacegate.limit.spi.Meter.AT_EVENT;
import static dev.pacegate.limit.spi.Meter.NEVER;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of the protocol: what it {@linkplain Holding has} of each term, and when it has
 * to call the store. Passive, without input or output; time is an argument. Not thread-safe: the
 * limiter's gate guards it.
 *
 * <p>Local instants are nanoseconds of the limiter's clock, any origin.
 */
final class LeaseBook {

  private static final long FIRST_RETRY = 20_000_000;
  private static final long LAST_RETRY = 500_000_000;

  private Terms terms;
  private final Holdings holdings;
  private @Nullable StoreClock clock;
  private String epoch = "";
  private String revision = "";
  private String limitInStore = "";
  private String revisionInStore = "";
  private String distrust = "";
  private long number; // of the request that is next, or under way
  private boolean underWay;
  private Cost firstWanted = Cost.none(); // by the request that is first in the queue
  private @Nullable Long comeBackAt; // when to ask again; null if at once
  private final Absence absence = new Absence();
  private @Nullable Long missingSince; // when units were first missing since the last request
  private @Nullable Long retryAt;
  private long retry = FIRST_RETRY;
  private @Nullable Long closedUntil;
  private @Nullable Long stoodAt; // the last standstill of this machine was before that
  private boolean retired;

  /**
   * What one client knows of the store's clock and limit, for the next client of the same process.
   */
  record Known(StoreClock clock, String epoch, String limit, String revision) {}

  LeaseBook(Terms terms) {
    this(terms, null);
  }

  LeaseBook(Terms terms, @Nullable Known known) {
    this.terms = terms;
    if (known != null) {
      clock = known.clock().copy();
      epoch = known.epoch();
      limitInStore = known.limit();
      revisionInStore = known.revision();
      revision = terms.limit().toString().equals(limitInStore) ? revisionInStore : "";
    }
    holdings = new Holdings(terms.terms());
  }

  Terms terms() {
    return terms;
  }

  /** Returns what it knows; null if that is nothing, or not to be relied upon. */
  @Nullable Known known() {
    if (clock == null || !distrust.isEmpty() || limitInStore.isEmpty()) {
      return null;
    }
    return new Known(clock.copy(), epoch, limitInStore, revisionInStore);
  }

  /** Goes on under another limit. A term follows the first of its kind. */
  void change(Terms next, long now) {
    holdings.change(next, now, clock);
    terms = next;
    revision = next.limit().toString().equals(limitInStore) ? revisionInStore : "";
    comeBackAt = null;
    absence.endQuiet();
    repeatAt(now);
  }

  // What the limiter asks and says

  /** Returns the wait for a cost as a meter does, from what has been granted. */
  long nanosUntil(long now, Cost cost) {
    if (isMore(cost)) {
      return NEVER;
    }
    if (holdings.cover(now, cost)) {
      return 0;
    }
    firstWanted = cost;
    Long instant = holdings.nextFrom(now);
    while (instant != null) {
      if (holdings.cover(instant, cost)) {
        return instant - now;
      }
      instant = holdings.nextFrom(instant);
    }
    return AT_EVENT;
  }

  /** Returns whether a cost is more than a term ever has. */
  boolean isMore(Cost cost) {
    for (Term term : terms.terms()) {
      if (term.measure().of(cost) > term.capacity()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether no term counts anything of a cost. */
  boolean isFree(Cost cost) {
    return terms.terms().stream().allMatch(term -> term.measure().of(cost) == 0);
  }

  /** Returns whether a unit of each term may be used now. */
  boolean hasUsable(long now) {
    return holdings.haveUsable(now);
  }

  /** Returns a lower bound of the wait for more than has been granted. */
  long closedFor(long now) {
    return closedUntil == null ? 0 : Math.max(0, closedUntil - now);
  }

  /** Records the start of a request. */
  void start(long startedAt, long now, Cost cost) {
    holdings.start(startedAt, now, cost, terms.use() * 1000, clock);
  }

  /** Charges a request again that starts only now to the terms that count starts. */
  void startsLate(long now, Cost cost) {
    holdings.startsLate(now, cost, terms.use() * 1000, clock);
  }

  /** Records how a request ended that was started at that instant. */
  void end(long startedAt, long now, Cost cost, Outcome outcome) {
    holdings.end(startedAt, now, cost, outcome, clock);
  }

  /** Records that a request cost something else than it was charged. */
  void settle(long startedAt, long now, Cost charged, Cost actual) {
    holdings.settle(startedAt, now, charged, actual, terms.use() * 1000, clock);
  }

  /** Records when a request was sent, which names it from now on. */
  void sent(long startedAt, long now, Cost cost) {
    holdings.sent(startedAt, now, cost);
  }

  /** Records an open request that began under another limit. */
  void adopt(long startedAt, long now, Cost cost) {
    holdings.adopt(startedAt, now, cost, clock);
  }

  // What the store is asked and says

  /**
   * Returns what to ask the store now; null if nothing. The request is then under way until {@link
   * #replied} or {@link #failed}.
   *
   * @param wanted the cost of the requests that wait
   */
  @Nullable Request request(long now, Cost wanted) {
    noteMissing(now, wanted);
    Long due = dueAt(now, wanted);
    if (due == null || due - now > 0) {
      return null;
    }
    underWay = true;
    missingSince = null;
    var reports = new ArrayList<Report>();
    holdings.forEach(holding -> holding.report(now, reports));
    boolean mayAsk = isSharp() && distrust.isEmpty() && !retired;
    var demands = new ArrayList<Request.Demand>(holdings.size());
    for (Holding holding : holdings) {
      demands.add(mayAsk ? demand(holding, now, wanted) : NOTHING);
    }
    return new Request(
        number, List.copyOf(demands), epoch, distrust, revision, List.copyOf(reports));
  }

  private static final Request.Demand NOTHING = new Request.Demand(0, 0, 0);

  private Request.Demand demand(Holding holding, long now, Cost wanted) {
    Term term = holding.term();
    long capacity = term.capacity();
    long want = Math.min(holding.missing(now, term.measure().of(wanted)), capacity);
    long first = Math.min(term.measure().of(firstWanted), capacity);
    long least = Math.min(want, Math.max(0, first - holding.inHand(now)));
    long spare =
        term.isReused() ? 0 : holding.recently(now, terms.use() * 1000, absence.isInCrowd());
    return new Request.Demand(want, least, Math.min(spare, capacity));
  }

  /** Returns when the store must be called next, now at the earliest; null if not by time alone. */
  @Nullable Long dueAt(long now, Cost wanted) {
    if (underWay) {
      return null;
    }
    Long due = wantedAt(now, wanted);
    boolean atOnce = !distrust.isEmpty() || retryAt != null;
    for (Holding holding : holdings) {
      due = earlier(due, holding.reportAt(terms, absence.quietUntil()));
      atOnce |= holding.hasUnacknowledged();
      atOnce |= retired && holding.hasEnded(terms); // no later call would tell it
    }
    // A call that failed is repeated though no request waits: those that are refused meanwhile wait
    // for what it says, and it may have been carried out.
    if (atOnce) {
      due = now;
    }
    return due == null || retryAt == null ? due : Long.valueOf(later(due, retryAt));
  }

  /** Returns when the store must be told what is open, though a request is under way; or null. */
  @Nullable Long openAt() {
    Long at = null;
    for (Holding holding : holdings) {
      at = earlier(at, holding.openAt());
    }
    return at;
  }

  // A store that is not known yet is called though nothing is wanted. So a fence begins early: that
  // of a limit for all keys begins together with that of the keys.
  private @Nullable Long wantedAt(long now, Cost wanted) {
    if (clock == null && !retired) {
      return now;
    }
    if (!holdings.lack(now, wanted)) {
      return null;
    }
    if (comeBackAt == null || now - comeBackAt > 2 * terms.horizon() * 1000) { // of long ago
      return now;
    }
    return missingSince == null ? comeBackAt : later(comeBackAt, missingSince + gather());
  }

  // Where units are reserved ahead of time, a short pause loses none and gathers what to ask for.
  private void noteMissing(long now, Cost wanted) {
    if (!holdings.lack(now, wanted)) {
      missingSince = null;
    } else if (missingSince == null) {
      missingSince = now;
    }
  }

  private long gather() {
    return terms.horizon() * 1000 / 4;
  }

  /**
   * This machine stood still for some nanoseconds, which its clock does not count. What was leased
   * may be over, and so may what a call that is under way brings.
   */
  void stoodStill(long now, long nanos) {
    stoodAt = now;
    comeBackAt = null;
    absence.endQuiet();
    holdings.forEach(holding -> holding.stoodStill(now));
    if (clock != null) {
      clock.stoodStill(Math.min(nanos, terms.fence() * 1000));
    }
  }

  /**
   * Takes an answer as {@link #replied(Request, long, long, Reply, String)} does, without doubt.
   */
  void replied(Request request, long sent, long received, Reply reply) {
    replied(request, sent, received, reply, null);
  }

  /**
   * Takes the answer to a request, which may be an earlier attempt of the one under way.
   *
   * @param sent when it was sent, a local instant
   * @param received when the reply came
   * @param beginner why a client that has just begun does not believe the store's clock; null if it
   *     does
   */
  void replied(Request request, long sent, long received, Reply reply, @Nullable String beginner) {
    if (request.number() != number) {
      return;
    }
    if (stoodAt != null && sent - stoodAt < 0) {
      failed(request, received); // none can say when it was carried out
      return;
    }
    number++;
    underWay = false;
    retryAt = null;
    retry = FIRST_RETRY;
    if (reply.limit().isEmpty()) {
      holdings.forEach(holding -> holding.acknowledge(request.reports()));
    } else {
      limitInStore = reply.limit();
      revisionInStore = reply.revision();
      change(terms, received);
      retryAt = revision.isEmpty() ? Long.valueOf(received + LAST_RETRY) : null;
    }
    boolean isOfThisLimit = request.revision().equals(revision); // else it has been changed
    boolean believed = follow(reply, sent, received, beginner);
    int index = reply.grants().size();
    for (Reply.Grant grant : isOfThisLimit ? reply.grants() : List.<Reply.Grant>of()) {
      add(request.number() + "." + --index, grant, believed, sent, received);
    }
    closedUntil =
        clock == null || reply.shutFor() == 0
            ? null
            : Long.valueOf(clock.notBefore(reply.clock() + reply.shutFor()));
    long use = terms.use() * 1000;
    comeBackAt = absence.after(request, reply, comeBackAt, received, received - sent, use);
    if (retired) {
      giveUp();
    }
  }

  /** Returns whether what this reply grants may be used. */
  private boolean follow(Reply reply, long sent, long received, @Nullable String beginner) {
    if (clock != null && clock.isOf(reply)) {
      boolean sharp = isSharp();
      String doubt = clock.follow(reply, sent, received, terms.fence());
      distrust = doubt == null ? "" : doubt;
      return doubt == null && sharp;
    }
    String doubt = beginner;
    if (clock != null) {
      doubt = clock.judgeNext(reply, received);
      holdings.forEach(Holding::forgotten);
    }
    distrust = doubt == null ? "" : doubt;
    epoch = reply.epoch();
    clock = StoreClock.of(reply, sent, received);
    return false;
  }

  /** Returns whether the store has not answered yet, so that its clock is not known. */
  boolean isBeginner() {
    return clock == null;
  }

  /** Returns whether a request has not been answered yet, and has not failed. */
  boolean isUnderWay(Request request) {
    return underWay && request.number() == number;
  }

  /** Returns whether the store has answered in so short a time that its clock can be judged. */
  boolean isSharp() {
    return clock != null && clock.isSharp(terms.use() * 1000);
  }

  private void add(String name, Reply.Grant grant, boolean usable, long sent, long received) {
    if (clock == null) {
      return;
    }
    long from = usable ? clock.by(grant.from()) : received;
    long until = usable ? clock.notBefore(grant.until()) : received;
    for (int i = 0; i < holdings.size(); i++) {
      long units = grant.units().get(i);
      if (units > 0) {
        holdings.get(i).add(new Lease(name, units, from, until, sent));
      }
    }
  }

  /**
   * The request was not answered: it is repeated after a while. Returns false if it was answered
   * meanwhile.
   */
  boolean failed(Request request, long now) {
    if (!isUnderWay(request)) {
      return false;
    }
    underWay = false;
    retryAt = now + retry;
    retry = Math.min(2 * retry, LAST_RETRY);
    return true;
  }

  // A call that failed remains to be repeated: what is refused meanwhile waits for what it says.
  private void repeatAt(long now) {
    if (retryAt != null) {
      retryAt = now;
    }
  }

  /** Gives up what is unused, and what is yet to be granted. */
  void retire() {
    retired = true;
    giveUp();
  }

  private void giveUp() {
    holdings.forEach(Holding::giveUp);
  }

  boolean hasOpen() {
    return holdings.haveOpen();
  }

  static @Nullable Long earlier(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a - b <= 0 ? a : b;
  }

  static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
