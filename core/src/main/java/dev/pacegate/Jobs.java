package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.End;
import java.util.function.Function;

/** Runs jobs under a permit and ends the permit as the outcome says. */
final class Jobs {

  private final Function<? super Throwable, End> ends;

  Jobs(Function<? super Throwable, End> ends) {
    this.ends = ends;
  }

  <T, X extends Exception> T run(Permit permit, Job<T, X> job) throws X {
    T result;
    try {
      result = job.run();
    } catch (Throwable failure) {
      end(permit, failure);
      throw failure;
    }
    permit.close();
    return result;
  }

  void end(Permit permit, Throwable failure) {
    switch (endOf(failure)) {
      case ANSWERED -> permit.close();
      case UNUSED -> permit.unused();
      case LOST -> permit.lost();
    }
  }

  /** A classifier that fails, or has no answer, knows nothing of the outcome. */
  private End endOf(Throwable failure) {
    try {
      return requireNonNull(ends.apply(failure), "the classifier returned null");
    } catch (Throwable ofTheClassifier) {
      if (ofTheClassifier != failure) {
        failure.addSuppressed(ofTheClassifier);
      }
      return End.LOST;
    }
  }
}
