package dev.pacegate;

import java.util.concurrent.CompletionException;

/** How a failure leaves a method that may throw no checked exception. */
final class Unchecked {

  private Unchecked() {}

  /** Returns {@code failure}, wrapped if it is checked; an interrupt is noted with the thread. */
  static RuntimeException of(Exception failure) {
    if (failure instanceof RuntimeException unchecked) {
      return unchecked;
    }
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new CompletionException(failure);
  }
}
