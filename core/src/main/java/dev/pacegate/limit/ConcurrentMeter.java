package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Past;
import org.jspecify.annotations.Nullable;

/** The state of a {@link Concurrent}: the open amount, and until when lost requests count. */
final class ConcurrentMeter extends CappedMeter {

  private final long unanswered;
  private long open;
  private @Nullable TimestampRuns lost; // by end; created with the first, as they are rare

  ConcurrentMeter(Concurrent limit) {
    super(limit.of(), limit.max());
    this.unanswered = limit.unansweredNanos();
  }

  @Override
  long untilFits(long amount, long now) {
    return amount > max - open ? AT_EVENT : untilOver(now, add(open, amount));
  }

  /** Assumes that every open permit ends now; lost requests count until their time. */
  @Override
  long atLeast(long since, long now, long all, long amount) {
    return amount == 0 ? 0 : untilOver(now, amount);
  }

  /** Returns the wait until enough lost requests are over to make room for {@code amount}. */
  private long untilOver(long now, long amount) {
    if (lost == null) {
      return 0;
    }
    long unit = lost.total() - (max - amount);
    return lost.knows(unit) ? Nanos.until(lost.stampOf(unit), 0, now) : 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    open = add(open, amount(cost));
    most = Math.max(most, add(open, lostBy(now)));
  }

  /** Returns the amount of lost requests that the peer may still work on. */
  private long lostBy(long now) {
    return lost == null ? 0 : lost.known() - lost.unitsUntil(now);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long amount = amount(cost);
    open = Math.max(0, open - amount);
    long over = startedAt + unanswered;
    if (end == Outcome.LOST && amount > 0 && over - now > 0) {
      lost = lost == null ? new TimestampRuns(max, unanswered, unanswered) : lost;
      lost.add(now, over, amount);
    }
  }

  /** Any number: an answered end does not depend on the time. */
  @Override
  public long mostUndated() {
    return Long.MAX_VALUE;
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    open = Math.max(0, add(open, amount(actual)) - amount(charged));
    most = Math.max(most, add(open, lostBy(now)));
  }

  @Override
  public long restsIn(long now) {
    if (open > 0) {
      return AT_EVENT;
    }
    return untilOver(now, max);
  }

  @Override
  public boolean tracks() {
    return true;
  }

  @Override
  public boolean recall(long now, Past past) {
    if (lost != null) { // also of what is over, as that may take longer under another limit
      lost.tellLater(now - Spans.MAX, (over, amount) -> past.lost(over - unanswered, amount));
    }
    past.bounded(-1); // it knows no end of an answered request
    return false; // of what is over, whatever it was
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return new Losses(Math.min(lostBy(now), max), max);
  }
}
