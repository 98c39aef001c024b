package dev.pacegate.engine.visit;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a visit is made for: called inside the gate, it does it and returns what came of it. */
@FunctionalInterface
public interface VisitStep<R extends @Nullable Object> extends Function<Visit, R> {

  /**
   * Returns the answer for outside, once all waiters that can go have been called: by default what
   * came of the step. Called inside the gate.
   */
  default R answer(R outcome, Visit visit) {
    return outcome;
  }
}
