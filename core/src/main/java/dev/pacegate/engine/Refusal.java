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
  WAIT_TOO_LONG {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      return new WaitTooLongException(limiter, allowed, Duration.ofNanos(atLeastNanos));
    }
  },
  QUEUE_FULL {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      return new WaitQueueFullException(limiter, allowed);
    }
  },
  COST_TOO_LARGE {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      return new CostTooLargeException(limiter, cost, allowed);
    }
  },
  NEEDS_QUEUE {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      String why = " at once: it must be the first that waits, as with acquire";
      return new CostTooLargeException(limiter, cost, allowed + why);
    }
  },
  UNAVAILABLE {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      return new SourceUnavailableException(limiter, allowed);
    }
  },
  CLOSED {
    @Override
    RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed) {
      return new LimiterClosedException(limiter);
    }
  };

  /** {@code allowed} is the bound that the request broke, or what is unavailable. */
  abstract RefusedException exception(String limiter, Cost cost, long atLeastNanos, String allowed);
}
