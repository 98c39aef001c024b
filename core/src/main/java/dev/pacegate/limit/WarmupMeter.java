package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The state of a {@link Warmup}: what is still to be paid, and how warm it is. */
/*
 * A bucket that holds nothing and may be overdrawn by anything: a request goes when all before it
 * has been paid, and adds its price, which is higher while it is cold.
 */
final class WarmupMeter implements Remembering {

  private final Warmup limit;
  private final Measure measure;
  private final Level level;
  private final Warmth warmth;
  private @Nullable Lineage lineage; // null unless another limit was in force before
  private long calm; // an idle time of no more than this does not cool
  private long last; // the instant of the last release
  private long released; // units so far, saturating
  private long lastReleased; // those of the last instant
  private long largest = 1; // the largest request so far

  WarmupMeter(Warmup limit, long now) {
    this.limit = limit;
    this.measure = limit.of();
    this.level = new Level(limit.rate(), 0, Spans.MAX, limit.slackNanos(), now);
    this.warmth = new Warmth(limit.rate(), limit.overNanos(), limit.cold());
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
    return level.untilMadeGood(now, paid, warmth.surplusOf(paid, idle(since, now)));
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = measure.of(cost);
    if (amount == 0) {
      return;
    }
    warmth.cool(idle(since, now));
    level.take(now, amount, 0);
    level.delay(warmth.add(amount));
    note(now, amount);
  }

  private void note(long now, long amount) {
    calm = Math.min(level.untilFull(now), limit.overNanos() - 1);
    boolean again = now - last <= 0;
    last = again ? last : now;
    lastReleased = again ? add(lastReleased, amount) : amount;
    largest = Math.max(largest, amount);
    released = add(released, amount);
  }

  /** Returns for how long nobody asked after all had been paid, if that cools. */
  private long idle(long since, long now) {
    long idle = level.fullFor(since - now < 0 ? since : now);
    return idle > calm ? idle : 0;
  }

  /** At rest when it is quite cold. */
  @Override
  public long restsIn(long now) {
    long untilFull = level.untilFull(now);
    long untilCold = warmth.untilCold();
    if (untilCold == 0) {
      return untilFull;
    }
    long idle = Math.max(untilCold, calm + 1);
    return untilFull > 0
        ? Nanos.capped(add(untilFull, idle))
        : Math.max(0, idle - level.fullFor(now));
  }

  @Override
  public Meter succeed(long now, Meter old) {
    Remembering source = Past.best(old, this);
    if (source instanceof WarmupMeter meter) {
      meter.warmth.cool(meter.idle(now, now));
      warmth.succeed(meter.warmth);
      level.succeed(now, meter.level);
      calm = Math.min(meter.calm, limit.overNanos() - 1);
      last = meter.last;
      lastReleased = meter.lastReleased;
      released = meter.released;
    } else if (source != null) {
      source.history(now, this::replay);
    } else {
      warmth.warmUp();
    }
    if (source != null) {
      lineage = lineage();
      lineage.succeed(now, source);
    }
    return this;
  }

  /**
   * What another kind of limit let go has been warming. Only the last of it is still to be paid:
   * what is known to have gone at one instant, which may have been one request.
   */
  private void replay(long instant, long amount) {
    if (amount == 0) {
      return;
    }
    if (released == 0 || instant - last > 0) {
      level.fill(instant);
    }
    warmth.warmUp();
    level.take(instant, amount, 0);
    note(instant, amount);
  }

  @Override
  public void history(long now, History sink) {
    BucketMeter.history(last, lastReleased, limit.rate(), lineage(), released, sink);
  }

  private Lineage lineage() {
    return lineage == null ? new Lineage(limit.rate(), largest) : lineage;
  }

  @Override
  public Measure measure() {
    return measure;
  }

  @Override
  public long remembers() {
    return 1;
  }

  @Override
  public Rate fastest() {
    return lineage().fastest();
  }

  @Override
  public long largest() {
    return Math.max(lineage().largest(), largest);
  }

  /** What went before is paid at the rate or more slowly, so a burst is one request. */
  @Override
  public void most(LongConsumer sink) {
    sink.accept(released == 0 ? 0 : largest);
  }
}
