package dev.pacegate.pekko;

import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.stage.GraphStageLogic;

/** Applies a stream's supervision strategy to a user's function that throws. */
record StageSupervision(GraphStageLogic stage, Attributes attributes) {

  /**
   * Fails the stage if the strategy says stop, and calls {@code restart} if it says restart.
   *
   * @return whether to go on without the element
   */
  boolean goesOn(Exception failure, Runnable restart) {
    Supervision.Directive directive =
        attributes
            .getMandatoryAttribute(ActorAttributes.SupervisionStrategy.class)
            .decider()
            .apply(failure);
    if (directive == Supervision.stop()) {
      stage.failStage(failure);
      return false;
    }
    if (directive == Supervision.restart()) {
      restart.run();
    }
    return true;
  }

  /** As {@link #goesOn(Exception, Runnable)}, for a function without state to restart. */
  boolean goesOn(Exception failure) {
    return goesOn(failure, () -> {});
  }
}
