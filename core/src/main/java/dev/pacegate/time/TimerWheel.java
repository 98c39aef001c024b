package dev.pacegate.time;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A passive timer wheel for any number of deadlines: adding and cancelling take O(1).
 *
 * <p><b>Promise.</b> {@link #poll} returns every entry whose deadline has been reached, none before
 * and none twice; entries of one deadline in the order in which they were added. A deadline may be
 * any distance away. The wheel drops an entry, and the entry its task, as soon as it is returned or
 * cancelled.
 *
 * <p><b>Not promised.</b> The order of different deadlines that lie within the same 65
 * microseconds, or have passed when they are added.
 *
 * <p>Passive: time is an argument, nothing waits. Not thread-safe.
 *
 * @param <T> the type of tasks
 */
/*
 * A hierarchy of wheels [1] without rounding. A tick is 2^16 ns; the tick of a deadline, as 8 digits of
 * base 64, is compared with that of the cursor: the highest digit in which they differ names the wheel,
 * its value there the slot. So everything on a lower wheel is due before everything on a higher one,
 * and on a wheel what comes first is found by one look at its bitmap. When the cursor reaches a slot,
 * its entries move to lower wheels, at most 8 times in all. What falls into the cursor's own tick waits
 * in `soon`, where deadlines are compared to the nanosecond; what is due moves on to `due`, where it may
 * still be cancelled until it is taken, one by one.
 *
 * Entries link themselves, in a ring that begins and ends with their slot, and all slots exist from
 * the start: so once there is an entry nothing is allocated.
 *
 * [1] G. Varghese, T. Lauck: Hashed and Hierarchical Timing Wheels, SOSP 1987.
 */
final class TimerWheel<T> {

  private static final int TICK_BITS = 16;
  private static final int DIGIT_BITS = 6;
  private static final int SLOTS = 1 << DIGIT_BITS;
  private static final int WHEELS = 8;
  private static final int NO_WHEEL = -1;
  private static final long LONGEST_PAST = Long.MAX_VALUE / 4;

  private final long origin;
  private final Slot<T>[] slots;
  private final long[] occupied = new long[WHEELS]; // a bit for each slot that is not empty
  private final Slot<T> soon = new Slot<>(this, NO_WHEEL, 0);
  private final Slot<T> due = new Slot<>(this, NO_WHEEL, 0);
  private long cursor; // a tick
  private int size;

  /** Returns a wheel for deadlines from {@code now} on. */
  @SuppressWarnings("unchecked")
  TimerWheel(long now) {
    this.origin = now;
    this.slots = (Slot<T>[]) new Slot<?>[WHEELS * SLOTS];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot<>(this, i / SLOTS, i % SLOTS);
    }
  }

  /**
   * Adds an entry that has never been added: completely or, if it throws, not at all. A deadline in
   * the past is due at once. A deadline that would lie more than seventy years back is taken to lie
   * in the future.
   */
  void add(long deadline, Entry<T> entry) {
    entry.deadline = sinceOrigin(deadline);
    place(entry);
    size++;
  }

  private long sinceOrigin(long deadline) {
    long cursorInstant = cursor << TICK_BITS;
    long ahead = deadline - origin - cursorInstant;
    long sum = cursorInstant + ahead;
    boolean past = ahead < 0 && ahead > -LONGEST_PAST;
    if (sum >= 0 && (past || ahead >= 0)) {
      return sum;
    }
    return past ? 0 : Long.MAX_VALUE;
  }

  /** Returns the number of entries. */
  int size() {
    return size;
  }

  /**
   * Returns the nanoseconds from {@code now} until an entry may be due, {@link Long#MAX_VALUE} if
   * there is none. Never too long; too short only if the earliest entry has been cancelled.
   */
  long nanosUntilNext(long now) {
    if (size == 0) {
      return Long.MAX_VALUE;
    }
    return due.isEmpty() ? Math.max(0, first().earliest - elapsed(now)) : 0;
  }

  /** Removes an entry that is due by {@code now} and returns its task, null if there is none. */
  @Nullable T poll(long now) {
    if (due.isEmpty()) {
      collect(elapsed(now));
    }
    return take(due);
  }

  /** Removes everything, due or not, and hands it to {@code sink}, which must not add. */
  void drain(Consumer<? super T> sink) {
    while (size > 0) {
      T task = take(due.isEmpty() ? first() : due);
      if (task != null) {
        sink.accept(task);
      }
    }
  }

  private long elapsed(long now) {
    return Math.max(0, now - origin);
  }

  private @Nullable T take(Slot<T> slot) {
    Entry<T> entry = slot.next;
    T task = entry.task; // none of an empty slot, which follows itself
    if (task != null) {
      remove(entry, slot);
    }
    return task;
  }

  /** Moves the cursor to {@code instant}, and entries that fall due on the way to `due`. */
  private void collect(long instant) {
    long tick = instant >>> TICK_BITS;
    collectSoon(instant);
    for (Slot<T> next = slotUntil(tick); next != null; next = slotUntil(tick)) {
      cursor = next.firstTick(cursor);
      scatter(next);
      collectSoon(instant);
    }
    cursor = Math.max(cursor, tick);
  }

  /** Returns the first slot that is not empty, if it begins by {@code tick} and beyond `soon`. */
  private @Nullable Slot<T> slotUntil(long tick) {
    Slot<T> first = first();
    return first != soon && first.firstTick(cursor) <= tick ? first : null;
  }

  /** Returns the slot of the earliest entries that are not due yet; `soon` if there are none. */
  private Slot<T> first() {
    for (int wheel = 0; wheel < WHEELS && soon.isEmpty(); wheel++) {
      if (occupied[wheel] != 0) {
        // All bits lie beyond the cursor's own digit, so the lowest comes first.
        return slots[wheel * SLOTS + Long.numberOfTrailingZeros(occupied[wheel])];
      }
    }
    return soon;
  }

  private void collectSoon(long instant) {
    if (soon.isEmpty() || soon.earliest > instant) {
      return;
    }
    long earliest = Long.MAX_VALUE;
    for (Entry<T> entry = soon.next; entry != soon; ) {
      Entry<T> next = entry.next;
      if (entry.deadline <= instant) {
        soon.unlink(entry);
        due.append(entry);
      } else {
        earliest = Math.min(earliest, entry.deadline);
      }
      entry = next;
    }
    soon.earliest = earliest;
  }

  /** Moves the entries of a slot that the cursor has reached to their slots on lower wheels. */
  private void scatter(Slot<T> slot) {
    occupied[slot.wheel] &= ~(1L << slot.index);
    while (!slot.isEmpty()) {
      Entry<T> entry = slot.next;
      slot.unlink(entry);
      place(entry);
    }
  }

  private void place(Entry<T> entry) {
    Slot<T> slot = slotOf(entry.deadline >>> TICK_BITS);
    slot.append(entry);
    if (slot.wheel != NO_WHEEL) {
      occupied[slot.wheel] |= 1L << slot.index;
    }
  }

  private Slot<T> slotOf(long tick) {
    if (tick <= cursor) {
      return soon;
    }
    int wheel = (63 - Long.numberOfLeadingZeros(tick ^ cursor)) / DIGIT_BITS;
    int index = (int) (tick >>> (wheel * DIGIT_BITS)) & (SLOTS - 1);
    return slots[wheel * SLOTS + index];
  }

  private void remove(Entry<T> entry, Slot<T> slot) {
    slot.unlink(entry);
    entry.task = null;
    if (slot.next == slot && slot.wheel != NO_WHEEL) {
      occupied[slot.wheel] &= ~(1L << slot.index);
    }
    size--;
  }

  /**
   * An entry of a wheel.
   *
   * @param <T> the type of tasks
   */
  static class Entry<T> {
    private @Nullable T task; // null once handed out or cancelled
    private long deadline; // since the wheel's origin
    private @Nullable Slot<T> slot; // null once handed out or cancelled
    Entry<T> previous = this;
    Entry<T> next = this;

    Entry(@Nullable T task) {
      this.task = task;
    }

    /** Takes the entry out; returns false if it has been handed out or cancelled before. */
    boolean cancel() {
      Slot<T> in = slot;
      if (in == null) {
        return false;
      }
      in.owner.remove(this, in);
      return true;
    }
  }

  /**
   * The entries of one slot, in the order in which they were added, in a ring that begins and ends
   * with the slot. Appending and unlinking call no method, so a stack overflow happens before them
   * or not at all.
   */
  private static final class Slot<T> extends Entry<T> {
    final TimerWheel<T> owner;
    final int wheel;
    final int index;
    long earliest; // if there is any: never later than the earliest deadline

    Slot(TimerWheel<T> owner, int wheel, int index) {
      super(null);
      this.owner = owner;
      this.wheel = wheel;
      this.index = index;
    }

    boolean isEmpty() {
      return next == this;
    }

    /** Returns the first tick of this slot, given that the cursor is below it on the same turn. */
    long firstTick(long cursor) {
      int shift = wheel * DIGIT_BITS;
      long above = cursor >>> shift >>> DIGIT_BITS << DIGIT_BITS;
      return (above | index) << shift;
    }

    void append(Entry<T> entry) {
      if (next == this || entry.deadline < earliest) {
        earliest = entry.deadline;
      }
      entry.slot = this;
      entry.previous = previous;
      entry.next = this;
      previous.next = entry;
      previous = entry;
    }

    void unlink(Entry<T> entry) {
      entry.previous.next = entry.next;
      entry.next.previous = entry.previous;
      entry.slot = null;
      entry.previous = entry; // so that it holds on to no other
      entry.next = entry;
    }
  }
}
