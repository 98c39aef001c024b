package dev.pacegate.engine;

import static dev.pacegate.engine.Waiter.AT_ONCE;
import static dev.pacegate.engine.Waiter.OVER;

import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.VisitStep;

/**
 * The step of a waiter, which asks and then, each time that it has woken, looks again. The answer
 * is until when it waits.
 *
 * <p>No lambda: linking the process's first lambda on a nearly exhausted stack would leave it
 * without any.
 */
final class WaiterStep implements VisitStep<Long> {

  private final EngineState state;
  private final Waiter waiter;
  private final AcquireMode mode;
  private final long maxWait;
  private boolean asked;
  private boolean cameBack; // having left the gate to wake others

  WaiterStep(EngineState state, Waiter waiter, AcquireMode mode, long maxWait) {
    this.state = state;
    this.waiter = waiter;
    this.mode = mode;
    this.maxWait = maxWait;
  }

  @Override
  public Long apply(Visit visit) {
    visit.mayComeBack = !cameBack;
    if (asked) {
      state.awoke(waiter, visit);
    } else {
      asked = true;
      state.ask(waiter, mode, maxWait, visit);
    }
    return OVER;
  }

  @Override
  public Long answer(Long outcome, Visit visit) {
    long until = waiter.waitsUntil();
    cameBack = until == AT_ONCE && !cameBack;
    return until;
  }
}
