package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.End;
import java.util.function.Function;

/** Says how a permit ends whose request failed, whatever the rule it was given does. */
final class Classifier {

  private final Function<? super Throwable, End> rule;

  Classifier(Function<? super Throwable, End> rule) {
    this.rule = rule;
  }

  /** A rule that fails itself, or has no answer, knows nothing of the outcome. */
  End endOf(Throwable failure) {
    try {
      return requireNonNull(rule.apply(failure), "the classifier returned null");
    } catch (Throwable ofTheRule) {
      if (ofTheRule != failure) {
        failure.addSuppressed(ofTheRule);
      }
      return End.LOST;
    }
  }
}
