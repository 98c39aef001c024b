package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many calls be under way on a connection at once; the others wait, those of a limit in
 * order. Limits take turns, so the many keys of one do not hold up another.
 *
 * <p>A call is under way until the connection is rid of it: so the connection keeps a few, however
 * many keys there are.
 *
 * <p>Of a slow server they are fewer: as many as it answers in half the time after which a call is
 * late. Otherwise what each grants would be over when it comes, and be asked for again: the server
 * would do nothing but work in vain.
 *
 * <p>Thread-safe.
 */
final class CallWindow {

  /** So many keep a server busy for some 20 ms, and are answered well within a second. */
  static final int MOST = 256;

  /** A call that waits for its turn. */
  interface PendingCall {

    /** Its turn has come: {@link #over} follows, once. */
    void make();
  }

  private final Time time;
  private final long late; // nanoseconds
  private final ThreadLocal<Boolean> making = new ThreadLocal<>(); // set while this thread does
  // By limit, that whose turn is next first. Guarded by this, as the rest.
  private final Map<String, Deque<PendingCall>> waiting = new LinkedHashMap<>();
  private int underWay;
  private int most = MOST;
  private long shrunkAt; // when there were too many last

  /**
   * Creates a window.
   *
   * @param late after that a call is late
   */
  CallWindow(Time time, Duration late) {
    this.time = time;
    this.late = late.toNanos();
    this.shrunkAt = time.nanoTime();
  }

  /** Makes a call of a limit when its turn comes: at once if not too many are under way. */
  void add(String limit, PendingCall call) {
    synchronized (this) {
      waiting.computeIfAbsent(limit, first -> new ArrayDeque<>()).add(call);
    }
    makeAll();
  }

  /** A call is not under way any more, which took so many nanoseconds. */
  void over(long took) {
    synchronized (this) {
      underWay--;
      adapt(took, time.nanoTime());
    }
    makeAll();
  }

  // Those that are answered late were made before it shrank: they tell nothing new for a while.
  private void adapt(long took, long now) {
    if (took < late / 2) {
      most = Math.min(most + 1, MOST);
    } else if (took >= late && now - shrunkAt >= late) {
      most = Math.max(1, most / 2);
      shrunkAt = now;
    }
  }

  synchronized boolean isFull() {
    return underWay >= most;
  }

  // A call that fails at once leads to the next: in this loop, and not further up the stack.
  private void makeAll() {
    if (making.get() != null) {
      return;
    }
    making.set(true);
    try {
      for (PendingCall next = next(); next != null; next = next()) {
        next.make();
      }
    } finally {
      making.remove();
    }
  }

  /** Takes the first that waits, which is under way then; null if its turn has not come. */
  private synchronized @Nullable PendingCall next() {
    if (waiting.isEmpty() || isFull()) {
      return null;
    }
    underWay++;
    return takeFirst();
  }

  private PendingCall takeFirst() {
    String limit = waiting.keySet().iterator().next();
    Deque<PendingCall> calls = requireNonNull(waiting.remove(limit));
    PendingCall first = calls.remove();
    if (!calls.isEmpty()) {
      waiting.put(limit, calls); // behind the others
    }
    return first;
  }
}
