package dev.pacegate.simulator.estimate;

import dev.pacegate.audit.PromiseCheck;
import dev.pacegate.audit.Verdict;
import java.util.Arrays;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no estimate of a peer with a coarse clock is above M, and measures the highest, over
 * all instants and all phases of its windows and of its clock.
 *
 * <p>The clock has steps of q, and I = n q. If a window began between two steps, it would count the
 * same from the next step on, and be estimated lower: so let the present one begin at a step w. At
 * t, with {@code j = floor((t - w) / q)}, the peer reads {@code counted in [w, t] + counted in [w -
 * I, w) * (n - j) / n}. While j is the same, that is most for the earliest w, just after t - (j +
 * 1) q. So these n windows are read at each start t. It needs what had ended by t - k q, for k from
 * 1 to 2 n: a mark for each k follows the ends.
 */
final class HighestCoarseEstimate implements PromiseCheck {

  /** An end that has come, and the one after it. */
  private static final class Ended {
    final RequestEnd end;
    @Nullable Ended next;

    Ended(RequestEnd end) {
      this.end = end;
    }
  }

  private final long nanos;
  private final long grain;
  private final int steps; // of the clock, in a window
  private final EstimateMaximum most;
  private final PriorityQueue<RequestEnd> ends = new PriorityQueue<>(); // of what is open
  private final Ended[] mark; // at k, the last that had ended k steps ago
  private final long[] marked; // what had ended by then, modulo 2^64
  private Ended newest = new Ended(new RequestEnd(0, 0));
  private long open;
  private long counted; // all that has ended, modulo 2^64
  private boolean begun;
  private long origin; // the first start: all instants count from here

  HighestCoarseEstimate(EstimateAtMost promise) {
    this.nanos = promise.nanos();
    this.grain = promise.grain();
    this.steps = (int) (nanos / grain);
    this.most = new EstimateMaximum(promise);
    this.mark = new Ended[2 * steps + 1];
    this.marked = new long[2 * steps + 1];
    Arrays.fill(mark, newest);
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
    count(start - origin);
    moveMarks(start - origin);
    ends.add(new RequestEnd(end - origin, amount));
    open += amount;
    read(start - origin);
  }

  private void count(long now) {
    while (!ends.isEmpty() && ends.element().instant() <= now) {
      var ended = new Ended(ends.remove());
      newest.next = ended;
      newest = ended;
      counted += ended.end.cost();
      open -= ended.end.cost();
    }
  }

  private void moveMarks(long now) {
    long past = Math.min(2L * steps, now / grain); // nothing ended before the first start
    for (int k = 1; k <= past; k++) {
      long then = now - k * grain;
      for (Ended next = mark[k].next;
          next != null && next.end.instant() <= then;
          next = next.next) {
        mark[k] = next;
        marked[k] += next.end.cost();
      }
    }
  }

  private void read(long now) {
    long total = counted + open;
    if (total - marked[steps] < 0) {
      most.readTooLarge(firstAfter(steps, now), origin + now);
      return;
    }
    for (int j = 0; j < steps; j++) {
      long present = total - marked[j + 1];
      long last = marked[j + 1] - marked[j + 1 + steps];
      Wide estimate = Wide.product(present, nanos).plus(Wide.product(last, nanos - j * grain));
      most.read(estimate, present, last, firstAfter(j + 1 + steps, now), origin + now);
    }
  }

  /** Returns the first end after a mark, or now if there is none. */
  private long firstAfter(int k, long now) {
    Ended next = mark[k].next;
    return origin + (next == null ? now : next.end.instant());
  }

  @Override
  public Verdict verdict() {
    return most.verdict();
  }
}
