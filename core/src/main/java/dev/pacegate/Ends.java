package dev.pacegate;

import dev.pacegate.limit.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * What the failure of a job says of its permit.
 *
 * <p>A connection that was refused before a byte was sent: {@link Outcome#NOT_SENT}. Any other I/O
 * error, a time-out, a cancellation, an interrupt, an {@link Error}: {@link Outcome#LOST}. Any
 * other exception is the job's own opinion of an answer: {@link Outcome#ANSWERED}.
 */
public final class Ends {

  private Ends() {}

  /** Returns how a permit ends whose job failed with {@code failure}. */
  public static Outcome of(Throwable failure) {
    Throwable cause = failure.getCause();
    if (cause != null && isWrapper(failure)) {
      return of(cause);
    }
    if (isBeforeSending(failure)) {
      return Outcome.NOT_SENT;
    }
    return isUnknown(failure) ? Outcome.LOST : Outcome.ANSWERED;
  }

  private static boolean isWrapper(Throwable failure) {
    return failure instanceof CompletionException
        || failure instanceof ExecutionException
        || failure instanceof UncheckedIOException;
  }

  private static boolean isBeforeSending(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof UnknownHostException
        || failure instanceof NoRouteToHostException
        || failure instanceof UnresolvedAddressException;
  }

  private static boolean isUnknown(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof TimeoutException
        || failure instanceof CancellationException
        || failure instanceof InterruptedException
        || failure instanceof Error;
  }
}
