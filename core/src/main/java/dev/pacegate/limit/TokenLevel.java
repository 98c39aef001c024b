package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;

/**
 * The fill level of a bucket, stored exactly as the time that its rate takes to fill what it lacks.
 *
 * <p>Negative down to the slack if the bucket has been full for a moment: lateness that the next
 * release makes up for. Shared by buckets of starts and buckets as the peer counts.
 */
final class TokenLevel {

  private static final EmissionInterval ONE_PER_NANO = new EmissionInterval(new Rate(1, 1));

  private final EmissionInterval emission;
  private final long burst;
  private final long debt;
  private final long slack;
  private final long oneWhole;
  private final long oneRest;
  private final long roomForOne;
  private final long roomForOneRest;
  private long at; // the instant of the fields below
  private long lack;
  private long rest; // parts of a nanosecond beside
  private long mostLack;

  /**
   * @param burst how much it holds
   * @param debt by how much more it may be overdrawn
   * @param slack how much lateness is made up for
   */
  TokenLevel(Rate rate, long burst, long debt, long slack, long now) {
    this.emission = new EmissionInterval(rate);
    this.burst = burst;
    this.debt = debt;
    this.slack = slack;
    fill(now);
    this.oneWhole = emission.whole(1);
    this.oneRest = emission.rest(1);
    this.roomForOne = emission.whole(Math.max(0, burst - 1));
    this.roomForOneRest = emission.rest(Math.max(0, burst - 1));
  }

  EmissionInterval emission() {
    return emission;
  }

  /** Returns the wait until the bucket holds {@code cost}, which must not exceed the burst. */
  long untilHolds(long now, long cost) {
    long lackNow = lackAt(now);
    long room = cost == 1 ? roomForOne : emission.whole(burst - cost);
    if (lackNow < room) {
      return 0;
    }
    long roomRest = cost == 1 ? roomForOneRest : emission.rest(burst - cost);
    return Nanos.capped(lackNow - room + (restAt(now) > roomRest ? 1 : 0));
  }

  /**
   * Returns the wait until the bucket holds {@code cost}, from an instant at which it lacks the
   * time of {@code lacking} and {@code extra} nanoseconds.
   */
  long untilHoldsAfter(long lacking, long extra, long cost) {
    long lackThen = Nanos.add(emission.whole(lacking), extra);
    long more = emission.rest(lacking) > emission.rest(burst - cost) ? 1 : 0;
    return Math.max(0, lackThen - emission.whole(burst - cost) + more);
  }

  /**
   * Returns the wait until the bucket is full and has refilled {@code cost} more; at least 0.
   *
   * @param delay by how much that {@linkplain #delay delays} it
   */
  long untilMadeGood(long now, long cost, long delay) {
    long rests = restAt(now) + emission.rest(cost);
    long carry = rests == 0 ? 0 : rests <= emission.parts() ? 1 : 2;
    long price = Nanos.capped(Nanos.add(emission.whole(cost) + carry, delay));
    long lackNow = lackAt(now);
    return lackNow < 0 ? Math.max(0, lackNow + price) : Nanos.capped(Nanos.add(lackNow, price));
  }

  /** Returns the wait until the bucket is full. */
  long untilFull(long now) {
    return Nanos.capped(Math.max(0, lackUp(now)));
  }

  /** Returns the wait until the bucket is full and has its slack. */
  long untilAtRest(long now) {
    return Nanos.capped(Nanos.add(lackUp(now) + slack, 0));
  }

  /** Returns what the bucket lacks, rounded up; negative while it has slack. */
  long lackUp(long now) {
    return lackAt(now) + (restAt(now) > 0 ? 1 : 0);
  }

  /** Returns for how long the bucket has been full. */
  long fullFor(long now) {
    long ceil = lack + (rest > 0 ? 1 : 0);
    return Math.max(0, Nanos.since(at, now) - Math.max(0, ceil));
  }

  /** Takes {@code cost} out, less {@code credit} nanoseconds. */
  void take(long now, long cost, long credit) {
    advance(now);
    charge(cost == 1 ? oneWhole : emission.whole(cost), cost == 1 ? oneRest : emission.rest(cost));
    lack -= credit;
    mostLack = Math.max(mostLack, lack);
  }

  /** Makes the bucket lack {@code nanos} more. */
  void delay(long nanos) {
    lack = lack < 0 ? lack + nanos : Nanos.capped(Nanos.add(lack, nanos));
  }

  /** Puts {@code cost} back in, less what has been refilled in {@code nanos}. */
  void giveBack(long now, long cost, long nanos) {
    long refilled = emission.convert(nanos, 0, ONE_PER_NANO); // rounded up
    giveBack(now, Math.max(0, cost - refilled));
  }

  /** Puts {@code cost} back in, unless it is so much that taking it cannot have been exact. */
  void giveBack(long now, long cost) {
    advance(now);
    if (emission.whole(cost) >= Meter.LONGEST / 2) {
      return;
    }
    lack -= emission.whole(cost);
    rest -= emission.rest(cost);
    if (rest < 0) {
      rest += emission.parts();
      lack--;
    }
    if (lack < -slack) {
      fill(at);
    }
  }

