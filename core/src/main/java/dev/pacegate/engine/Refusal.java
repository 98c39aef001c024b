package dev.pacegate.engine;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.RefusedException;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.limit.Cost;
import java.time.Duration;

/** The reason for which a request is refused. */
public enum Refusal {
  WAIT_TOO_LONG,
  QUEUE_FULL,
  COST_TOO_LARGE,
  NEEDS_QUEUE,
  UNAVAILABLE,
  CLOSED;

  /** {@code allowed} is the bound that the request broke, or what is unavailable. */
  RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
    return switch (this) {
      case WAIT_TOO_LONG ->
          new WaitTooLongException(limiter, allowed, Duration.ofNanos(atLeastNanos));
      case QUEUE_FULL -> new WaitQueueFullException(limiter, allowed);
      case COST_TOO_LARGE -> new CostTooLargeException(limiter, cost, allowed);
      case NEEDS_QUEUE ->
          new CostTooLargeException(
              limiter,
              cost,
              allowed + " at once: it must be the first that waits, as with acquire");
      case UNAVAILABLE -> new SourceUnavailableException(limiter, allowed);
      case CLOSED -> new LimiterClosedException(limiter);
    };
  }
}
