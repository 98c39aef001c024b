package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many calls be under way on a connection at once; the others wait, those of a limit in
 * order. Limits take turns, so the many keys of one do not hold up another.
 *
 * <p>A call is under way until the connection is rid of it, though its caller may have given it up
 * long before: so the connection keeps a few, however many keys there are and however often they
 * call again.
 *
 * <p>Of a slow server they are fewer: as many as it answers in half the time that a caller waits.
 * Otherwise each answer came too late, and the server would do nothing but work in vain.
 *
 * <p>If none is answered for a while those that wait fail, as those under way do. Thread-safe.
 */
final class CallWindow {

  /** So many keep a server busy for some 20 ms, and are answered well within a second. */
  static final int MOST = 256;

  /** A call that waits for its turn. */
  interface PendingCall {

    /** Its turn has come: {@link #over} follows, once. */
    void make();

    /** Its turn does not come. */
    void fail(Throwable why);
  }

  private final Time time;
  private final Duration longest; // of a call, and of a silence
  private final ThreadLocal<Boolean> making = new ThreadLocal<>(); // set while this thread does
  // By limit, that whose turn is next first. Guarded by this, as the rest.
  private final Map<String, Deque<PendingCall>> waiting = new LinkedHashMap<>();
  private int underWay;
  private int most = MOST;
  private long shrunkAt; // when there were too many last
  private long movedAt; // when a call was made or over last
  private boolean isWatched; // by a timer, while any waits

  /**
   * Creates a window.
   *
   * @param longest how long callers wait for an answer
   */
  CallWindow(Time time, Duration longest) {
    this.time = time;
    this.longest = longest;
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
      movedAt = time.nanoTime();
      adapt(took);
    }
    makeAll();
  }

  // Those that are answered late were made before it shrank: they tell nothing new for a while.
  private void adapt(long took) {
    if (took < longest.toNanos() / 2) {
      most = Math.min(most + 1, MOST);
    } else if (took >= longest.toNanos() && movedAt - shrunkAt >= longest.toNanos()) {
      most = Math.max(1, most / 2);
      shrunkAt = movedAt;
    }
  }

  synchronized boolean isFull() {
    return underWay >= most;
  }

  /** Fails all calls that wait. */
  void failAll(Throwable why) {
    List<PendingCall> failed;
    synchronized (this) {
      failed = waiting.values().stream().flatMap(Deque::stream).toList();
      waiting.clear();
    }
    failed.forEach(call -> call.fail(why));
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
    if (waiting.isEmpty()) {
      return null;
    }
    if (isFull()) {
      watch(longest.toNanos());
      return null;
    }
    underWay++;
    movedAt = time.nanoTime();
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

  private void watch(long nanos) {
    if (!isWatched) {
      isWatched = true;
      time.at(time.nanoTime() + nanos, this::look);
    }
  }

  private void look() {
    if (isSilent()) {
      failAll(new TimeoutException("no answer for " + Durations.brief(longest)));
    }
  }

  private synchronized boolean isSilent() {
    isWatched = false;
    long left = movedAt + longest.toNanos() - time.nanoTime();
    if (left > 0 && !waiting.isEmpty()) {
      watch(left);
    }
    return left <= 0;
  }
}
