package dev.pacegate.simulator;

import dev.pacegate.limit.Aligned;
import dev.pacegate.limit.All;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Spacing;
import dev.pacegate.limit.Starts;
import dev.pacegate.limit.Window;

/**
 * How much a limit lets through when there is always more to send.
 *
 * <p>Let H be how long a permit is held on average: from its start to its end; of a lost one to
 * {@code unanswered} after its start, if that is later. A peer window has M places, each of which
 * is taken for H and then I' (the interval and the margin): so M / (H + I') whatever the
 * distribution of H. A peer spacing is that with one place; what is {@code concurrent} has no I'.
 * What counts starts has no H.
 *
 * <p>In a window of the calendar each permit is charged to as many windows as H and the margin e on
 * either side touch: 1 + (H + 2 e) / I on average if it starts anywhere. As most start when a
 * window begins, more goes; a share of this theory may be more than 1.
 *
 * <p>Of a peer bucket only bounds are known. It cannot pass its rate less the margin's share, r',
 * nor B / H, as no more than the burst is in flight; and since the level is nothing when all of it
 * is in flight, it comes to about min(r', B / (H + 1/r' + margin)) if all are held equally long.
 * What is used here is what to expect at least: Erlang's formula, which is exact for a burst of 1,
 * and otherwise supposes that tokens come as irregularly as calls do. They do not, so up to a
 * quarter more goes; a share of this theory may be more than 1.
 */
final class Theory {

  private Theory() {}

  /** Returns how much cost per nanosecond to expect; not a number where that is not known. */
  static double perNano(Limit limit, double hold) {
    if (limit instanceof Peer peer) {
      return peer(peer.limit(), peer.margin(), hold);
    }
    if (limit instanceof All all) {
      return all.terms().stream()
          .mapToDouble(term -> perNano(term, hold))
          .filter(term -> !Double.isNaN(term))
          .min()
          .orElse(Double.NaN);
    }
    if (limit instanceof Starts starts) {
      return perNano(starts.limit(), hold);
    }
    if (limit instanceof Aligned aligned) {
      long each = aligned.windows().end(0) - aligned.windows().begin(0);
      return aligned.max() / (each + hold + 2.0 * aligned.marginNanos());
    }
    return limit instanceof Concurrent concurrent ? concurrent.max() / hold : starts(limit);
  }

  private static double starts(Limit limit) {
    if (limit instanceof Window window) {
      return perNano(window.rate());
    }
    if (limit instanceof Bucket bucket) {
      return perNano(bucket.rate());
    }
    return limit instanceof Spacing spacing ? 1.0 / spacing.gapNanos() : Double.NaN;
  }

  private static double peer(Limit limit, Margin margin, double hold) {
    if (limit instanceof Bucket bucket) {
      double slower = perNano(bucket.rate()) / (1 + margin.millionths() / 1e6);
      return slower * (1 - busy(bucket.burst(), slower * (hold + margin.nanos())));
    }
    if (limit instanceof Window window) {
      return window.rate().permits() / (longer(window.rate().nanos(), margin) + hold);
    }
    return 1 / (longer(((Spacing) limit).gapNanos(), margin) + hold);
  }

  /**
   * Erlang's formula: how often all of {@code places} are taken when {@code load} come per hold.
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

  private static double perNano(Rate rate) {
    return (double) rate.permits() / rate.nanos();
  }
}
