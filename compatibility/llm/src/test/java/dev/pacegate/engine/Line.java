package dev.pacegate.engine;

import dev.pacegate.Limiter;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.VisitStep;

/**
 * A limiter's waiters and permits, as of one instant, for drivers of a clock that stands still.
 *
 * <p>A snapshot counts a waiter until it has taken its permit. This tells those whose turn has come
 * from those that wait for the clock.
 *
 * @param waiting how many wait for the clock, or for a permit to end
 * @param due how many threads have been called, or woken to look, and have not come yet
 * @param summoned how many futures have been called and not completed yet; if a callback holds up
 *     the thread that completes them, the limiter sends another a millisecond later
 * @param open how many permits have not ended
 */
public record Line(int waiting, int due, int summoned, int open) {

  /** Looks at a limiter without keys. */
  public static Line of(Limiter limiter) {
    Engine engine = engine(limiter);
    return engine.visit(
        new VisitStep<Line>() {
          @Override
          public Line apply(Visit visit) {
            return read(engine, visit.now);
          }

          // Again, as the visit has called those that can go.
          @Override
          public Line answer(Line before, Visit visit) {
            return read(engine, visit.now);
          }
        });
  }

  private static Line read(Engine engine, long now) {
    EngineState state = engine.state;
    int due = 0;
    int summoned = state.queue.late().size();
    for (Lane lane : engine.lanes) {
      Waiter watch = lane.watch();
      for (Waiter called = lane.first(); called != null && called != watch; called = called.next) {
        due += called instanceof ThreadWaiter ? 1 : 0;
        summoned += called instanceof FutureWaiter ? 1 : 0;
      }
      due += watch != null && watch.wakesAt <= now ? 1 : 0;
    }
    int waiting = state.queue.waiting() - due - summoned;
    return new Line(waiting, due, summoned, state.permits.openNow());
  }

  private static Engine engine(Limiter limiter) {
    try {
      var field = Limiter.class.getDeclaredField("engine");
      field.setAccessible(true);
      return (Engine) field.get(limiter);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("a limiter without an engine", impossible);
    }
  }
}