  /**
   * Makes the bucket lack the time of {@code cost} and {@code extra} nanoseconds, if it lacks less.
   */
  void lackAtLeast(long now, long cost, long extra) {
    advance(now);
    long least = Nanos.capped(Nanos.add(emission.whole(cost), extra));
    long leastRest = emission.rest(cost);
    if (lack < least || (lack == least && rest < leastRest)) {
      lack = least;
      rest = leastRest;
    }
  }

  /** Makes it full as of {@code instant}, without slack saved up by then. */
  void fullSince(long instant) {
    at = instant;
    lack = 0;
    rest = 0;
  }

  /** Makes it full, whatever it lacked. */
  void fill(long now) {
    at = now;
    lack = -slack;
    rest = 0;
  }

  /**
   * Takes over the tokens of {@code old} as far as there is room, and its debt at its price. If
   * this bucket refills faster, it starts short of what the old one could hold beyond it; otherwise
   * the old burst would be followed by the new rate, more than either allows. For the same reason,
   * if it refills more slowly, it starts short of what it may be overdrawn more.
   */
  void succeed(long now, TokenLevel old) {
    old.advance(now);
    fill(now);
    if (isLike(old)) {
      lack = old.lack;
      rest = old.rest;
      return;
    }
    long lacks = Nanos.capped(Nanos.add(old.heldLess(emission), old.owed()));
    lack = Math.max(-slack, lacksAfter(lacks, old));
  }

  /** Returns what this one lacks at the start if {@code old} lacked {@code lacks}. */
  private long lacksAfter(long lacks, TokenLevel old) {
    long larger = roomBeyond(old);
    long higher = Math.max(0, debt - old.debt);
    boolean slower = old.emission.isFasterThan(emission);
    if (emission.isFasterThan(old.emission) || (higher > 0 && !slower)) {
      return Nanos.capped(Nanos.add(lacks, Math.max(0, larger)));
    }
    long least = lacks + Math.min(0, larger);
    long more = Nanos.add(emission.ceil(higher), Math.max(0, larger));
    // Never made more than it can be, so that changes to and fro do not add up.
    long most = Math.max(least, emission.whole(burst + debt));
    return Math.min(most, least + Math.min(more, Long.MAX_VALUE - Math.max(0, least)));
  }

  boolean isLike(TokenLevel old) {
    return burst == old.burst
        && debt == old.debt
        && slack == old.slack
        && emission.isLike(old.emission);
  }

  /** Returns what it lacks without its debt, slack included, in time of {@code other}. */
  private long heldLess(EmissionInterval other) {
    return owed() > 0
        ? emission.convert(emission.whole(burst) + slack, emission.rest(burst), other)
        : emission.convert(lack + slack, rest, other);
  }

  /** Returns the time that its debt takes. */
  private long owed() {
    long carry = rest > emission.rest(burst) ? 1 : 0;
    return Math.max(0, lack - emission.whole(burst) + carry);
  }

  /** Returns by how much more this one can hold than {@code old}, its slack included. */
  private long roomBeyond(TokenLevel old) {
    long larger =
        burst > old.burst ? emission.ceil(burst - old.burst) : -emission.whole(old.burst - burst);
    return larger - Math.max(0, old.emission.convert(old.slack, 0, emission) - 1);
  }

  /** Reduces what it lacks to that of an empty bucket in full debt. */
  void forgiveDebt(long now) {
    lackAtMost(now, burst + debt);
  }

  /** Reduces what it lacks to the time of {@code cost}. */
  void lackAtMost(long now, long cost) {
    advance(now);
    if (lack >= emission.whole(cost)) {
      lack = emission.whole(cost);
      rest = emission.rest(cost);
    }
    mostLack = Math.min(mostLack, emission.ceil(cost));
  }

  /** Returns by how many tokens it is below its maximum, slack included; rounded up. */
  long missing(long now) {
    return tokens(lackAt(now) + slack, restAt(now));
  }

  /** Returns the most tokens that the bucket has lacked so far, rounded up. */
  long mostMissing() {
    return tokens(mostLack, 0);
  }

  private void advance(long now) {
    long lackNow = lackAt(now);
    rest = restAt(now);
    lack = lackNow;
    if (now - at > 0) {
      at = now;
    }
  }

  private void charge(long whole, long parts) {
    rest += parts;
    long carry = rest >= emission.parts() ? 1 : 0;
    rest -= carry * emission.parts();
    long price = Nanos.capped(whole + carry);
    lack = lack < 0 ? lack + price : Nanos.capped(Nanos.add(lack, price));
  }

  private long lackAt(long now) {
    return Math.max(-slack, lack - Nanos.since(at, now));
  }

  /** The fraction is dropped where the slack cuts off. */
  private long restAt(long now) {
    return lack - Nanos.since(at, now) < -slack ? 0 : rest;
  }

  private long tokens(long whole, long parts) {
    return whole < 0 ? 0 : emission.convert(whole, parts, ONE_PER_NANO);
  }
}
