package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Promise;

/**
 * Predicts the throughput of a limit when there is always more to send, from its promises.
 *
 * <p>Let H be how long a permit is held on average: from its start to its end; of a lost one to
 * {@code unanswered} after its start, if that is later. A peer window has M places, each of which
 * is taken for H and then I' (the interval and the margin): so M / (H + I') whatever the
 * distribution of H. A peer spacing is that with one place; a {@code concurrent} limit has no I'. A
 * limit of starts has no H: its long-run throughput is its rate.
 *
 * <p>Where the peer counts within a bound after the start, H is at most that bound. Where some
 * answers are quicker than that and some slower, a little more goes than this says.
 *
 * <p>In a window of the calendar each permit is charged to as many windows as H and the margin e on
 * either side overlap: 1 + (H + 2 e) / I on average if it starts anywhere. As most start when a
 * window begins, more goes; a share of this theory may be more than 1.
 *
 * <p>For a peer bucket only bounds are known. It cannot exceed its rate less the margin's share,
 * r', nor B / H, as no more than the burst is in flight; and since the level is zero when all of it
 * is in flight, it is about min(r', B / (H + 1/r' + margin)) if all are held equally long. The
 * prediction used here is a lower bound: Erlang's formula, which is exact for a burst of 1, and
 * otherwise assumes that tokens come as irregularly as calls do. They do not, so up to a quarter
 * more goes; a share of this theory may be more than 1.
 */
final class Theory {

  /** Ten thousand days: so long that a burst at the beginning does not matter. */
  private static final long LONG = 864_000_000_000_000_000L;

  private Theory() {}

  /** Returns the expected cost per nanosecond; NaN if that is not known. */
  static double perNano(Limit limit, double hold) {
    double least = Double.POSITIVE_INFINITY;
    for (Limit term : limit.terms()) {
      for (Promise promise : term.promises()) {
        least = Math.min(least, perNano(promise, term.margin(), hold));
      }
    }
    return least == Double.POSITIVE_INFINITY ? Double.NaN : least;
  }

  private static double perNano(Promise promise, Margin margin, double hold) {
    if (promise instanceof Promise.Counted counted) {
      return perNano(counted.promise(), margin, Math.min(hold, (double) counted.nanos()));
    }
    long most = promise.most(LONG);
    double rate = most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : (double) most / LONG;
    if (!promise.countsWhole()) {
      return rate;
    }
    double places = promise.atOnce();
    if (most == Long.MAX_VALUE) {
      return places / hold;
    }
    if (promise.followsCalendar() || promise.most(promise.length()) == promise.atOnce()) {
      return places / (longer(promise.length(), margin) + hold);
    }
    double slower = rate / (1 + margin.millionths() / 1e6);
    return slower * (1 - busy(promise.atOnce(), slower * (hold + margin.nanos())));
  }

  /**
   * Erlang's formula: the probability that all {@code places} are taken when {@code load} requests
   * come per hold.
   */
  private static double busy(long places, double load) {
    double busy = 1;
    for (long place = 1; place <= places; place++) {
      busy = load * busy / (place + load * busy);
    }
    return busy;
  }

  private static double longer(long interval, Margin margin) {
    return interval * (1 + margin.millionths() / 1e6) + margin.nanos();
  }
}
