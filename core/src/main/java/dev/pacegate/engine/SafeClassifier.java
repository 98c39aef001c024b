package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Outcome;
import java.util.function.Function;

/** Says how a permit ends whose request failed, whatever the rule it was given does. */
final class SafeClassifier {

  private final Function<? super Throwable, Outcome> rule;

  SafeClassifier(Function<? super Throwable, Outcome> rule) {
    this.rule = rule;
  }

  /** A rule that fails itself, or has no answer, knows nothing of the outcome. */
  Outcome endOf(Throwable failure) {
    try {
      return requireNonNull(rule.apply(failure), "the classifier returned null");
    } catch (Throwable ofTheRule) {
      if (ofTheRule != failure) {
        failure.addSuppressed(ofTheRule);
      }
      return Outcome.LOST;
    }
  }
}
