package dev.pacegate.pekko;

import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Supervision;

/** What becomes of an element for which a function of the user fails. */
final class Supervised {

  private Supervised() {}

  /**
   * Returns whether to go on without it, by the strategy that {@code attributes} hold. To resume
   * and to restart are the same to a stage that has no state of the function's.
   */
  static boolean skips(Attributes attributes, Exception failure) {
    var strategy = attributes.getMandatoryAttribute(ActorAttributes.SupervisionStrategy.class);
    return strategy.decider().apply(failure) != Supervision.stop();
  }
}
