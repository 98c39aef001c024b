package dev.pacegate.redis;

import org.jspecify.annotations.Nullable;

/**
 * Units that the store has granted to this client, to be used from one local instant to another.
 * Each is unused, open (its request is under way), or ended and yet to be reported.
 */
final class Lease {

  final String name;
  final long from;
  private long until;
  long unused;
  long open;
  private long ended;
  private long endedAt; // the latest, in microseconds of the store's clock
  private long left; // that the store knows to be unused or open, or ended and not yet reported
  private long endsSince; // local: when the first of those ended
  private long endsUntil; // local: when the last of those ended
  private long told; // local: when the store last heard that this lease is in use
  private boolean known = true; // to the store

  Lease(String name, long units, long from, long until, long told) {
    this.name = name;
    this.from = from;
    this.until = until;
    this.unused = units;
    this.left = units;
    this.told = told;
  }

  /** Returns a lease for units that were used without one; the store does not know it. */
  static Lease withoutGrant(String name, long now) {
    var lease = new Lease(name, 0, now, now, now);
    lease.known = false;
    return lease;
  }

  boolean isUsable(long now) {
    return unused > 0 && from - now <= 0 && until - now > 0;
  }

  boolean isExpired(long now) {
    return until - now <= 0;
  }

  /** Takes units that the store must be told of. */
  void add(long units) {
    open += units;
    left += units;
  }

  void start(long units) {
    unused -= units;
    open += units;
  }

  void notSent(long units) {
    open -= units;
    unused += units;
  }

  void end(long units, long now, long instant) {
    if (ended == 0) {
      endsSince = now;
      endedAt = instant;
    }
    endsUntil = now;
    open -= units;
    ended += units;
    endedAt = Math.max(endedAt, instant);
  }

  /**
   * Returns the local instant from which it is worth a call to report what ended, or is unused;
   * null if there is none.
   *
   * @param flush how long an end may remain untold; null if it is not worth a call
   */
  @Nullable Long reportAt(@Nullable Long flush) {
    Long at = known && ended > 0 && flush != null ? Long.valueOf(endsSince + flush) : null;
    return known && unused > 0 ? LeaseBook.earlier(at, until) : at;
  }

  /**
   * Returns when the store must be told, as it takes a lease of which it hears nothing to be over:
   * what is open; or what ended later than the time for which that covers a request. Null if it
   * need not be told.
   *
   * @param heartbeat a quarter of the time after which the store takes it to be over
   * @param covered how long after it was told last an end may be
   */
  @Nullable Long openAt(long heartbeat, long covered) {
    if (!known) {
      return told;
    } else if (open > 0) {
      return told + heartbeat;
    }
    return ended > 0 && endsUntil - told > covered ? Long.valueOf(told + 3 * heartbeat) : null;
  }

  /** It is over. What is open or ended may be over for the store too, which is told of it anew. */
  void stoodStill(long now) {
    until = isExpired(now) ? until : now;
    known = open == 0 && ended == 0;
  }

  /** Tells a store that does not know this lease what is in use; null if it does. */
  @Nullable Report reportAnew(int term, long now) {
    if (known) {
      return null;
    }
    known = true;
    told = now;
    return new Report(term, name, left, Report.Kind.ANEW, 0);
  }

  boolean hasEnded() {
    return ended > 0;
  }

  /** Returns what ended since the last report; null if nothing did. */
  @Nullable Report reportEnded(int term) {
    if (ended == 0) {
      return null;
    }
    left -= ended;
    ended = 0;
    return new Report(term, name, left, Report.Kind.ENDED, endedAt);
  }

  /** Gives up what is unused; null if nothing is. */
  @Nullable Report reportUnused(int term) {
    if (unused == 0) {
      return null;
    }
    left -= unused;
    unused = 0;
    return new Report(term, name, left, Report.Kind.UNUSED, 0);
  }

  /**
   * Says that requests are still under way; null if there are none, or it need not be said.
   *
   * @param again whether it was said before, perhaps in vain
   */
  @Nullable Report reportOpen(int term, long now, long heartbeat, boolean again) {
    if (open == 0 || (!again && told + heartbeat - now > 0)) {
      return null;
    }
    told = now;
    return new Report(term, name, left, Report.Kind.OPEN, 0);
  }

  /** The store has forgotten all leases: it must be told what is open, the rest is given up. */
  void forgotten() {
    unused = 0;
    ended = 0;
    left = open;
    known = false;
  }

  boolean isOver() {
    return left == 0;
  }
}
