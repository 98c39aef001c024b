package dev.pacegate.result;

import java.util.concurrent.CompletionException;

/** Turns checked exceptions into unchecked ones. */
public final class Unchecked {

  private Unchecked() {}

  /** Returns {@code failure}, wrapped if it is checked; interrupts the thread again if need be. */
  public static RuntimeException of(Exception failure) {
    if (failure instanceof RuntimeException unchecked) {
      return unchecked;
    }
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new CompletionException(failure);
  }
}
