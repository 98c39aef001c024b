package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;
import static dev.pacegate.limit.Nanos.later;
import static dev.pacegate.limit.Nanos.times;

import dev.pacegate.limit.spi.Past;

/** The state of a {@link Peer} window: the open cost, and when the last units ended. */
final class PeerWindowMeter extends EndedWindowMeter {

  private long open;

  /**
   * @param rate the peer's, the margin included
   * @param unanswered how long after its start a lost request may yet be counted
   */
  PeerWindowMeter(Rate rate, Measure measure, long unanswered) {
    super(rate, measure, unanswered);
  }

  @Override
  long untilFits(long amount, long now) {
    long excess = add(open, amount) - max;
    return excess > 0 ? AT_EVENT : untilAged(ended.total() + excess, now);
  }

  /**
   * As for a window of starts, assuming that everything open ends now. A lost request that ends
   * later delays the request itself, but need not delay those before it.
   */
  @Override
  long atLeast(long since, long now, long all, long amount) {
    long rounds = (all - 1) / max;
    long inRound = all - rounds * max;
    long unit = add(ended.unitsUntil(now), open) + inRound - max;
    long inLine = add(untilAgedOrOpen(unit, now), times(rounds, interval));
    long alone = untilAgedOrOpen(add(ended.known(), open) + amount - max, now);
    return Nanos.capped(Math.max(inLine, alone));
  }

  /**
   * Returns the wait for a unit, counted among those ended by now, then those open, then those to
   * come.
   */
  private long untilAgedOrOpen(long unit, long now) {
    long first = ended.total() - ended.known();
    long endedByNow = ended.unitsUntil(now);
    if (unit <= endedByNow) {
      return unit <= 0 ? 0 : untilAged(first + unit, now);
    }
    return unit - endedByNow <= open ? interval : untilAged(first + unit - open, now);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    long amount = amount(cost);
    open = add(open, amount);
    largestRequest = Math.max(largestRequest, measure.each(cost));
    if (add(open, ended.known()) > most) {
      long counted = counted(now);
      most = Math.max(most, counted);
      keepForgotten(now, counted);
    }
  }

  /**
   * Returns the most that the peer can have counted, in an interval of its own, when it answers the
   * request that started at {@code startedAt}.
   */
  long possibly(long startedAt) {
    long before = startedAt - interval;
    return ended.knowsAllSince(before)
        ? add(open, ended.known() - ended.unitsUntil(before))
        : Long.MAX_VALUE;
  }

  private long counted(long now) {
    return add(open, ended.known() - ended.unitsAged(now - interval));
  }

  /** What is too much was never asked for: it costs more, or went under another limit. */
  private void keepForgotten(long now, long counted) {
    if (counted > max) {
      ended.keepForgotten(now, rate());
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    long amount = amount(cost);
    if (end == Outcome.ANSWERED) {
      ended.add(now, now, amount);
    } else if (end == Outcome.LOST) {
      long until = later(now, startedAt + bound);
      ended.add(now, until, amount);
      lose(now, until, amount);
    }
    open = Math.max(0, open - amount);
  }

  /** So few that they delay less than units that share a run: half a thousandth. */
  @Override
  public long mostUndated() {
    return max / (2 * TimestampRuns.EXACT);
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    open = Math.max(0, add(open, amount(actual)) - amount(charged));
    keepForgotten(now, counted(now));
  }

  @Override
  public long restsIn(long now) {
    return open > 0 ? AT_EVENT : untilAged(ended.total(), now);
  }

  @Override
  public boolean recall(long now, Past past) {
    ended.recall(now, past, bound);
    ended.recallForgotten(now, past, bound, rate());
    past.largest(largestRequest);
    return true;
  }
}
