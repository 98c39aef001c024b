package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a failure of a call means for the next one. */
final class RedisFailures {

  /** Errors that end by themselves, or once another server is asked. */
  private static final Pattern PASSING =
      Pattern.compile("\\b(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|LOADING|MASTERDOWN|READONLY)\\b");

  /** What epochs.lua says of a replica that is missing. */
  private static final String MUST_CONFIRM = "is unavailable, but must confirm each permit";

  private RedisFailures() {}

  /** Returns the error by which a server says that it is not its turn now; null if it is none. */
  static @Nullable String notNow(@Nullable Throwable failure) {
    Throwable cause = Causes.cause(failure);
    if (cause instanceof NoNodeException) {
      return "CLUSTERDOWN";
    } else if (cause instanceof UnfitServerException unfit && unfit.passes()) {
      return "READONLY";
    } else if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
      return null;
    }
    Matcher error = PASSING.matcher(cause.getMessage());
    return error.find() ? error.group(1) : null;
  }

  /** Returns whether replicas are missing that must confirm each permit. */
  static boolean isOfMissingReplicas(@Nullable Throwable failure) {
    Throwable cause = Causes.cause(failure);
    return cause instanceof UnconfirmedException
        || (cause instanceof RedisCommandExecutionException
            && String.valueOf(cause.getMessage()).contains(MUST_CONFIRM));
  }

  /** Returns whether it says nothing of which server is to be asked. */
  static boolean isOfScript(Throwable failure) {
    Throwable cause = Causes.cause(failure);
    return cause instanceof UnconfirmedException
        || (cause instanceof RedisCommandExecutionException && notNow(cause) == null);
  }

  /** Returns whether nothing was done, and another server may do it. */
  static boolean mayBeRepeated(RuntimeException failure) {
    return notNow(failure) != null
        || isOfReplica(failure)
        || failure instanceof RedisConnectionException;
  }

  /** Returns why a node cannot be connected to. */
  static RedisConnectionException connecting(@Nullable Throwable failure) {
    Throwable cause = Causes.cause(failure);
    return new RedisConnectionException(
        "cannot connect: " + (cause == null ? "no reason given" : Causes.ofConnecting(cause)),
        cause);
  }

  /** Returns whether it was a replica that was asked. */
  static boolean isOfReplica(@Nullable Throwable failure) {
    return "READONLY".equals(notNow(failure));
  }

  /**
   * Waits for what is under way.
   *
   * @throws RedisException if it does not end in time, or fails so, or the thread is interrupted
   */
  static <T> T await(CompletionStage<T> underWay, Duration longest) {
    try {
      return underWay.toCompletableFuture().get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw unchecked(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new RedisCommandTimeoutException("no answer for " + Durations.brief(longest));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  /** Returns what failed, to be thrown. */
  static RuntimeException unchecked(Throwable failure) {
    Throwable cause = Causes.cause(failure);
    return cause instanceof RuntimeException of
        ? of
        : new RedisException(Causes.of(cause), cause); // else its class would be told
  }
}
