package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;
import static dev.pacegate.limit.Nanos.times;

import dev.pacegate.limit.spi.Past;

/**
 * The state of a {@link Peer} window whose peer counts each request at most a stated time after its
 * start: when the last units were, or will be, counted at the latest.
 *
 * <p>A request is over at its end or at that bound, whichever is earlier. The bound is known when
 * it starts, so an open permit is kept as one that ends then, and is moved if it ends earlier. A
 * lost permit ends at its bound.
 */
final class CountedWindowMeter extends EndedWindowMeter {

  private final TimestampRuns open; // those among ended whose permits are open, by their bounds

  /**
   * @param rate the peer's, the margin included
   * @param bound how long after its start a request is counted at the latest
   */
  CountedWindowMeter(Rate rate, Measure measure, long bound) {
    super(rate, measure, bound);
    this.open = runs();
  }

  @Override
  long untilFits(long amount, long now) {
    return untilAged(ended.total() + amount - max, now);
  }

  /** As for a window of starts, assuming that everything that is not over is over now. */
  @Override
  long atLeast(long since, long now, long all, long amount) {
    long rounds = (all - 1) / max;
    long inRound = all - rounds * max;
    long lostAhead = Math.max(0, ahead(ended, now) - ahead(open, now));
    long inLine = untilAgedOrOver(ended.total() - lostAhead + inRound - max, now);
    long alone = amount == 0 ? 0 : untilAgedOrOver(ended.total() + amount - max, now);
    return Nanos.capped(Math.max(add(inLine, times(rounds, interval)), alone));
  }

  /** Returns how many of the last {@code max} units are to come. */
  private long ahead(TimestampRuns units, long now) {
    return Math.min(max, units.known() - units.unitsUntil(now));
  }

  /** Returns the wait for a unit that is over, or may be now; others have taken its place. */
  private long untilAgedOrOver(long unit, long now) {
    boolean matters = unit - (ended.total() - max) > 0;
    return matters ? Math.min(untilAged(unit, now), interval) : 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = amount(cost);
    keepForgotten(now, amount);
    ended.add(now, now + bound, amount);
    open.add(now, now + bound, amount);
    largestRequest = Math.max(largestRequest, measure.each(cost));
    if (ended.known() > most) {
      most = Math.max(most, ended.known() - ended.unitsAged(now - interval));
    }
  }

  /** What is too much was never asked for: it costs more, or went under another limit. */
  private void keepForgotten(long now, long amount) {
    if (untilAged(ended.total() + amount - max, now) > 0) {
      ended.keepForgotten(now, rate());
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long amount = amount(cost);
    long atLatest = startedAt + bound;
    open.take(atLatest, amount);
    if (end == Outcome.LOST) {
      lose(now, atLatest, amount);
    } else if (end == Outcome.NOT_SENT) {
      giveBack(now, atLatest, amount);
    } else if (atLatest - now > 0) {
      ended.moveBack(now, atLatest, now, amount);
    }
  }

  private void giveBack(long now, long atLatest, long amount) {
    if (matters(atLatest, now)) {
      ended.moveBack(now, atLatest, now - interval, amount);
    }
  }

  private boolean matters(long atLatest, long now) {
    return now - atLatest < interval;
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    long atLatest = startedAt + bound;
    long more = amount(actual) - amount(charged);
    if (more > 0) {
      keepForgotten(now, more);
      ended.add(now, atLatest, more);
      open.add(now, atLatest, more);
    } else {
      open.take(atLatest, -more);
      giveBack(now, atLatest, -more);
    }
  }

  /** The bound begins anew. A request of which nothing is known any more is charged again. */
  @Override
  public void sent(long startedAt, long now, Cost cost) {
    long amount = amount(cost);
    long atLatest = startedAt + bound;
    if (!matters(atLatest, now)) { // others have gone in its place
      ended.keepForgotten(now, rate());
    }
    ended.moveOn(now, atLatest, now + bound, amount);
    open.moveOn(now, atLatest, now + bound, amount);
  }

  @Override
  public long restsIn(long now) {
    return untilAged(ended.total(), now);
  }

  /** Of a late end it knows only the bound. */
  @Override
  public boolean recall(long now, Past past) {
    ended.without(open).recall(now, past, bound);
    ended.recallForgotten(now, past, bound, rate());
    past.largest(largestRequest);
    past.bounded(bound);
    return false;
  }
}
