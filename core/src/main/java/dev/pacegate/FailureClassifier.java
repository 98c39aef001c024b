package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Outcome;
import dev.pacegate.result.FailureEvidence;
import dev.pacegate.result.FailureReading;
import dev.pacegate.result.KnownFailures;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a permit ends whose job has failed.
 *
 * <p>It reads the failure and all its causes, whatever wraps them. The first rule that fits any of
 * them decides:
 *
 * <ol>
 *   <li>An I/O error or a time-out that is not named in 2 or 3, a cancellation, an interrupt or an
 *       {@link Error}: {@link Outcome#LOST}. The peer may have the request.
 *   <li>An exception that carries the peer's answer, such as those of HTTP clients for status 500,
 *       or that was thrown while the answer was parsed: {@link Outcome#ANSWERED}.
 *   <li>A connection that could not be made (refused, timed out, no route, no such host): {@link
 *       Outcome#NOT_SENT}. If a suppressed exception may be an earlier attempt that was sent:
 *       {@link Outcome#LOST}.
 *   <li>An unknown exception of a library or program: {@link Outcome#LOST}, as it may be a
 *       time-out. {@link #answered} names those that mean an answer.
 *   <li>A programming error of the JDK's ({@link IllegalArgumentException}, {@link
 *       IllegalStateException}, {@link NullPointerException} and the like): {@link
 *       Outcome#ANSWERED}. It is thrown before the request is sent or after it is answered.
 *   <li>Anything else, such as a plain {@link RuntimeException}: {@link Outcome#LOST}.
 * </ol>
 *
 * <p>It knows the exceptions of the JDK with JDBC, Spring, Reactor, netty, Feign, Retrofit, OkHttp,
 * Apache HttpClient 5, Ktor, gRPC, the AWS SDK 2 and Jackson.
 *
 * <p><b>Assumes</b> that the job sends one request. A client that retries by itself may report a
 * refused connection although an earlier attempt was sent, without a trace of that attempt: switch
 * its retries off, or take a permit for each attempt.
 *
 * <p>Immutable and thread-safe.
 */
@CheckReturnValue
public final class FailureClassifier implements Function<Throwable, Outcome> {

  private static final FailureClassifier STANDARD = new FailureClassifier(Map.of());

  private final Map<Class<? extends Throwable>, FailureEvidence> own;

  private FailureClassifier(Map<Class<? extends Throwable>, FailureEvidence> own) {
    this.own = own;
  }

  /** Returns the default classifier of limiters. */
  public static FailureClassifier standard() {
    return STANDARD;
  }

  /**
   * Returns a classifier for which {@code type} and its subclasses carry the peer's answer, such as
   * a program's own exception for a rejected order. If a cause is an I/O error or a time-out, the
   * outcome is still {@link Outcome#LOST}. Of several types that fit, the one named last decides.
   */
  public FailureClassifier answered(Class<? extends Throwable> type) {
    return with(type, FailureEvidence.ANSWERED);
  }

  /**
   * Returns a classifier for which {@code type} and its subclasses mean that nothing was sent, such
   * as the exception of an open circuit breaker. A cause that says otherwise decides.
   */
  public FailureClassifier notSent(Class<? extends Throwable> type) {
    return with(type, FailureEvidence.NOT_SENT);
  }

  /** Returns a classifier for which {@code type} and its subclasses are time-outs. */
  public FailureClassifier lost(Class<? extends Throwable> type) {
    return with(type, FailureEvidence.LOST);
  }

  private FailureClassifier with(Class<? extends Throwable> type, FailureEvidence evidence) {
    var more = new LinkedHashMap<>(own);
    more.put(requireNonNull(type), evidence);
    return new FailureClassifier(Collections.unmodifiableMap(more));
  }

  /**
   * Returns how a permit ends whose job failed with {@code failure}. Never throws: a failure that
   * cannot be read is {@link Outcome#LOST}.
   */
  @Override
  public Outcome apply(Throwable failure) {
    requireNonNull(failure);
    try {
      return new FailureReading(this::evidenceOf).of(failure);
    } catch (Throwable unreadable) {
      return Outcome.LOST; // an exception whose own methods throw
    }
  }

  private FailureEvidence evidenceOf(Throwable failure) {
    @Nullable FailureEvidence found = null;
    for (var entry : own.entrySet()) {
      if (entry.getKey().isInstance(failure)) {
        found = entry.getValue();
      }
    }
    return found == null ? KnownFailures.of(failure) : found;
  }
}
