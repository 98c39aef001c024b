package dev.pacegate.model;

import dev.pacegate.model.ModelState.Errand;
import dev.pacegate.model.ModelState.Place;
import dev.pacegate.model.Scenario.Option;
import java.util.List;

/**
 * Throws {@link Broken} where a {@link Property} does not hold.
 *
 * <p>Judges by what really was spent and who really holds a permit, not by the meter's account and
 * not by the called sum, which are the protocol's and may be wrong.
 */
final class Judge {
  private final Scenario scenario;
  private final int threads;

  Judge(Scenario scenario) {
    this.scenario = scenario;
    threads = scenario.costs().size();
  }

  // Steps.

  /** Judges the release of {@code t} in the instant before it. */
  void release(ModelState s, int t) {
    for (int i = 0; i < s.ahead(t); i++) {
      if (!s.isCalled(s.line[i])) {
        throw broken(Property.ORDER, s.line[i], "is overtaken by " + ModelState.name(t));
      }
    }
    if (s.isPaused()) {
      throw broken(Property.PAUSE, t, "is released during a pause");
    }
    if (trueWait(s, t) != 0) {
      throw broken(Property.LIMIT, t, "is released before the limit permits it");
    }
  }

  /** Judges that {@code t}, called, is not due. */
  void calledInVain(ModelState s, int t) {
    if (!s.isPaused() && !scenario.isEdge(s.ticks) && !scenario.has(Option.EXPIRE)) {
      throw broken(Property.CALL, t, "is called and not due");
    }
  }

  // States.

  /** Judges {@code s}, which allows {@code steps}. */
  void state(ModelState s, List<Step> steps) {
    exclusion(s);
    boolean rings = steps.stream().anyMatch(step -> step.action() == Step.Action.RING);
    if (isAtRest(s) && !rings) {
      rest(s);
    }
    if (allDone(s)) {
      end(s);
    } else {
      progress(s, steps);
    }
  }

  private void exclusion(ModelState s) {
    int inside = s.isInGate(ModelState.PAUSER) ? 1 : 0;
    for (int t = 0; t < threads; t++) {
      inside += s.isInGate(t) ? 1 : 0;
      if (inside > 1) {
        throw broken(Property.MUTUAL_EXCLUSION, t, "is not alone in the gate");
      }
    }
  }

  private void rest(ModelState s) {
    for (int t = 0; t < threads; t++) {
      if (s.isCalled(t) && s.place[t] != Place.DEAD) {
        throw broken(Property.WAKE_UP, t, "sleeps though called");
      }
    }
    int watch = s.watch();
    if (watch >= 0 && !s.isPaused() && trueWait(s, watch) < s.until[watch]) {
      throw broken(Property.WAKE_UP, watch, "sleeps longer than the limit demands");
    }
  }

  /** Returns whether nothing moves until a thread closes, resumes or gives up, or time passes. */
  private boolean isAtRest(ModelState s) {
    for (int t = 0; t < threads; t++) {
      boolean asleep = s.place[t] == Place.PARKED && !s.hasToken(t) && s.until[t] != 0;
      boolean holding = s.place[t] == Place.OUTSIDE && s.errand[t] == Errand.CLOSE;
      if (!asleep && !holding && !s.isDone(t)) {
        return false;
      }
    }
    return s.place[ModelState.PAUSER] == Place.OUTSIDE;
  }

  private void progress(ModelState s, List<Step> steps) {
    for (Step step : steps) {
      if (isSureToCome(s, step)) {
        return;
      }
    }
    for (int t = 0; t < threads; t++) {
      if (s.place[t] == Place.PARKED && s.isTimed(t)) {
        return;
      }
    }
    throw new Broken(Property.WAKE_UP, "those who are not done wait for ever");
  }

  /** Ticks help no thread by themselves; no thread needs to pause, give up or wake for nothing. */
  private static boolean isSureToCome(ModelState s, Step step) {
    return switch (step.action()) {
      case TICK, WAKE_FOR_NOTHING, INTERRUPT, TIME_OUT, DIE, REVOKE, STUMBLE, EXPIRE -> false;
      case ENTER -> s.errand[step.thread()] != Errand.PAUSE;
      case SEE_FREE, DECIDE, LEAVE, UNPARK, PARK, WAKE, WAKE_IN_TIME, RING -> true;
    };
  }

  private void end(ModelState s) {
    if (s.needsRepair) {
      return; // the next visit repairs it
    }
    int word = scenario.has(Option.FED) ? ModelState.SLOW : ModelState.FREE;
    if (!s.isLineEmpty() || s.calledSum != 0 || s.open != 0 || s.word != word) {
      throw new Broken(Property.CLEAN, "all are done and something is left over");
    }
  }

  /** Returns whether all callers are done, and the pauser is as well or has not begun. */
  private boolean allDone(ModelState s) {
    for (int t = 0; t < threads; t++) {
      if (!s.isDone(t)) {
        return false;
      }
    }
    return s.place[ModelState.PAUSER] == Place.OUTSIDE && !s.isPaused();
  }

  // The limit as it is meant.

  /** Returns the ticks until {@code t} may go if no other closes or goes, or EVENT. */
  private int trueWait(ModelState s, int t) {
    if (scenario.has(Option.FED) && s.actual[ModelState.FED] < scenario.costs().get(t)) {
      return ModelState.EVENT;
    }
    int wait = 0;
    while (wait <= scenario.interval() + 1) {
      int spent = held(s) + ended(s, wait) + scenario.costs().get(t);
      if (spent <= scenario.limit() && !scenario.isEdge(s.ticks + wait)) {
        return wait;
      }
      wait++;
    }
    return ModelState.EVENT;
  }

  private int held(ModelState s) {
    int sum = 0;
    for (int t = 0; t < threads; t++) {
      sum += s.errand[t] == Errand.CLOSE ? scenario.costs().get(t) : 0;
    }
    return sum;
  }

  private int ended(ModelState s, int later) {
    int sum = 0;
    for (int age = 0; age + later < scenario.interval(); age++) {
      sum += s.actual[age];
    }
    return sum;
  }

  private static Broken broken(Property property, int thread, String what) {
    return new Broken(property, ModelState.name(thread) + " " + what);
  }
}
