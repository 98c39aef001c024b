package dev.pacegate.pekko;

import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Supervision;

/** What a stream's supervision strategy says of a user's function that throws. */
record Verdicts(Attributes attributes) {

  /**
   * Returns whether to go on without the element. To resume and to restart are the same to a stage
   * that has no state of the function's.
   */
  boolean skips(Exception failure) {
    return on(failure) != Supervision.stop();
  }

  Supervision.Directive on(Exception failure) {
    return attributes
        .getMandatoryAttribute(ActorAttributes.SupervisionStrategy.class)
        .decider()
        .apply(failure);
  }
}
