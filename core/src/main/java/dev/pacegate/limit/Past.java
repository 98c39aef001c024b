package dev.pacegate.limit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a meter hands to its successor: releases as they are remembered, and before those as many as
 * can have been let through.
 *
 * <p>Collected from the newest to the oldest. The further back, the longer the stretch that is told
 * as one, at its latest instant: a few thousand entries reach a hundred years.
 */
final class Past {

  private static final int RESOLUTION = 64;

  private record Entry(long instant, long amount) {}

  private final List<Entry> newestFirst = new ArrayList<>();

  /** Adds {@code amount} units that came by {@code instant}. */
  void add(long instant, long amount) {
    newestFirst.add(new Entry(instant, amount));
  }

  /**
   * Adds {@code units} in all, of which {@code each} came by {@code instant} and as many in every
   * {@code per} nanoseconds before, for no longer than {@code reach}.
   *
   * @return how many of them must have come before that
   */
  long addSteady(long instant, long units, long each, long per, long reach) {
    long left = units;
    long back = 0;
    long age = 0;
    while (left > 0 && age <= reach) {
      long stretch = Math.max(1, back / RESOLUTION);
      long amount = Math.min(left, Nanos.times(stretch, each));
      add(instant - age, amount);
      left -= amount;
      back += stretch;
      age = Nanos.times(back, per);
    }
    return left;
  }

  /** Tells it all, from the oldest to the newest. */
  void tell(Remembering.History sink) {
    for (int i = newestFirst.size() - 1; i >= 0; i--) {
      Entry entry = newestFirst.get(i);
      sink.released(entry.instant, entry.amount);
    }
  }

  /**
   * Returns the leaf of {@code old} that knows best what {@code successor} has to know: of the same
   * measure; calls and plain cost stand in for each other, as most requests cost 1.
   */
  static @Nullable Remembering best(Meter old, Remembering successor) {
    Measure measure = successor.measure();
    Remembering exact = best(old, measure, successor);
    if (exact != null || measure.name() != null) {
      return exact;
    }
    return best(old, measure.equals(Measure.PLAIN) ? Measure.CALLS : Measure.PLAIN, successor);
  }

  private static @Nullable Remembering best(Meter old, Measure measure, Remembering successor) {
    Remembering best = null;
    for (Meter leaf : old.leaves()) {
      Meter meter = leaf instanceof Bridge bridge ? bridge.memory() : leaf;
      if (meter instanceof Remembering memory
          && memory.measure().equals(measure)
          && (best == null || isBetter(memory, best, successor))) {
        best = memory;
      }
    }
    return best;
  }

  /** What is nearer to the successor knows better; of those equally near, what remembers more. */
  private static boolean isBetter(Remembering memory, Remembering best, Remembering successor) {
    int nearer = nearness(memory, successor) - nearness(best, successor);
    return nearer != 0 ? nearer > 0 : memory.remembers() > best.remembers();
  }

  /** The same limit, the same kind, the kind that keeps the same numbers, any other. */
  private static int nearness(Remembering memory, Remembering successor) {
    if (memory.getClass().equals(successor.getClass())) {
      boolean same =
          memory.remembers() == successor.remembers() && rate(memory).equals(rate(successor));
      return same ? 3 : 2;
    }
    return memory instanceof Bridge.Side == successor instanceof Bridge.Side ? 1 : 0;
  }

  private static Rate rate(Remembering meter) {
    return meter instanceof Bridge.Side side ? side.window() : meter.fastest();
  }
}
