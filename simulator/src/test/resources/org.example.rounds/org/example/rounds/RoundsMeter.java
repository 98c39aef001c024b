package org.example.rounds;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.function.LongConsumer;

/** The state of {@link Rounds}: what has gone since the last break, and when the last of it went. */
final class RoundsMeter implements Meter {

  private static final int MOST_ROUNDS = 1000;

  private final long max;
  private final long rest;
  private long began; // the round
  private long last; // of the round
  private long gone; // in the round
  private long before; // in earlier rounds
  private long most;

  RoundsMeter(long max, long rest) {
    this.max = max;
    this.rest = rest;
  }

  private boolean isOver(long now) {
    return gone == 0 || now - last >= rest;
  }

  private long untilOver(long now) {
    return isOver(now) ? 0 : Math.min(LONGEST, last - now + rest);
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long amount = Measure.PLAIN.of(cost);
    if (amount > max) {
      return NEVER;
    }
    return amount <= max - gone ? 0 : untilOver(now);
  }

  /** The round of now can take no more than is left of it; another begins after a break. */
  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long amount = Measure.PLAIN.of(cost);
    if (amount > max) {
      return NEVER;
    }
    boolean fits = amount <= max - gone && Measure.PLAIN.of(ahead) <= max - gone - amount;
    return fits ? 0 : untilOver(now);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = Measure.PLAIN.of(cost);
    if (amount == 0) {
      return;
    }
    if (isOver(now)) {
      before += gone;
      gone = 0;
      began = now;
      last = now;
    }
    last = now - last > 0 ? now : last;
    gone += amount;
    most = Math.max(most, gone);
  }

  @Override
  public long restsIn(long now) {
    return untilOver(now);
  }

  /** Of earlier rounds it is known that a break was between any two of them. */
  @Override
  public boolean recall(long now, Past past) {
    past.started(last, gone);
    long left = before;
    for (int round = 1; left > 0; round++) {
      long amount = round == MOST_ROUNDS ? left : Math.min(left, max);
      past.supposed(began - round * rest, amount);
      left -= amount;
    }
    return true;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(most);
  }
}
