package dev.pacegate.pekko;

import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Supervision;

/** What a stream's supervision strategy says of a user's function that throws. */
record Verdicts(Attributes attributes) {

  Supervision.Directive on(Exception failure) {
    return attributes
        .getMandatoryAttribute(ActorAttributes.SupervisionStrategy.class)
        .decider()
        .apply(failure);
  }
}
