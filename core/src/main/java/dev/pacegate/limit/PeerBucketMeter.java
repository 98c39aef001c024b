package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link Peer} bucket: a level that is never above what the peer's own bucket holds.
 *
 * <p><b>Proof.</b> Let S be the level, F the cost in flight, U <= F the part of it that the peer
 * has not counted yet, P the peer's level. Always S + U <= P: a start moves its cost from S to U;
 * counting lowers P and U alike; refilling raises S no faster than P, and never above B - F, where
 * S + U <= B; an end changes neither. So P holds at least the cost of whatever the peer counts.
 */
final class PeerBucketMeter extends CappedMeter {

  private final Rate rate;
  private final long margin;
  private final long unanswered;
  private final TokenLevel level;
  private final EndTimes ends; // of lost permits and, if there is a bound, of open ones
  private final @Nullable EndTimes bounds; // of open permits; null if they end only by themselves
  private long inFlight; // the cost of what is open, and of what is lost, and is not over
  private long released;
  private long tookOverAt;
  private long boundBefore = NEVER; // of the meter that it took over from

  /**
   * @param bucket the peer's bucket
   * @param margin how far the peer's clock and its stamps may differ
   * @param unanswered how long after its start a lost request may yet be counted
   * @param counted whether that holds for every request
   */
  PeerBucketMeter(Bucket bucket, Margin margin, long unanswered, boolean counted, long now) {
    super(bucket.of(), bucket.burst());
    this.rate = bucket.rate();
    this.margin = margin.nanos();
    this.unanswered = unanswered;
    this.ends = new EndTimes(unanswered, now);
    this.bounds = counted ? new EndTimes(unanswered, now) : null;
    this.level = new TokenLevel(margin.slowerByShare(rate), max, 0, 0, now);
  }

  /** Returns this meter, emptied at {@code now}. */
  PeerBucketMeter empty(long now) {
    level.lackAtLeast(now, max, margin);
    return this;
  }

  @Override
  long untilFits(long amount, long now) {
    advance(now);
    return untilHolds(now, amount);
  }

  /** Each known end lets the level rise a margin after it. */
  private long untilHolds(long now, long amount) {
    long wait = level.untilHolds(now, amount);
    long left = inFlight;
    for (var end : ends.entries()) {
      long untilEnd = Nanos.until(end.getKey(), margin, now);
      if (add(left, amount) <= max && wait < untilEnd) {
        return wait;
      }
      wait = Math.max(wait, Nanos.capped(add(untilEnd, level.untilHoldsAfter(left, amount))));
      left -= end.getValue();
    }
    return add(left, amount) <= max ? wait : AT_EVENT;
  }

  /** Assumes that everything in flight ends now. */
  @Override
  long atLeast(long since, long now, long all, long amount) {
    advance(now);
    return all <= max ? level.untilHolds(now, all) : level.untilMadeGood(now, all - max, 0);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = amount(cost);
    advance(now);
    take(now, now + unanswered, amount);
    released = add(released, amount);
    largestRequest = Math.max(largestRequest, measure.each(cost));
  }

  private void take(long now, long atLatest, long amount) {
    level.take(now, amount, 0);
    inFlight = add(inFlight, amount);
    opens(atLatest, amount);
  }

  /** Notes the latest end of an open permit, if there is a bound. */
  private void opens(long atLatest, long amount) {
    if (bounds != null && amount > 0) {
      ends.add(atLatest, amount);
      bounds.add(atLatest, amount);
    }
  }

  /** Returns how much of an open {@code amount} is still in flight, and has no known end now. */
  private long closes(long atLatest, long now, long amount) {
    if (bounds == null) {
      return amount;
    }
    if (atLatest - now <= 0) {
      return 0;
    }
    bounds.take(atLatest, amount);
    return ends.take(atLatest, amount);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long atLatest = startedAt + unanswered;
    advance(now);
    long amount = closes(atLatest, now, amount(cost));
    if (amount == 0) {
      return;
    }
    if (end == Outcome.NOT_SENT) {
      level.giveBack(now, amount);
    } else if (end == Outcome.LOST && atLatest - now > 0) {
      ends.add(atLatest, amount);
      return;
    } else {
      // The peer's stamp of this request may lie a margin behind its end, and its refill with it.
      level.lackAtLeast(now, inFlight, margin);
    }
    inFlight = Math.max(0, inFlight - amount);
  }

