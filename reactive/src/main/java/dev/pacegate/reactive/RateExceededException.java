package dev.pacegate.reactive;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a stream that {@link Pace#enforce} ended. Its message begins with {@code rate
 * exceeded} if the element came too early, and with {@code can never pass} if it costs more than
 * the limit ever lets through.
 */
public final class RateExceededException extends RuntimeException {

  private static final long serialVersionUID = 1;

  RateExceededException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
