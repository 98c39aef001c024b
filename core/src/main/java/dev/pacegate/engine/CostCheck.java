package dev.pacegate.engine;

import dev.pacegate.engine.cost.CostNames;
import dev.pacegate.engine.cost.PlainCosts;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;

/** Checks the costs of requests, before anything is charged or queued. Thread-safe. */
public final class CostCheck {

  /** What holds for the limiter as a whole. Thread-safe; not called inside the gate. */
  interface InForce {

    /** Returns the limit in force, or the one just before or after a change. */
    Limit limitOfAll();

    /** Returns whether dry-run mode is on. */
    boolean isObserving();
  }

  private final InForce whole;
  private final CostNames names;
  private final PlainCosts plain;

  CostCheck(String limiter, Limit limit, InForce whole) {
    this.whole = whole;
    this.names = new CostNames(limit, limiter);
    this.plain = new PlainCosts(limit, limiter);
  }

  /** Adds the names of costs that {@code limit} counts to the known ones. */
  public void know(Limit limit) {
    names.add(limit);
  }

  /** The limit of all has become one that treats plain costs so. Called inside the gate. */
  void changeWhole(PlainCosts.Treatment next) {
    plain.changeWhole(next);
  }

  /** A limit of keys, or of one, becomes {@code next}. */
  public void changeKeys(Limit before, Limit next) {
    know(next);
    plain.changeKeys(before, next);
  }

  /**
   * Returns {@code cost}, and reports unknown names.
   *
   * @throws IllegalArgumentException if it is not exactly one call, or no limit of {@code seat}
   *     counts its plain amount
   */
  @SuppressWarnings("ReferenceEquality") // most costs are this very object
  public Cost check(Seat seat, Cost cost) {
    if (cost == Cost.ONE) {
      return cost;
    }
    checkNames(cost);
    if (mayBeUncounted(seat, cost)) {
      plain.check(cost, seat.ownLimit(), whole.limitOfAll(), whole::isObserving);
    }
    return cost;
  }

  /**
   * Returns {@code actual}, and reports unknown names and a plain amount that is not counted.
   *
   * @throws IllegalArgumentException if it is not exactly one call
   */
  Cost checkSettled(Lane lane, Cost actual) {
    checkNames(actual);
    if (mayBeUncounted(lane, actual)) {
      plain.checkSettled(actual, lane.ownLimit(), whole.limitOfAll());
    }
    return actual;
  }

  private void checkNames(Cost cost) {
    if (cost.calls() != 1 || !cost.names().isEmpty()) {
      names.check(cost);
    }
  }

  /** Returns whether it must be looked up whether a limit of {@code seat} counts the amount. */
  private boolean mayBeUncounted(Seat seat, Cost cost) {
    return cost.amount() > 1 && !plain.areCounted() && !seat.countsPlainCosts();
  }
}
