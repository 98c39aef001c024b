package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * The state of a {@link Peer} bucket: a level that is never above what the peer's own bucket holds.
 *
 * <p><b>Proof.</b> Let S be the level, F the cost in flight, U <= F the part of it that the peer
 * has not counted yet, P the peer's level. Always S + U <= P: a start moves its cost from S to U;
 * counting lowers P and U alike; refilling raises S no faster than P, and never above B - F, where
 * S + U <= B; an end changes neither. So P holds at least the cost of whatever the peer counts.
 */
final class PeerBucketMeter extends LeafMeter {

  /**
   * How many lost permits have exact ends; beyond that ends are rounded to a grid as fine as this.
   */
  private static final int MOST_EXACT = 512;

  private final Rate rate;
  private final long burst;
  private final long margin;
  private final long unanswered;
  private final TokenLevel level;
  private final TreeMap<Long, Long> lost = new TreeMap<>((a, b) -> Long.signum(a - b)); // by end
  private final long origin; // of the grid
  private long inFlight; // the cost of what is open, and of what is lost and has not ended yet
  private long released;

  /**
   * @param bucket the peer's bucket
   * @param margin how far the peer's clock and its stamps may differ
   * @param unanswered how long after its start a lost request may yet be counted
   */
  PeerBucketMeter(Bucket bucket, Margin margin, long unanswered, long now) {
    super(bucket.of());
    this.rate = bucket.rate();
    this.burst = bucket.burst();
    this.margin = margin.nanos();
    this.unanswered = unanswered;
    this.origin = now;
    this.level = new TokenLevel(margin.slowerByShare(rate), burst, 0, 0, now);
  }

  /** Returns this meter, emptied at {@code now}. */
  PeerBucketMeter empty(long now) {
    level.lackAtLeast(now, burst, margin);
    return this;
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    if (amount > burst) {
      return NEVER;
    }
    advance(now);
    long untilHolds = level.untilHolds(now, amount);
    return add(inFlight, amount) <= burst
        ? untilHolds
        : Math.max(untilHolds, untilEnoughEnd(now, amount));
  }

  /**
   * Returns the wait until enough lost permits have ended to raise the cap, and the refill after
   * each.
   */
  private long untilEnoughEnd(long now, long amount) {
    long left = inFlight;
    long longest = 0;
    for (var end : lost.entrySet()) {
      long refill = level.emission().ceil(add(left, amount) - burst);
      long after = add(refill, margin);
      longest = Math.max(longest, Nanos.until(end.getKey(), after, now));
      left -= end.getValue();
      if (add(left, amount) <= burst) {
        return longest;
      }
    }
    return AT_EVENT;
  }

  /** Assumes that everything in flight ends now. */
  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = measure.of(cost);
    if (amount > burst) {
      return NEVER;
    }
    advance(now);
    long all = add(measure.of(ahead), amount);
    if (all <= burst) {
      return all == 0 ? 0 : level.untilHolds(now, all);
    }
    return level.untilMadeGood(now, all - burst);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = amount(cost);
    advance(now);
    level.take(now, amount, 0);
    inFlight = add(inFlight, amount);
    released = add(released, amount);
    largestRequest = Math.max(largestRequest, measure.each(cost));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long amount = amount(cost);
    advance(now);
    if (amount == 0) {
      return;
    }
    if (end == Outcome.LOST && startedAt + unanswered - now > 0) {
      addLost(startedAt + unanswered, amount);
      return;
    }
    if (end == Outcome.NOT_SENT) {
      level.giveBack(now, amount);
    } else {
      // The peer's stamp of this request may lie a margin behind its end, and its refill with it.
      level.lackAtLeast(now, inFlight, margin);
    }
    inFlight = Math.max(0, inFlight - amount);
  }

  /**
   * A surplus was in flight until now, so S + F <= B held and still holds; and the peer holds that
   * much more than if it had counted the surplus.
   */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = amount(actual) - amount(charged);
    advance(now);
    if (more > 0) {
      level.take(now, more, 0);
    } else {
      level.giveBack(now, -more);
    }
    inFlight = Math.max(0, add(inFlight, more));
  }

  /** Returns a permit's weight: more than the bucket holds counts as all of it. */
  private long amount(Cost cost) {
    return Math.min(measure.of(cost), burst);
  }

  /** Advances the state to {@code now}. */
  private void advance(long now) {
    while (!lost.isEmpty() && lost.firstKey() - now <= 0) {
      var first = lost.pollFirstEntry();
      level.lackAtLeast(first.getKey(), inFlight, margin);
      inFlight = Math.max(0, inFlight - first.getValue());
    }
    if (inFlight > 0) {
      level.lackAtLeast(now, inFlight, 0);
    }
  }

  @Override
  public long restsIn(long now) {
    advance(now);
    if (inFlight == 0) {
      return level.untilAtRest(now);
    }
    return inFlight > lostUnits() ? AT_EVENT : Nanos.until(lost.lastKey(), 0, now);
  }

  @Override
  public boolean tracks() {
    return true;
  }

  private void lose(long endsAt, long amount) {
    addLost(endsAt, amount);
    inFlight = add(inFlight, amount);
  }

  private void addLost(long endsAt, long amount) {
    long grain = unanswered / MOST_EXACT + 1;
    long later = lost.size() < MOST_EXACT ? 0 : Math.floorMod(origin - endsAt, grain);
    lost.merge(endsAt + later, amount, Nanos::add);
  }

  /** Keeps the level and the lost permits; open permits are adopted. */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    for (Meter meter : old) {
      if (meter instanceof PeerBucketMeter before && before.measure.equals(measure)) {
        before.advance(now);
        level.succeed(now, before.level);
        inFlight = 0;
        lost.clear();
        before.lost.forEach(this::lose);
        released = before.released;
        largestRequest = before.largestRequest;
        return true;
      }
    }
    return false;
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    inFlight = add(inFlight, amount(cost));
  }

  @Override
  public void forgive(long now) {
    level.forgiveDebt(now);
  }

  @Override
  public boolean recall(long now, Past past) {
    advance(now);
    lost.forEach((endsAt, units) -> past.lost(endsAt - unanswered, units));
    long missing = Math.max(0, level.missing(now) - inFlight);
    SteadyPace.recall(now, missing, rate, released, past);
    past.largest(largestRequest);
    return true;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(level.mostMissing());
  }

  @Override
  public Losses losses(long now, Cost cost) {
    advance(now);
    return new Losses(Math.min(lostUnits(), burst), burst);
  }

  private long lostUnits() {
    return lost.values().stream().reduce(0L, Nanos::add);
  }
}
