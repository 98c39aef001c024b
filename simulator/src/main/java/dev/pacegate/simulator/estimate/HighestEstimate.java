package dev.pacegate.simulator.estimate;

import dev.pacegate.audit.PromiseCheck;
import dev.pacegate.audit.Verdict;
import java.util.ArrayDeque;
import java.util.PriorityQueue;

/**
 * Checks that no estimate of a peer is above M, and measures the highest, over all instants and all
 * phases of its windows.
 *
 * <p>Let the present window begin at w. At t the peer reads {@code counted in [w, t] + counted in
 * [w - I, w) * (1 - (t - w) / I)}. It reads most if each request that is over counts at its end,
 * and all that are open at t count at t. Between two starts the estimate only falls, so t is a
 * start.
 *
 * <p>If w moves back from t, the estimate falls too, except where a request comes into one of the
 * windows: so w is t itself, the end of a request, or one interval after such an end. These windows
 * are opened in order, at most two for each end. From then on the estimate of each rises by what is
 * counted, the same for all, and falls evenly by its own last window's share. A {@link
 * KineticTournament} tells the highest.
 *
 * <p>Amounts are exact: once what is open and what ended within one interval are together more than
 * {@link Long#MAX_VALUE}, so is an estimate, and the check is over.
 */
final class HighestEstimate implements PromiseCheck {

  private final long nanos;
  private final EstimateMaximum most;
  private final KineticTournament windows;
  private final PriorityQueue<RequestEnd> ends = new PriorityQueue<>(); // of what is open
  private final ArrayDeque<RequestEnd> recent = new ArrayDeque<>(); // ends within one interval
  private long open;
  private long recently; // the sum of recent
  private long counted; // all that has ended, modulo 2^64
  private boolean begun;
  private long origin; // the first start: all instants count from here
  private long newest = -1; // the beginning of the newest window

  HighestEstimate(EstimateAtMost promise) {
    this.nanos = promise.nanos();
    this.most = new EstimateMaximum(promise);
    this.windows = new KineticTournament(promise.nanos());
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0 || most.isTooLarge()) {
      return;
    }
    if (!begun) {
      begun = true;
      origin = start;
    }
    add(start - origin, new RequestEnd(end - origin, amount));
  }

  private void add(long start, RequestEnd end) {
    while (!ends.isEmpty() && ends.element().instant() <= start) {
      count(ends.remove());
    }
    forget(start);
    ends.add(end);
    open += end.cost();
    EstimateWindow now = window(start);
    if (recently + open < 0) {
      most.readTooLarge(origin + now.first(), origin + start);
      return;
    }
    windows.moveTo(start);
    EstimateWindow best = windows.best();
    if (best != null) {
      read(best, start);
    }
    read(now, start);
  }

  private void count(RequestEnd end) {
    forget(end.instant());
    begin(end.instant());
    recent.add(end);
    recently += end.cost();
    counted += end.cost();
    open -= end.cost();
  }

  /** Forgets what ended an interval ago or earlier, and opens the window that begins just then. */
  private void forget(long now) {
    while (!recent.isEmpty() && now - recent.element().instant() >= nanos) {
      begin(recent.element().instant() + nanos);
      recently -= recent.remove().cost();
    }
  }

  private void begin(long from) {
    if (newest != from) {
      newest = from;
      windows.moveTo(from);
      windows.add(window(from));
    }
  }

  private EstimateWindow window(long from) {
    long first = recent.isEmpty() ? from : recent.element().instant();
    return new EstimateWindow(from, counted, recently, first);
  }

  private void read(EstimateWindow window, long now) {
    long total = counted + open;
    long present = total - window.before();
    most.read(
        window.estimate(nanos, total, now),
        present,
        window.last(),
        origin + window.first(),
        origin + now);
  }

  /** Returns how often the estimates of two windows were compared. */
  long matches() {
    return windows.matches();
  }

  @Override
  public Verdict verdict() {
    return most.verdict();
  }
}
