package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The state of a {@link Bucket}: how much it lacks of being full. */
/*
 * With T the time per permit and B the burst, cost c may go when the bucket lacks at most (B - c) T.
 * A cost above the burst goes (c - B) T after both have come true: the bucket is full, and the request
 * is first in the queue. That wait is part of its price, so it leaves the bucket empty, not in debt.
 * If L may be paid later, so much less must be held; then nothing is oversize.
 */
final class BucketMeter extends LeafMeter {

  private final Bucket limit;
  private final TokenLevel level;
  private final long debt;
  private final long atOnce; // the largest cost that a full bucket lets go
  private long released; // units so far, saturating
  private long beyond; // by how much the largest request so far exceeded what a full bucket lets go

  BucketMeter(Bucket limit, long now) {
    super(limit.of());
    this.limit = limit;
    this.level = new TokenLevel(limit.rate(), limit.burst(), limit.debt(), limit.slackNanos(), now);
    this.debt = limit.debt();
    this.atOnce = limit.burst() + debt;
    if (limit.initial() == Bucket.Initial.EMPTY) {
      level.lackAtLeast(now, limit.burst(), 0);
    }
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return 0;
    }
    return amount <= atOnce
        ? level.untilHolds(now, toHold(amount))
        : untilOversize(since, now, amount);
  }

  /** Returns what the bucket must hold for {@code amount} to go. */
  private long toHold(long amount) {
    return debt == 0 ? amount : Math.max(0, amount - debt);
  }

  private long untilOversize(long since, long now, long amount) {
    if (limit.oversize() == Bucket.Oversize.NEVER) {
      return NEVER;
    }
    long extra = level.emission().ceil(amount - limit.burst());
    long untilFull = level.untilFull(now);
    return untilFull > 0
        ? Nanos.capped(add(untilFull, extra))
        : Math.max(0, extra - waitedFull(since, now));
  }

  /** Returns for how long the bucket has been full while the request was first in the queue. */
  private long waitedFull(long since, long now) {
    return Math.min(level.fullFor(now), Nanos.since(since, now));
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = measure.of(cost);
    if (amount > atOnce && limit.oversize() == Bucket.Oversize.NEVER) {
      return NEVER;
    }
    long before = measure.of(ahead);
    if (add(before, amount) == 0) {
      return 0;
    }
    // What is free goes together with the last one before it, which may be paid later.
    long all = amount == 0 ? toHold(before) : add(before, toHold(amount));
    if (all <= limit.burst()) {
      return level.untilHolds(now, all);
    }
    long untilPaid = level.untilMadeGood(now, all - limit.burst(), 0);
    return Math.max(0, untilPaid - paid(since, now));
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return;
    }
    level.take(now, amount, amount <= atOnce ? 0 : credit(since, now, amount));
    if (amount > 1) {
      beyond = Math.max(beyond, amount - atOnce);
      largestRequest = Math.max(largestRequest, measure.each(cost));
    }
    released = add(released, amount);
  }

  /**
   * What was charged too much is given back, but for what has been refilled since: had it not been
   * charged, that might have found the bucket full. Of more than goes at once, all but the burst
   * may have been paid by waiting: it has not been charged, so it is not given back.
   */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long before = measure.of(charged);
    long after = measure.of(actual);
    if (after > before) {
      level.take(now, after - before, 0);
      released = add(released, after - before);
    } else {
      long held = before <= atOnce ? before : limit.burst();
      level.giveBack(now, Math.max(0, held - after), Nanos.since(startedAt, now));
    }
  }

  private long credit(long since, long now, long amount) {
    return Math.min(level.emission().whole(amount - limit.burst()), paid(since, now));
  }

  /** Returns how much of its price a request has paid by waiting, without the slack. */
  private long paid(long since, long now) {
    return Math.min(Math.max(0, level.fullFor(now) - limit.slackNanos()), Nanos.since(since, now));
  }

  @Override
  public long restsIn(long now) {
    return level.untilAtRest(now);
  }

  /** Takes over from the same bucket, if there was one, or else from the only one. */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    BucketMeter before = bucketIn(old);
    if (before == null) {
      return false;
    }
    level.succeed(now, before.level);
    level.take(now, unpaid(before, now), 0);
    released = before.released;
    largestRequest = before.largestRequest;
    return true;
  }

  private @Nullable BucketMeter bucketIn(List<Meter> old) {
    BucketMeter only = null;
    int buckets = 0;
    for (Meter meter : old) {
      if (meter instanceof BucketMeter bucket && bucket.measure.equals(measure)) {
        if (bucket.level.isLike(level)) {
          return bucket;
        }
        only = bucket;
        buckets++;
      }
    }
    return buckets == 1 ? only : null;
  }

  /**
   * Returns by how much a request of more than the old bucket held may have passed it lately: as
   * nothing may here, if something may be paid later.
   */
  private long unpaid(BucketMeter old, long now) {
    boolean longAgo = old.level.fullFor(now) >= level.emission().ceil(old.beyond);
    return debt == 0 || longAgo ? 0 : old.beyond;
  }

  @Override
  public void forgive(long now) {
    level.forgiveDebt(now);
  }

  @Override
  public boolean recall(long now, Past past) {
    long latest = now - level.fullFor(now);
    long missing = add(level.missing(latest), beyond);
    SteadyPace.recall(latest, missing, limit.rate(), released, past);
    past.largest(largestRequest);
    return true;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(level.mostMissing());
  }
}
