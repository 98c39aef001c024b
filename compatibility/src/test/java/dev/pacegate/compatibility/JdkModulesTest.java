package dev.pacegate.compatibility;

import static dev.pacegate.limit.Outcome.ANSWERED;
import static dev.pacegate.limit.Outcome.LOST;
import static dev.pacegate.limit.Outcome.NOT_SENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pacegate.FailureClassifier;
import dev.pacegate.limit.Outcome;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Exceptions of modules of the JDK that core does not see: JDBC and the HTTP client. */
class JdkModulesTest {

  static Stream<Arguments> failures() {
    return Stream.of(
        arguments(LOST, new HttpTimeoutException("request timed out")),
        arguments(LOST, new HttpTimeoutException("slow").initCause(new ConnectException())),
        arguments(NOT_SENT, new HttpConnectTimeoutException("HTTP connect timed out")),
        arguments(
            NOT_SENT,
            new HttpConnectTimeoutException("slow").initCause(new ConnectException("slow"))),
        arguments(LOST, new SQLTimeoutException("cancelled", "57014")),
        arguments(LOST, new SQLRecoverableException("broken", "08003")),
        arguments(LOST, new SQLNonTransientConnectionException("broken", "08006")),
        arguments(LOST, new SQLException("broken", "08S01")),
        arguments(LOST, new SQLException("read timed out", "HY008")),
        arguments(LOST, new SQLException("who knows")),
        arguments(LOST, new SQLException("I/O", "22000", new SocketTimeoutException())),
        arguments(NOT_SENT, new SQLException("refused", "08001", new ConnectException())),
        arguments(ANSWERED, new SQLException("no such table", "42P01")),
        arguments(ANSWERED, new SQLIntegrityConstraintViolationException("twice", "23505")));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("failures")
  void saysWhatBecameOfTheRequest(Outcome expected, Throwable failure) {
    assertEquals(expected, FailureClassifier.standard().apply(failure));
  }
}
