package dev.pacegate.job;

import static dev.pacegate.limit.Outcome.ANSWERED;
import static dev.pacegate.limit.Outcome.LOST;
import static dev.pacegate.limit.Outcome.NOT_SENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pacegate.FailureClassifier;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.limit.Outcome;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.UnresolvedAddressException;
import java.time.format.DateTimeParseException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the JDK's exceptions say of a request, however they are wrapped. */
@Timeout(60)
class FailureClassifierTest {

  private static final FailureClassifier STANDARD = FailureClassifier.standard();

  /** An exception of a program, of which nothing is known. */
  private static class OrderRejected extends RuntimeException {
    OrderRejected() {}

    OrderRejected(Throwable cause) {
      super(cause);
    }
  }

  private static class BadOrder extends IllegalArgumentException {}

  static Stream<Arguments> failures() {
    return Stream.of(
        // No connection was made.
        arguments(NOT_SENT, new ConnectException("Connection refused")),
        arguments(NOT_SENT, new UnknownHostException("nowhere")),
        arguments(NOT_SENT, new NoRouteToHostException()),
        arguments(NOT_SENT, new UnresolvedAddressException()),
        arguments(NOT_SENT, new SocketTimeoutException("Connect timed out")),
        arguments(NOT_SENT, new CompletionException(new ConnectException())),
        arguments(NOT_SENT, new OrderRejected(new RuntimeException(new ConnectException()))),
        arguments(NOT_SENT, caused(new ConnectException(), new ClosedChannelException())),
        arguments(NOT_SENT, suppressing(new ConnectException(), new ConnectException())),

        // Refused, but another attempt may have been sent.
        arguments(LOST, caused(new SocketTimeoutException(), new ConnectException())),
        arguments(LOST, caused(new ConnectException(), new SocketTimeoutException())),
        arguments(LOST, new IOException("the second attempt", new ConnectException())),
        arguments(LOST, suppressing(new ConnectException(), new SocketException("reset"))),
        arguments(LOST, suppressing(new ConnectException(), new RuntimeException("read time-out"))),
        arguments(
            LOST,
            suppressing(
                new ConnectException(),
                suppressing(new ConnectException(), new SocketTimeoutException()))),

        // The answer is missing.
        arguments(LOST, new SocketException("Connection reset")),
        arguments(LOST, new EOFException()),
        arguments(LOST, new SocketTimeoutException("Read timed out")),
        arguments(LOST, new SocketTimeoutException()),
        arguments(LOST, new ClosedChannelException()),
        arguments(LOST, new InterruptedIOException()),
        arguments(LOST, new TimeoutException()),
        arguments(LOST, new CancellationException()),
        arguments(LOST, new InterruptedException()),
        arguments(LOST, new StackOverflowError()),
        arguments(LOST, new ClosedSelectorException()),
        arguments(LOST, new UncheckedIOException(new IOException("reset"))),
        arguments(LOST, new RuntimeException(new SocketTimeoutException())),
        arguments(LOST, new IllegalStateException(new IOException())),
        arguments(LOST, new IllegalStateException("Timeout on blocking read for 200 MILLISECONDS")),
        arguments(LOST, new ExecutionException("Boxed Error", new AssertionError())),
        arguments(LOST, new UndeclaredThrowableException(new TimeoutException())),
        arguments(LOST, new OrderRejected(new OrderRejected(new InterruptedException()))),

        // Nothing is known.
        arguments(LOST, new OrderRejected()),
        arguments(LOST, new BadOrder()),
        arguments(LOST, new OrderRejected(new NullPointerException())),
        arguments(LOST, new RuntimeException("timeout")),
        arguments(LOST, new Exception()),
        arguments(LOST, new RejectedExecutionException()),

        // Before the request or after the answer.
        arguments(ANSWERED, new IllegalArgumentException()),
        arguments(ANSWERED, new IllegalStateException("status 400")),
        arguments(ANSWERED, new NullPointerException()),
        arguments(ANSWERED, new NumberFormatException()),
        arguments(ANSWERED, new ArrayIndexOutOfBoundsException()),
        arguments(ANSWERED, new DateTimeParseException("no date", "x", 0)),
        arguments(ANSWERED, new ExecutionException(new NullPointerException())),
        arguments(ANSWERED, new InvocationTargetException(new ClassCastException())),
        arguments(ANSWERED, suppressing(new NullPointerException(), new IOException("close"))),

        // HttpURLConnection.
        arguments(ANSWERED, new FileNotFoundException("http://localhost/missing")),
        arguments(
            ANSWERED,
            new IOException("Server returned HTTP response code: 500 for URL: http://x")));
  }

  private static Throwable caused(Throwable failure, Throwable cause) {
    return failure.initCause(cause);
  }

  private static Throwable suppressing(Throwable failure, Throwable other) {
    failure.addSuppressed(other);
    return failure;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("failures")
  void saysWhatBecameOfTheRequest(Outcome expected, Throwable failure) {
    assertEquals(expected, STANDARD.apply(failure));
  }

  @Test
  void readsACircleOnce() {
    var outer = new RuntimeException();
    var inner = new ExecutionException(outer);
    outer.initCause(inner);
    assertEquals(LOST, STANDARD.apply(outer));

    var refused = new ConnectException();
    refused.initCause(new RuntimeException(refused));
    assertEquals(NOT_SENT, STANDARD.apply(refused));

    var suppressing = new ConnectException();
    suppressing.addSuppressed(caused(new ConnectException(), suppressing));
    assertEquals(NOT_SENT, STANDARD.apply(suppressing));
  }

  @Test
  void aCauseOfItselfIsReadOnce() {
    var itself =
        new ConnectException() {
          @Override
          public synchronized Throwable getCause() {
            return this;
          }
        };
    assertEquals(NOT_SENT, STANDARD.apply(itself));
  }

  @Test
  void anUnreadableFailureIsLost() {
    var unreadable =
        new ConnectException() {
          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("of its own");
          }
        };
    assertEquals(LOST, STANDARD.apply(unreadable));
  }

  @Test
  void aChainWithoutAnEndIsLost() {
    class Endless extends ConnectException {
      @Override
      public synchronized Throwable getCause() {
        return new Endless();
      }
    }
    assertEquals(LOST, STANDARD.apply(new Endless()));
  }

  @Test
  void aProgramNamesItsOwnExceptions() {
    FailureClassifier own = STANDARD.answered(OrderRejected.class);
    assertEquals(ANSWERED, own.apply(new OrderRejected()));
    assertEquals(ANSWERED, own.apply(new ExecutionException(new OrderRejected())));
    assertEquals(LOST, own.apply(new OrderRejected(new SocketTimeoutException())));
    assertEquals(LOST, STANDARD.apply(new OrderRejected()), "the standard is as it was");
    assertEquals(NOT_SENT, STANDARD.notSent(OrderRejected.class).apply(new OrderRejected()));
    assertEquals(LOST, STANDARD.lost(BadOrder.class).apply(new BadOrder()));
  }

  @Test
  void theTypeNamedLastDecides() {
    FailureClassifier own =
        STANDARD.answered(IOException.class).lost(SocketException.class).answered(BadOrder.class);
    assertEquals(ANSWERED, own.apply(new EOFException()));
    assertEquals(LOST, own.apply(new SocketException()));
    assertEquals(ANSWERED, own.apply(new BadOrder()));
  }

  @Test
  void aRefusalOfAnotherLimiterSaysNothingWasCounted() {
    assertEquals(ANSWERED, STANDARD.apply(new LimiterClosedException("other")));
  }
}
