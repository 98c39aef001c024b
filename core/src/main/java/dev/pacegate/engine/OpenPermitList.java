package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits that have not ended of all that age at the same pace, the oldest first. Guarded by
 * the gate.
 *
 * <p>Young ones are linked through themselves, so taking and ending a permit costs O(1) and no
 * memory. What has been open for long has an entry in its place that does not keep it reachable:
 * see {@link Aged}.
 */
final class OpenPermitList extends Chain.Link<OpenPermitList> {

  /**
   * Stands in the list for a permit that has been open for long, without keeping it reachable: if
   * the program no longer refers to the permit, its garbage collector tells. Guarded by the gate.
   */
  static final class Aged extends OpenEntry {

    /** Refers to the permit, and back from the queue of what was collected. */
    private static final class Tie extends WeakReference<OpenPermit> {

      final Aged entry;

      Tie(OpenPermit permit, Aged entry, ReferenceQueue<OpenPermit> collected) {
        super(permit, collected);
        this.entry = entry;
      }
    }

    private final Tie tie;
    boolean warned; // the listener has heard of it
    boolean ended;

    Aged(OpenPermit permit, ReferenceQueue<OpenPermit> collected) {
      super(permit.lane, permit.drawnFrom, permit.cost, permit.startedAt);
      this.tie = new Tie(permit, this, collected);
    }

    /** Returns the permit unless it has been collected. */
    @Nullable OpenPermit permit() {
      return tie.get();
    }

    /** Notes that it has ended: it need not be told of any more. */
    void end() {
      ended = true;
      tie.clear();
    }

    /** Returns one of {@code collected} that has not ended, if there is any. */
    static @Nullable Aged next(ReferenceQueue<OpenPermit> collected) {
      for (var tie = (Tie) collected.poll(); tie != null; tie = (Tie) collected.poll()) {
        if (!tie.entry.ended) {
          return tie.entry;
        }
      }
      return null;
    }
  }

  /** From this age on a permit may have been forgotten, unless a limit says otherwise. */
  private static final long USUAL_AGE = 10_000_000_000L;

  /** What is open for longer is warned about. */
  private static final long TOO_LONG = 60_000_000_000L;

  /** How often to look for collected permits while a request waits for an end. */
  private static final long LOOK = 1_000_000_000L;

  /** How many become aged in one visit: the gate must not be held for long. */
  private static final int AT_A_TIME = 1_000;

  private final Chain<OpenEntry> young = new Chain<>();
  private final Chain<OpenEntry> aged = new Chain<>();
  private @Nullable Aged unwarned; // the oldest that had not been open for too long
  private long agesAfter = Meter.NEVER;
  private long abandonAfter = Meter.NEVER;

  /** At what ages permits are inspected that are open under one limit alone. */
  record Ages(long agesAfter, long abandonAfter) {

    static Ages of(Limit limit, Meter meter) {
      long shortest = Meter.NEVER;
      for (Limit term : limit.terms()) {
        long unanswered = term.unansweredNanos();
        shortest = unanswered > 0 ? Math.min(shortest, unanswered) : shortest;
      }
      long agesAfter = shortest == Meter.NEVER ? USUAL_AGE : Math.min(shortest, TOO_LONG);
      return new Ages(meter.tracks() ? agesAfter : Meter.NEVER, limit.abandonNanos());
    }
  }

  void mind(Ages ages) {
    agesAfter = ages.agesAfter;
    abandonAfter = ages.abandonAfter;
  }

  private long agesAfter(OpenPermitList whole) {
    long after = Math.min(agesAfter, whole.agesAfter);
    return after == Meter.NEVER ? USUAL_AGE : after;
  }

  /** Returns at what age a permit is inspected at the soonest. */
  long leastAge() {
    return Math.min(TOO_LONG, Math.min(agesAfter(this), abandonAfter));
  }

  int size() {
    return young.size() + aged.size();
  }

  boolean hasAged() {
    return aged.size() > 0;
  }

  @Nullable OpenEntry oldest() {
    return aged.size() > 0 ? aged.first() : young.first();
  }

  void forEach(Consumer<? super OpenEntry> action) {
    forEach(aged, action);
    forEach(young, action);
  }

  private static void forEach(Chain<OpenEntry> entries, Consumer<? super OpenEntry> action) {
    for (OpenEntry entry = entries.first(); entry != null; entry = entry.next) {
      action.accept(entry);
    }
  }

  // ---- coming and going

  void add(OpenPermit permit) {
    young.add(permit);
  }

  /** Removes a permit that ends. */
  void remove(OpenPermit permit) {
    Aged entry = permit.aged();
    if (entry == null) {
      young.remove(permit);
    } else {
      remove(entry);
    }
  }

  void remove(Aged entry) {
    if (unwarned == entry) {
      unwarned = after(entry);
    }
    aged.remove(entry);
    entry.end();
  }

  // ---- getting old

  /**
   * Returns when to inspect these, by their own ages or those of {@code whole}, while a request
   * waits: where {@code forAnEnd}, also for permits that were dropped.
   */
  long nextInspection(OpenPermitList whole, boolean forAnEnd, long now) {
    long next = due(oldest(), Math.min(abandonAfter, whole.abandonAfter));
    next = Math.min(next, due(young.first(), agesAfter(whole)));
    next = Math.min(next, due(unwarned, TOO_LONG));
    return forAnEnd && hasAged() ? Math.min(next, Clock.later(now, LOOK)) : next;
  }

  /** Returns whether any is old enough to {@link #age}. */
  boolean mustAge(OpenPermitList whole, long now) {
    return due(young.first(), agesAfter(whole)) <= now;
  }

  /** Has all that are old enough by {@code now} no longer kept reachable from here. */
  void age(OpenPermitList whole, long now, ReferenceQueue<OpenPermit> collected) {
    long after = agesAfter(whole);
    var permit = (OpenPermit) young.first();
    for (int i = 0; permit != null && due(permit, after) <= now && i < AT_A_TIME; i++) {
      var entry = new Aged(permit, collected); // may fail, and then has changed nothing
      young.remove(permit);
      aged.add(entry);
      permit.becomes(entry);
      if (unwarned == null) {
        unwarned = entry;
      }
      permit = (OpenPermit) young.first();
    }
  }

  /** Returns one that has been open for too long and has not been reported, if any. */
  @Nullable Aged nextOverdue(long now) {
    Aged entry = unwarned;
    while (entry != null && due(entry, TOO_LONG) <= now) {
      unwarned = after(entry);
      if (!entry.warned) {
        entry.warned = true;
        return entry;
      }
      entry = unwarned;
    }
    return null;
  }

  /** Tells all that have not been open for too long and have not been reported. */
  void forEachUnwarned(Consumer<? super Aged> action) {
    for (Aged entry = unwarned; entry != null; entry = after(entry)) {
      if (!entry.warned) {
        action.accept(entry);
      }
    }
  }

  /** Returns the oldest that is to be given up by {@code now}, if any. */
  @Nullable OpenEntry abandoned(OpenPermitList whole, long now) {
    OpenEntry oldest = oldest();
    return due(oldest, Math.min(abandonAfter, whole.abandonAfter)) <= now ? oldest : null;
  }

  /** What comes after an aged one is aged. */
  private static @Nullable Aged after(Aged entry) {
    return (Aged) entry.next;
  }

  private static long due(@Nullable OpenEntry entry, long span) {
    return entry == null || span == Meter.NEVER ? FOREVER : Clock.later(entry.startedAt, span);
  }
}