  /**
   * A surplus was in flight until now, so S + F <= B held and still holds; and the peer holds that
   * much more than if it had counted the surplus. A surplus that is over stays charged.
   */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long atLatest = startedAt + unanswered;
    long more = amount(actual) - amount(charged);
    advance(now);
    if (more > 0) {
      take(now, atLatest, more);
    } else {
      long less = closes(atLatest, now, -more);
      level.giveBack(now, less);
      inFlight = Math.max(0, inFlight - less);
    }
  }

  /** The bound begins anew. A request that is over is charged again. */
  @Override
  public void sent(long startedAt, long now, Cost cost) {
    if (bounds == null) {
      return;
    }
    advance(now);
    long amount = amount(cost);
    opens(now + unanswered, amount);
    inFlight = add(inFlight, amount);
    long known = closes(startedAt + unanswered, now, amount);
    inFlight = Math.max(0, inFlight - known);
    level.take(now, amount - known, 0);
  }

  /**
   * Advances the state to {@code now}. A known end is one for the level a margin later: were the
   * level to sink at the end itself instead, it would no longer hold what it has held before.
   */
  private void advance(long now) {
    for (var over = ends.poll(now - margin); over != null; over = ends.poll(now - margin)) {
      level.lackAtLeast(over.getKey() + margin, inFlight, 0);
      inFlight = Math.max(0, inFlight - over.getValue());
    }
    if (inFlight > 0) {
      level.lackAtLeast(now, inFlight, 0);
    }
    if (bounds != null) {
      bounds.forgetUntil(now - margin);
    }
  }

  @Override
  public long restsIn(long now) {
    advance(now);
    if (inFlight == 0) {
      return level.untilAtRest(now);
    }
    return inFlight > ends.sum() ? AT_EVENT : ends.untilAllOver(margin, now);
  }

  @Override
  public boolean tracks() {
    return true;
  }

  private EndTimes lost() {
    return bounds == null ? ends : ends.without(bounds);
  }

  /** Returns what its bound has ended, and the level holds for a margin more. */
  private EndTimes over(long now) {
    return bounds == null ? new EndTimes(0, now) : bounds.until(now);
  }

  /** Keeps the level and what has a known end of its own; open permits are adopted. */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    for (Meter meter : old) {
      if (meter instanceof PeerBucketMeter before && before.measure.equals(measure)) {
        before.advance(now);
        level.succeed(now, before.level);
        tookOverAt = now;
        boundBefore = before.bounds == null ? NEVER : before.unanswered;
        inFlight = 0;
        before.lost().entries().forEach(this::lose);
        before.over(now).entries().forEach(this::lose);
        released = before.released;
        largestRequest = before.largestRequest;
        return true;
      }
    }
    return false;
  }

  private void lose(Map.Entry<Long, Long> lost) {
    ends.add(lost.getKey(), lost.getValue());
    inFlight = add(inFlight, lost.getValue());
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    long atLatest = startedAt + unanswered;
    boolean isOver = bounds != null && atLatest - tookOverAt <= 0;
    boolean isHeld = isOver && atLatest - (tookOverAt - margin) > 0;
    // The level knows of what was over before. What is over only now is held a margin after that.
    if (!isOver || (isHeld && tookOverAt - startedAt < boundBefore)) {
      inFlight = add(inFlight, amount(cost));
      opens(atLatest, amount(cost));
    }
  }

  @Override
  public void forgive(long now) {
    level.forgiveDebt(now);
  }

  @Override
  public boolean recall(long now, Past past) {
    advance(now);
    for (var lost : lost().entries()) {
      past.lost(lost.getKey() - unanswered, lost.getValue());
    }
    long missing = Math.max(0, level.missing(now) - (inFlight - over(now).sum()));
    SteadyPace.recall(now, missing, rate, released, past);
    past.largest(largestRequest);
    if (bounds == null) {
      return true;
    }
    past.bounded(unanswered);
    return false;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(level.mostMissing());
  }

  @Override
  public Losses losses(long now, Cost cost) {
    advance(now);
    return new Losses(Math.min(lost().sum(), max), max);
  }
}
