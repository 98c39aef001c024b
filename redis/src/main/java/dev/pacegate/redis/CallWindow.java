package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many entries be under way on a connection at once; the others wait in lines, each in
 * order. Lines take turns, so the many keys of one limit do not hold up another limit.
 *
 * <p>Entries of a line that gathers share calls: while no call of it is under way, the next is made
 * as soon as an entry waits; then once 2 wait, 4, 8 and so on, up to {@link #MOST_IN_A_CALL}. So a
 * single entry waits for nothing, and many make few calls.
 *
 * <p>An entry is under way until the connection is rid of it: so the connection keeps a few,
 * however many keys there are. Of a slow server they are fewer: as many as it answers in half the
 * time after which a call is late. Otherwise what each grants would be over when it comes, and be
 * asked for again: the server would do nothing but work in vain.
 *
 * <p>Thread-safe.
 *
 * @param <E> what waits
 */
final class CallWindow<E> {

  /** So many keep a server busy for some 10 ms, and are answered well within a second. */
  static final int MOST = 256;

  /** More would save little, and hold up others for longer. */
  static final int MOST_IN_A_CALL = 32;

  /**
   * Entries whose turn has come, of one line: {@link #over} follows, once.
   *
   * @param entries in order
   */
  record CallBatch<E>(Object line, List<E> entries) {}

  /** Entries of one name, or of one source of keys. */
  private static final class SourceLine<E> {
    final Object name;
    final boolean gathers;
    final Deque<E> waiting = new ArrayDeque<>();
    int calls; // under way

    SourceLine(Object name, boolean gathers) {
      this.name = name;
      this.gathers = gathers;
    }

    /** Returns how many go in the next call, if there is room for so many; 0 if it waits. */
    int next(int room) {
      int most = gathers ? MOST_IN_A_CALL : 1;
      int least = Math.min(most, 1 << Math.min(calls, Integer.SIZE - 2));
      int next = Math.min(Math.min(waiting.size(), most), room);
      return next >= least ? next : 0;
    }
  }

  private final Time time;
  private final long late; // nanoseconds
  private final Consumer<CallBatch<E>> maker;
  private final ThreadLocal<Boolean> making = new ThreadLocal<>(); // set while this thread does
  private final Map<Object, SourceLine<E>> lines =
      new HashMap<>(); // guarded by this, as what follows
  private final Set<SourceLine<E>> turns = new LinkedHashSet<>(); // lines in which any waits
  private int underWay;
  private int most = MOST;
  private long shrunkAt; // when there were too many last

  /**
   * Creates a window.
   *
   * @param late after that a call is late
   * @param maker makes calls
   */
  CallWindow(Time time, Duration late, Consumer<CallBatch<E>> maker) {
    this.time = time;
    this.late = late.toNanos();
    this.maker = maker;
    this.shrunkAt = time.nanoTime();
  }

  /**
   * Makes a call of an entry when its turn comes: at once if not too many are under way.
   *
   * @param line its name
   * @param gathers whether entries of this line share calls
   */
  void add(Object line, boolean gathers, E entry) {
    synchronized (this) {
      SourceLine<E> of = lines.computeIfAbsent(line, name -> new SourceLine<>(name, gathers));
      of.waiting.add(entry);
      turns.add(of);
    }
    makeAll();
  }

  /** A call is not under way any more, which took so many nanoseconds. */
  void over(CallBatch<E> batch, long took) {
    synchronized (this) {
      underWay -= batch.entries().size();
      SourceLine<E> line = requireNonNull(lines.get(batch.line()));
      line.calls--;
      if (line.calls == 0 && line.waiting.isEmpty()) {
        lines.remove(batch.line());
      }
      adapt(batch.entries().size(), took, time.nanoTime());
    }
    makeAll();
  }

  // Those that are answered late were made before it shrank: they tell nothing new for a while.
  private void adapt(int entries, long took, long now) {
    if (took < late / 2) {
      most = Math.min(most + entries, MOST);
    } else if (took >= late && now - shrunkAt >= late) {
      most = Math.max(1, most / 2);
      shrunkAt = now;
    }
  }

  // A call that fails at once leads to the next: in this loop, and not further up the stack.
  private void makeAll() {
    if (making.get() != null) {
      return;
    }
    making.set(true);
    try {
      for (CallBatch<E> next = next(); next != null; next = next()) {
        maker.accept(next);
      }
    } finally {
      making.remove();
    }
  }

  /** Takes the first whose turn has come, which are under way then; null if there are none. */
  private synchronized @Nullable CallBatch<E> next() {
    for (SourceLine<E> line : turns) {
      int entries = line.next(most - underWay);
      if (entries > 0) {
        return take(line, entries);
      }
    }
    return null;
  }

  private CallBatch<E> take(SourceLine<E> line, int entries) {
    var taken = new ArrayList<E>(entries);
    for (int i = 0; i < entries; i++) {
      taken.add(line.waiting.remove());
    }
    turns.remove(line);
    if (!line.waiting.isEmpty()) {
      turns.add(line); // behind the others
    }
    line.calls++;
    underWay += entries;
    return new CallBatch<>(line.name, taken);
  }
}
