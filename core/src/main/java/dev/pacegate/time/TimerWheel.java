package dev.pacegate.time;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines and what is to be done at them, in any number: adding and cancelling take O(1).
 *
 * <p><b>Promise.</b> {@link #expire} hands out every entry whose deadline has been reached, none
 * before and none twice. A deadline may be any distance away. An entry is forgotten the moment it
 * is handed out or cancelled.
 *
 * <p><b>Not promised.</b> The order of deadlines that lie within the same 65 microseconds.
 *
 * <p>Passive: time is an argument, nothing waits. Not thread-safe.
 *
 * @param <T> what is to be done
 */
/*
 * A hierarchy of wheels [1] without rounding. A tick is 2^16 ns; the tick of a deadline, as 8 digits of
 * base 64, is compared with that of the cursor: the highest digit in which they differ names the wheel,
 * its value there the slot. So everything on a lower wheel is due before everything on a higher one,
 * and on a wheel what comes first is found by one look at its bitmap. When the cursor reaches a slot,
 * its entries move to lower wheels, at most 8 times in all. What falls into the cursor's own tick waits
 * in `soon`, where deadlines are compared to the nanosecond.
 *
 * [1] G. Varghese, T. Lauck: Hashed and Hierarchical Timing Wheels, SOSP 1987.
 */
public final class TimerWheel<T> {

  private static final int TICK_BITS = 16;
  private static final int DIGIT_BITS = 6;
  private static final int SLOTS = 1 << DIGIT_BITS;
  private static final int WHEELS = 8;
  private static final long LONGEST_PAST = Long.MAX_VALUE / 4;

  private final long origin;
  private final Slot<T>[][] wheels;
  private final long[] occupied = new long[WHEELS]; // a bit for each slot that is not empty
  private final Slot<T> soon = new Slot<>(-1, -1);
  private long cursor; // a tick
  private int size;

  /** Returns a wheel for deadlines from {@code now} on. */
  @SuppressWarnings("unchecked")
  public TimerWheel(long now) {
    this.origin = now;
    this.wheels = (Slot<T>[][]) new Slot<?>[WHEELS][];
  }

  /**
   * Adds an entry; a deadline in the past is due at once. What cannot be in the past, as it would
   * lie more than seventy years back, is in the future.
   */
  public Entry<T> add(long deadline, T task) {
    var entry = new Entry<>(this, sinceOrigin(deadline), task);
    place(entry);
    size++;
    return entry;
  }

  private long sinceOrigin(long deadline) {
    long cursorInstant = cursor << TICK_BITS;
    long ahead = deadline - origin - cursorInstant;
    if (ahead < 0 && ahead > -LONGEST_PAST) {
      return cursorInstant;
    }
    long sum = cursorInstant + ahead;
    return ahead < 0 || sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Returns how many entries there are. */
  public int size() {
    return size;
  }

  /**
   * Returns the nanoseconds from {@code now} until something may be due, {@link Long#MAX_VALUE} if
   * there is nothing. Never too long; too short only where the entry due first has been cancelled.
   */
  public long nanosUntilNext(long now) {
    if (size == 0) {
      return Long.MAX_VALUE;
    }
    Slot<T> first = soon.isEmpty() ? firstSlot() : soon;
    return Math.max(0, first.earliest - (now - origin));
  }

  /** Removes everything due by {@code now} and hands it to {@code sink}. */
  public void expire(long now, Consumer<? super T> sink) {
    long instant = Math.max(0, now - origin);
    long tick = instant >>> TICK_BITS;
    handOut(instant, sink);
    for (Slot<T> next = slotUntil(tick); next != null; next = slotUntil(tick)) {
      cursor = next.firstTick(cursor);
      scatter(next);
      handOut(instant, sink);
    }
    cursor = Math.max(cursor, tick);
  }

  /** Removes everything, due or not, and hands it to {@code sink}. */
  public void drain(Consumer<? super T> sink) {
    while (size > 0) {
      Slot<T> slot = soon.isEmpty() ? firstSlot() : soon;
      Entry<T> entry = slot.first;
      if (entry != null) {
        remove(entry);
        sink.accept(entry.task);
      }
    }
  }

  /** Returns the first slot that is not empty, if it begins by {@code tick}. */
  private @Nullable Slot<T> slotUntil(long tick) {
    if (size == 0 || !soon.isEmpty()) {
      return null;
    }
    Slot<T> first = firstSlot();
    return first.firstTick(cursor) <= tick ? first : null;
  }

  private Slot<T> firstSlot() {
    int wheel = 0;
    while (occupied[wheel] == 0) {
      wheel++;
    }
    // All bits lie beyond the cursor's own digit, so the lowest comes first.
    return wheels[wheel][Long.numberOfTrailingZeros(occupied[wheel])];
  }

  private void handOut(long instant, Consumer<? super T> sink) {
    if (soon.isEmpty() || soon.earliest > instant) {
      return;
    }
    long earliest = Long.MAX_VALUE;
    for (Entry<T> entry = soon.first; entry != null; ) {
      Entry<T> next = entry.next;
      if (entry.deadline <= instant) {
        remove(entry);
        sink.accept(entry.task);
      } else {
        earliest = Math.min(earliest, entry.deadline);
      }
      entry = next;
    }
    soon.earliest = earliest;
  }

  /** Moves the entries of a slot that the cursor has reached to where they belong now. */
  private void scatter(Slot<T> slot) {
    Entry<T> entry = slot.takeAll();
    occupied[slot.wheel] &= ~(1L << slot.index);
    while (entry != null) {
      Entry<T> next = entry.next;
      place(entry);
      entry = next;
    }
  }

  private void place(Entry<T> entry) {
    long tick = entry.deadline >>> TICK_BITS;
    if (tick <= cursor) {
      soon.append(entry);
      return;
    }
    int wheel = (63 - Long.numberOfLeadingZeros(tick ^ cursor)) / DIGIT_BITS;
    int index = (int) (tick >>> (wheel * DIGIT_BITS)) & (SLOTS - 1);
    slot(wheel, index).append(entry);
    occupied[wheel] |= 1L << index;
  }

  @SuppressWarnings("unchecked")
  private Slot<T> slot(int wheel, int index) {
    if (wheels[wheel] == null) {
      wheels[wheel] = (Slot<T>[]) new Slot<?>[SLOTS];
    }
    Slot<T> slot = wheels[wheel][index];
    if (slot == null) {
      slot = new Slot<>(wheel, index);
      wheels[wheel][index] = slot;
    }
    return slot;
  }

  private boolean remove(Entry<T> entry) {
    Slot<T> slot = entry.slot;
    if (slot == null) {
      return false;
    }
    slot.unlink(entry);
    if (slot.isEmpty() && slot.wheel >= 0) {
      occupied[slot.wheel] &= ~(1L << slot.index);
    }
    size--;
    return true;
  }

  /**
   * An entry of a wheel.
   *
   * @param <T> what is to be done
   */
  public static final class Entry<T> {
    private final TimerWheel<T> wheel;
    private final long deadline; // since the wheel's origin
    private final T task;
    private @Nullable Slot<T> slot; // null once handed out or cancelled
    private @Nullable Entry<T> previous;
    private @Nullable Entry<T> next;

    private Entry(TimerWheel<T> wheel, long deadline, T task) {
      this.wheel = wheel;
      this.deadline = deadline;
      this.task = task;
    }

    /** Takes the entry out; returns false if it has been handed out or cancelled before. */
    public boolean cancel() {
      return wheel.remove(this);
    }
  }

  /** The entries of one slot, in the order in which they came. */
  private static final class Slot<T> {
    final int wheel;
    final int index;
    long earliest = Long.MAX_VALUE; // never later than the earliest deadline
    @Nullable Entry<T> first;
    @Nullable Entry<T> last;

    Slot(int wheel, int index) {
      this.wheel = wheel;
      this.index = index;
    }

    boolean isEmpty() {
      return first == null;
    }

    /** Returns the first tick of this slot, given that the cursor is below it on the same turn. */
    long firstTick(long cursor) {
      int shift = wheel * DIGIT_BITS;
      long above = cursor >>> shift >>> DIGIT_BITS << DIGIT_BITS;
      return (above | index) << shift;
    }

    void append(Entry<T> entry) {
      entry.slot = this;
      entry.previous = last;
      entry.next = null;
      if (last == null) {
        first = entry;
        earliest = entry.deadline;
      } else {
        last.next = entry;
        earliest = Math.min(earliest, entry.deadline);
      }
      last = entry;
    }

    void unlink(Entry<T> entry) {
      Entry<T> before = entry.previous;
      Entry<T> after = entry.next;
      if (before == null) {
        first = after;
      } else {
        before.next = after;
      }
      if (after == null) {
        last = before;
      } else {
        after.previous = before;
      }
      entry.slot = null;
      entry.previous = null;
      entry.next = null;
    }

    @Nullable Entry<T> takeAll() {
      Entry<T> all = first;
      first = null;
      last = null;
      return all;
    }
  }
}
