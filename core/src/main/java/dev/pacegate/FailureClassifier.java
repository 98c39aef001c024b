package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Outcome;
import dev.pacegate.result.Evidence;
import dev.pacegate.result.FailureReading;
import dev.pacegate.result.KnownFailures;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Says how the permit of a job ends that has failed.
 *
 * <p>The failure and all its causes are read, whatever wraps them. The first of these rules that
 * fits any of them decides:
 *
 * <ol>
 *   <li>An I/O error, a time-out, a cancellation, an interrupt or an {@link Error}: {@link
 *       Outcome#LOST}. The peer may have the request.
 *   <li>An exception that carries the peer's answer, such as those of HTTP clients for status 500,
 *       or that was thrown while the answer was parsed: {@link Outcome#ANSWERED}.
 *   <li>A connection that could not be made (refused, timed out, no route, no such host): {@link
 *       Outcome#NOT_SENT}. If a suppressed exception may be an earlier attempt that was sent:
 *       {@link Outcome#LOST}.
 *   <li>An exception of a library or program that is not known here: {@link Outcome#LOST}, as it
 *       may be a time-out. {@link #answered} names those that mean an answer.
 *   <li>A programming error of the JDK's ({@link IllegalArgumentException}, {@link
 *       IllegalStateException}, {@link NullPointerException} and the like): {@link
 *       Outcome#ANSWERED}. It is thrown before the request is sent or after it is answered.
 *   <li>Anything else, such as a plain {@link RuntimeException}: {@link Outcome#LOST}.
 * </ol>
 *
 * <p>Known are the exceptions of the JDK with JDBC, Spring, Reactor, netty, Feign, Retrofit,
 * OkHttp, Apache HttpClient 5, Ktor, gRPC, the AWS SDK 2 and Jackson.
 *
 * <p><b>Assumes</b> that the job sends one request. A client that sends again by itself may report
 * a refused connection although an earlier attempt of its own was sent, and no trace of that is
 * left: switch its retries off, or have each attempt take a permit.
 *
 * <p>Immutable and thread-safe.
 */
@CheckReturnValue
public final class FailureClassifier implements Function<Throwable, Outcome> {

  private static final FailureClassifier STANDARD = new FailureClassifier(Map.of());

  private final Map<Class<? extends Throwable>, Evidence> own;

  private FailureClassifier(Map<Class<? extends Throwable>, Evidence> own) {
    this.own = own;
  }

  /** Returns the classifier that limiters have unless they are given another. */
  public static FailureClassifier standard() {
    return STANDARD;
  }

  /**
   * Returns a classifier for which {@code type} and its subclasses carry the peer's answer: such as
   * a program's own exception for an order that was rejected. If a cause is an I/O error or a
   * time-out, the outcome is still {@link Outcome#LOST}. Of several types that fit, the one named
   * last decides.
   */
  public FailureClassifier answered(Class<? extends Throwable> type) {
    return with(type, Evidence.ANSWERED);
  }

  /**
   * Returns a classifier for which {@code type} and its subclasses mean that nothing was sent: such
   * as that a circuit breaker is open. A cause that says otherwise decides.
   */
  public FailureClassifier notSent(Class<? extends Throwable> type) {
    return with(type, Evidence.NOT_SENT);
  }

  /** Returns a classifier for which {@code type} and its subclasses are time-outs. */
  public FailureClassifier lost(Class<? extends Throwable> type) {
    return with(type, Evidence.LOST);
  }

  private FailureClassifier with(Class<? extends Throwable> type, Evidence evidence) {
    var more = new LinkedHashMap<>(own);
    more.put(requireNonNull(type), evidence);
    return new FailureClassifier(Collections.unmodifiableMap(more));
  }

  /**
   * Returns how a permit ends whose job failed with {@code failure}. Never throws: what cannot be
   * read is {@link Outcome#LOST}.
   */
  @Override
  public Outcome apply(Throwable failure) {
    try {
      return new FailureReading(this::evidenceOf).of(failure);
    } catch (Throwable unreadable) {
      return Outcome.LOST; // an exception whose own methods throw
    }
  }

  private Evidence evidenceOf(Throwable failure) {
    @Nullable Evidence found = null;
    for (var entry : own.entrySet()) {
      if (entry.getKey().isInstance(failure)) {
        found = entry.getValue();
      }
    }
    return found == null ? KnownFailures.of(failure) : found;
  }
}
