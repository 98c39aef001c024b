package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.function.LongConsumer;

/** The state of a {@link Warmup}: what is still to be paid, and how warm it is. */
/*
 * A bucket that holds nothing and may be overdrawn by anything: a request goes when all before it
 * has been paid, and adds its price, which is higher while it is cold.
 */
final class WarmupMeter extends LeafMeter {

  private static final long ANY_DEBT = Spans.MAX;

  private final Warmup limit;
  private final TokenLevel level;
  private final WarmupCurve curve;
  private long last; // the instant of the last release
  private long price; // what it took to pay
  private long lackBefore; // what was still to be paid just before it
  private long lastReleased; // units of the last instant
  private long released; // units so far, saturating

  WarmupMeter(Warmup limit, long now) {
    super(limit.of());
    this.limit = limit;
    this.level = new TokenLevel(limit.rate(), 0, ANY_DEBT, limit.slackNanos(), now);
    this.curve = new WarmupCurve(limit.rate(), limit.overNanos(), limit.cold());
    this.last = now;
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return measure.of(cost) == 0 ? 0 : level.untilHolds(now, 0);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long before = measure.of(ahead);
    long amount = measure.of(cost);
    if (add(before, amount) == 0) {
      return 0;
    }
    // What is free goes together with the last one before it, which may be all that is ahead.
    long paid = amount == 0 ? 0 : before;
    return level.untilMadeGood(now, paid, curve.surplusOf(paid, idle(since)));
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return;
    }
    long idle = idle(since);
    long surplus = curve.surplusOf(amount, idle); // first, as it is all that may fail
    note(now, amount);
    curve.cool(idle);
    curve.add(amount);
    level.take(now, amount, 0);
    level.delay(surplus);
    rememberPrice(now);
    largestRequest = Math.max(largestRequest, measure.each(cost));
  }

  /** As for a bucket, whatever the effect on the warmth. */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long more = measure.of(actual) - measure.of(charged);
    if (more > 0) {
      level.take(now, more, 0);
    } else {
      level.giveBack(now, -more, Nanos.since(startedAt, now));
    }
  }

  private void note(long now, long amount) {
    boolean again = released > 0 && now - last <= 0;
    last = again ? last : now;
    lackBefore = again ? lackBefore : level.lackUp(now);
    lastReleased = again ? add(lastReleased, amount) : amount;
    released = add(released, amount);
  }

  private void rememberPrice(long now) {
    price = add(level.lackUp(now), -lackBefore); // never negative, but it may saturate
  }

  /** Returns for how long no request came after all had been paid, if that cools. */
  private long idle(long since) {
    long idle = idleUntil(since);
    return idle > calm() ? idle : 0;
  }

  /** Returns for how long all was paid, even if lateness that is made good paid some of it. */
  private long idleUntil(long instant) {
    long sinceLast = Nanos.since(last, instant) - price;
    return released == 0 ? 0 : Math.max(0, Math.min(level.fullFor(instant), sinceLast));
  }

  /** Returns up to what length an idle time does not cool. */
  private long calm() {
    return Math.min(price, limit.overNanos() - 1);
  }

  /** At rest when completely cold. */
  @Override
  public long restsIn(long now) {
    long untilCold = curve.untilCold();
    long untilAtRest = level.untilAtRest(now);
    if (untilCold == 0) {
      return untilAtRest;
    }
    long untilIdle = Math.max(level.untilFull(now), Nanos.until(last, price, now));
    long idle = Math.max(untilCold, calm() + 1);
    long cold = untilIdle > 0 ? Nanos.capped(add(untilIdle, idle)) : idle - idleUntil(now);
    return Math.max(untilAtRest, cold);
  }

  /** The idle time goes on from the old meter: without requests it keeps cooling. */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    WarmupMeter before = null;
    for (Meter meter : old) {
      before = meter instanceof WarmupMeter other && other.measure.equals(measure) ? other : before;
    }
    if (before == null) {
      warmUpIfUnknown(now, old);
      return false;
    }
    long idle = before.idleUntil(now);
    curve.succeed(before.curve);
    level.succeed(now, before.level);
    if (idle > 0) {
      level.fullSince(now - idle);
    }
    last = before.last;
    price = before.price;
    lackBefore = before.lackBefore;
    lastReleased = before.lastReleased;
    released = before.released;
    largestRequest = before.largestRequest;
    return true;
  }

  private void warmUpIfUnknown(long now, List<Meter> old) {
    boolean known = false;
    for (Meter meter : old) {
      known |= meter.measure().equals(measure) && meter.recall(now, new Past() {});
    }
    if (!known) {
      curve.warmUp();
    }
  }

  /** Releases under another kind of limit have warmed it; one request of them is to be paid. */
  @Override
  public void forgive(long now) {
    curve.warmUp();
    level.lackAtMost(now, largestRequest);
    price = Math.min(price, level.untilFull(now));
  }

  @Override
  public boolean recall(long now, Past past) {
    SteadyPace.recall(last, lastReleased, limit.rate(), released, past);
    past.largest(largestRequest);
    return true;
  }

  /** Earlier releases are paid at the rate or more slowly, so a burst is one request. */
  @Override
  public void most(LongConsumer sink) {
    sink.accept(released == 0 ? 0 : largestRequest);
  }
}
