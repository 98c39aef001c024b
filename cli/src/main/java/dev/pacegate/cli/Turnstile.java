package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Starts;
import dev.pacegate.limit.Unlimited;
import dev.pacegate.limit.Window;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes a permit for each item before it is written, and ends it after the write has returned.
 * Several items may be inside at once, to be written together.
 */
final class Turnstile {

  /** Is told of each item. */
  interface Witness {
    /** An item goes now. */
    void notice();

    /** Returns whether instants must be since 1970; settled when the first item goes. */
    boolean followsCalendar();

    /** An item has left. Instants are in nanoseconds since the turnstile was made, or 1970. */
    void add(long start, long end, Cost cost);
  }

  /** Fewer than a state file has room for, unless the limit allows fewer. */
  private static final int MOST_INSIDE = 4096;

  private static final int MOST_TOGETHER = 1 << 16;

  private final Limiter limiter;
  private final Time time;
  private final long origin;
  private final @Nullable Witness witness;
  private int most; // lines that may share a permit
  private volatile long due; // of the item that waits

  // Of the items inside, in the order in which they were admitted.
  private final @Nullable Permit[] permits = new Permit[MOST_INSIDE];
  private final long[] starts = new long[MOST_INSIDE];
  private final long[] costs = new long[MOST_INSIDE];
  private int inside;
  private long start; // of the last item: no earlier than the one before, even if clocks are set

  Turnstile(Limiter limiter, Time time) {
    this(limiter, time, null);
  }

  /**
   * @param limiter one whose permits know when they were released, if there is a witness
   * @param witness receives what went through; null if none
   */
  Turnstile(Limiter limiter, Time time, @Nullable Witness witness) {
    this.limiter = limiter;
    this.time = time;
    this.origin = time.nanoTime();
    this.witness = witness;
    this.most = mostTogether(limiter.limit());
  }

  /**
   * Returns how many lines may share a permit: under windows alone its cost is as much as they
   * would cost one by one. A spacing counts calls, and a bucket that is paid later takes any cost.
   */
  private static int mostTogether(Limit limit) {
    long most = MOST_TOGETHER;
    for (Limit term : limit.terms()) {
      Limit counted =
          term instanceof Peer peer ? peer.limit() : term instanceof Starts s ? s.limit() : term;
      if (counted instanceof Window window && window.of().equals(Measure.PLAIN)) {
        most = Math.min(most, window.rate().permits());
      } else if (!(counted instanceof Unlimited)) {
        return 1;
      }
    }
    return (int) most;
  }

  /** Gives each line a permit of its own: others may change the limit to one that counts calls. */
  Turnstile oneByOne() {
    most = 1;
    return this;
  }

  /** Returns the most lines that may share a permit. */
  int most() {
    return most;
  }

  /** Returns whether items inside must leave before another is admitted. */
  boolean isFull() {
    return inside == MOST_INSIDE;
  }

  /** Admits {@code lines} together if that is possible at once. */
  boolean tryEnterTogether(int lines) {
    try {
      return !isFull() && tryEnter(lines);
    } catch (CostTooLargeException e) { // of a limit that other processes have set
      return false;
    }
  }

  /** Admits {@code cost} if that is possible at once. */
  boolean tryEnter(long cost) {
    Permit permit = limiter.poll(Cost.of(cost));
    if (permit == null) {
      return false;
    }
    enter(permit, cost);
    return true;
  }

  /** Admits {@code cost} as soon as that is possible. */
  void enter(long cost) throws InterruptedException {
    due = time.nanoTime() + limiter.estimateWait(cost).toNanos();
    enter(limiter.acquire(cost), cost);
  }

  /** Returns when the item that waits may be admitted, if nothing else happens. */
  long due() {
    return due;
  }

  private void enter(Permit permit, long cost) {
    if (witness != null) {
      witness.notice();
      start = witness.followsCalendar() ? Math.max(start, now()) : permit.releasedAt() - origin;
    }
    permits[inside] = permit;
    starts[inside] = start;
    costs[inside] = cost;
    inside++;
  }

  private long now() {
    return witness != null && witness.followsCalendar()
        ? ChronoUnit.NANOS.between(Instant.EPOCH, time.instant())
        : time.nanoTime() - origin;
  }

  /** Ends the permits of all items that have been written: all but the last {@code staying}. */
  void leave(int staying) {
    int leaving = inside - staying;
    long end = witness == null || leaving == 0 ? 0 : now();
    for (int i = 0; i < inside; i++) {
      Permit permit = requireNonNull(permits[i]);
      permits[i] = null;
      if (i < leaving) {
        end(permit, i, end);
      } else {
        stay(permit, i, i - leaving);
      }
    }
    inside = staying;
  }

  private void end(Permit permit, int place, long end) {
    if (witness != null) {
      witness.add(starts[place], Math.max(starts[place], end), Cost.of(costs[place]));
    }
    permit.answered();
  }

  private void stay(Permit permit, int from, int to) {
    permits[to] = permit;
    starts[to] = starts[from];
    costs[to] = costs[from];
  }
}
