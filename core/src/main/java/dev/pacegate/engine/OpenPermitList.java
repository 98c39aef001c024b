package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.limit.spi.Meter;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Open permits that age by the same rules, the oldest first. Guarded by the gate.
 *
 * <p>Young permits are members themselves, so taking and ending one costs O(1) and no memory. A
 * permit that has been open for long is replaced by an entry that does not keep it reachable: see
 * {@link Aged}.
 */
public final class OpenPermitList extends Chain.Link<OpenPermitList> {

  /**
   * Replaces a permit that has been open for long, without keeping it reachable: if the program no
   * longer refers to the permit, the garbage collector reports it. Guarded by the gate.
   */
  static final class Aged extends OpenEntry {

    /** A weak reference to the permit, which leads back to the entry. */
    private static final class Tie extends WeakReference<OpenPermit> {

      final Aged entry;

      Tie(OpenPermit permit, Aged entry, ReferenceQueue<OpenPermit> collected) {
        super(permit, collected);
        this.entry = entry;
      }
    }

    private final Tie tie;
    boolean warned; // reported to the listener
    boolean ended;

    Aged(OpenPermit permit, ReferenceQueue<OpenPermit> collected) {
      super(permit);
      this.tie = new Tie(permit, this, collected);
    }

    /** Returns the permit unless it has been collected. */
    @Nullable OpenPermit permit() {
      return tie.get();
    }

    /** The permit has ended: the collector need not report it. */
    void end() {
      ended = true;
      tie.clear();
    }

    /** Returns one of {@code collected} that has not ended; null if there is none. */
    static @Nullable Aged next(ReferenceQueue<OpenPermit> collected) {
      for (var tie = (Tie) collected.poll(); tie != null; tie = (Tie) collected.poll()) {
        if (!tie.entry.ended) {
          return tie.entry;
        }
      }
      return null;
    }
  }

  /** How often to look for collected permits while a request waits for an end. */
  private static final long LOOK = 1_000_000_000L;

  /** How many permits age in one visit, so that the gate is not held for long. */
  private static final int AT_A_TIME = 1_000;

  private final Chain<OpenEntry> young = new Chain<>();
  private final Chain<OpenEntry> aged = new Chain<>();
  private @Nullable Aged unwarned; // the oldest that has not been warned about
  private long agesAfter = Meter.NEVER;
  private long abandonAfter = Meter.NEVER;

  public void mind(PermitAges ages) {
    agesAfter = ages.agesAfter();
    abandonAfter = ages.abandonAfter();
  }

  /** Heeds {@code ages} as well: those of a group whose limit counts these permits, too. */
  public void mindAlso(PermitAges ages) {
    agesAfter = Math.min(agesAfter, ages.agesAfter());
    abandonAfter = Math.min(abandonAfter, ages.abandonAfter());
  }

  private long agesAfter(OpenPermitList whole) {
    long after = Math.min(agesAfter, whole.agesAfter);
    return after == Meter.NEVER ? PermitAges.USUAL : after;
  }

  /** Returns the least age at which a permit is inspected. */
  long leastAge() {
    return Math.min(PermitAges.TOO_LONG, Math.min(agesAfter(this), abandonAfter));
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

  /** Returns the oldest of one key; null if there is none. */
  @Nullable OpenEntry oldest(Lane key) {
    OpenEntry old = first(aged, key);
    return old == null ? first(young, key) : old;
  }

  private static @Nullable OpenEntry first(Chain<OpenEntry> entries, Lane key) {
    OpenEntry entry = entries.first();
    while (entry != null && !entry.lane.isIn(key)) {
      entry = entry.next;
    }
    return entry;
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

  // ---- adding and removing

  void add(OpenPermit permit) {
    young.add(permit);
  }

  /** Removes a permit that ends. */
  void remove(OpenPermit permit) {
    OpenEntry entry = permit.aged();
    if (entry == null) {
      young.remove(permit);
    } else {
      remove((Aged) entry);
    }
  }

  void remove(Aged entry) {
    assert !entry.ended : "it has ended";
    if (unwarned == entry) {
      unwarned = after(entry);
    }
    aged.remove(entry);
    entry.end();
  }

  // ---- aging

  /**
   * Returns when to inspect these permits while a request waits, by their own ages or those of
   * {@code whole}; if {@code forAnEnd}, for abandoned permits as well.
   */
  long nextInspection(OpenPermitList whole, boolean forAnEnd, long now) {
    long next = due(oldest(), Math.min(abandonAfter, whole.abandonAfter));
    next = Math.min(next, due(young.first(), agesAfter(whole)));
    next = Math.min(next, due(unwarned, PermitAges.TOO_LONG));
    return forAnEnd && hasAged() ? Math.min(next, Clock.later(now, LOOK)) : next;
  }

  /** Returns whether any is old enough to {@link #age}. */
  boolean mustAge(OpenPermitList whole, long now) {
    return due(young.first(), agesAfter(whole)) <= now;
  }

  /** Stops keeping all permits reachable that are old enough at {@code now}. */
  void age(OpenPermitList whole, long now, ReferenceQueue<OpenPermit> collected) {
    long after = agesAfter(whole);
    var permit = (OpenPermit) young.first();
    for (int i = 0; permit != null && due(permit, after) <= now && i < AT_A_TIME; i++) {
      var entry = new Aged(permit, collected); // if it fails, nothing has changed
      young.remove(permit);
      aged.add(entry);
      permit.becomes(entry);
      if (unwarned == null) {
        unwarned = entry;
      }
      permit = (OpenPermit) young.first();
    }
  }

  /** Returns one that has been open for too long and was not reported; null if there is none. */
  @Nullable Aged nextOverdue(long now) {
    Aged entry = unwarned;
    while (entry != null && due(entry, PermitAges.TOO_LONG) <= now) {
      unwarned = after(entry);
      if (!entry.warned) {
        entry.warned = true;
        return entry;
      }
      entry = unwarned;
    }
    return null;
  }

  /** Passes on each permit that was not reported and has not been open for too long. */
  void forEachUnwarned(Consumer<? super Aged> action) {
    for (Aged entry = unwarned; entry != null; entry = after(entry)) {
      if (!entry.warned) {
        action.accept(entry);
      }
    }
  }

  /** Returns the oldest that counts as lost at {@code now}; null if there is none. */
  @Nullable OpenEntry abandoned(OpenPermitList whole, long now) {
    OpenEntry oldest = oldest();
    return due(oldest, Math.min(abandonAfter, whole.abandonAfter)) <= now ? oldest : null;
  }

  /** Returns whether permits count as lost at some age. */
  boolean abandons(OpenPermitList whole) {
    return Math.min(abandonAfter, whole.abandonAfter) != Meter.NEVER;
  }

  /** Returns the next entry. The list of aged entries holds nothing else. */
  private static @Nullable Aged after(Aged entry) {
    return (Aged) entry.next;
  }

  private static long due(@Nullable OpenEntry entry, long span) {
    return entry == null || span == Meter.NEVER ? FOREVER : Clock.later(entry.startedAt, span);
  }
}
