package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;

/**
 * An {@link EarlierWindow} beside the limit in force, until all that its limit let through has been
 * over for the window's length.
 *
 * <p>A new window of {@code 1/1s} knows nothing of the minute that an old {@code 10/1m} still
 * limits: alone it would let 69 into a minute in which neither limit allows more than 60.
 */
final class Bridge extends ForwardingMeter {

  private final EarlierWindow window;
  private final Carried sent = new Carried(); // released before it began, and sent since
  private long older; // other permits that were released before it began and are open
  private long lastsUntil;

  Bridge(EarlierWindow window, long now) {
    super(window.newMeter(now));
    this.window = window;
    this.lastsUntil = window.replacedAt() + window.nanos();
  }

  @Override
  public Measure measure() {
    return window.view().of();
  }

  @Override
  public boolean tracks() {
    return window.view().isWhole();
  }

  boolean isOver(long now) {
    return !waitsForAnEnd() && now - lastsUntil >= 0;
  }

  private boolean waitsForAnEnd() {
    return older > 0 || !(sent.isEmpty() || window.view().endsByItself());
  }

  /**
   * Returns the cost that the meter counts: a window counts amounts, not calls. One request that is
   * more than fits counts as all of it.
   */
  private Cost counted(Cost cost) {
    if (measure().entry() == Measure.Entry.CALLS) {
      return Measure.PLAIN.cost(cost.calls());
    }
    return cost.calls() <= 1 && measure().of(cost) > window.max()
        ? measure().cost(window.max())
        : cost;
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    if (isOver(now)) {
      return 0;
    }
    long wait = meter.nanosUntil(since, now, counted(cost));
    // No wait lasts longer than the bridge, not even one that no time would end.
    return waitsForAnEnd() ? wait : Math.min(wait, lastsUntil - now);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    if (isOver(now)) {
      return 0;
    }
    long soonest = Math.max(0, lastsUntil - now);
    long over = waitsForAnEnd() ? Math.max(soonest, window.nanos()) : soonest;
    return Math.min(meter.atLeast(since, now, counted(ahead), counted(cost)), over);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    meter.release(since, now, counted(cost));
    if (tracks() && isOlder(now)) {
      older++;
    } else if (tracks()) {
      sent.opened(now);
    }
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    meter.sent(startedAt, now, counted(cost));
    if (!tracks() || isOlder(now)) {
      return;
    }
    if (!wasOlder(startedAt)) {
      sent.opened(now);
      return;
    }
    sent.sent(now);
    if (window.view().endsByItself()) {
      lastsAfter(now, now, true);
    }
  }

  @Override
  public void startsLate(long now, Cost cost) {
    if (!tracks()) {
      meter.release(now, now, counted(cost));
      lastsAfter(now, now, false); // it may have been released by the earlier limit
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome outcome) {
    if (!tracks()) {
      return;
    }
    meter.end(startedAt, now, counted(cost), outcome);
    boolean isOlder = isOlder(startedAt);
    boolean endsByItself = !isOlder && window.view().endsByItself(); // whenever it ends
    if (wasOlder(startedAt) && !endsByItself) {
      lastsAfter(startedAt, now, outcome == Outcome.LOST);
    }
  }

  /**
   * Lasts for a logged request that its limit let through. Several requests may be one entry, which
   * is replayed as of the latest of them: that may be one of a later limit.
   */
  void covers(Entry entry) {
    if (tracks() && entry.hasEnd() && isOlder(entry.first())) {
      lastsAfter(entry.start(), entry.end(), entry.kind() != Entry.Kind.ENDED);
    }
  }

  /** Extends the bridge until its length after the end of a request that its limit let through. */
  private void lastsAfter(long startedAt, long endedAt, boolean lost) {
    long counted = startedAt + window.unansweredNanos();
    long end = (lost && counted - endedAt > 0 ? counted : endedAt) + window.nanos();
    lastsUntil = end - lastsUntil > 0 ? end : lastsUntil;
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    meter.settle(startedAt, now, counted(charged), counted(actual));
  }

  @Override
  public long restsIn(long now) {
    if (isOver(now)) {
      return 0;
    }
    return waitsForAnEnd() ? Meter.AT_EVENT : lastsUntil - now;
  }

  /** Returns whether a request of that start was released earlier; from now on it is forgotten. */
  private boolean wasOlder(long startedAt) {
    if (isOlder(startedAt)) {
      older--;
      return true;
    }
    return sent.ended(startedAt);
  }

  private boolean isOlder(long startedAt) {
    return startedAt - window.replacedAt() <= 0;
  }
}
