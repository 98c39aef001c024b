package dev.pacegate.result;

import static dev.pacegate.result.FailureEvidence.ANSWERED;
import static dev.pacegate.result.FailureEvidence.LOST;
import static dev.pacegate.result.FailureEvidence.NONE;
import static dev.pacegate.result.FailureEvidence.NOTE;
import static dev.pacegate.result.FailureEvidence.NOT_SENT;
import static dev.pacegate.result.FailureEvidence.OWN_ERROR;
import static dev.pacegate.result.FailureEvidence.UNKNOWN;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of known exceptions, by class name, as core depends on no library. The most specific
 * class with a row decides; subclasses are included.
 */
public final class KnownFailures {

  /** What is known of one class; of several rows the first whose condition holds decides. */
  private record Row(Condition when, FailureEvidence evidence) {}

  /** A further condition on a failure; {@code type} is the class that the row names. */
  @FunctionalInterface
  private interface Condition {
    boolean holds(Class<?> type, Throwable failure);
  }

  /**
   * Created by the first failure. A static initialiser that ran out of stack would fail for good.
   */
  private static volatile @Nullable KnownFailures table;

  private final Map<String, List<Row>> rows = new HashMap<>();

  /**
   * Only exceptions of these packages are programming errors; others extend them for I/O failures.
   */
  private static final Set<String> OF_PROGRAMS =
      Set.of("java.lang", "java.net", "java.text", "java.time", "java.time.format", "java.util");

  private KnownFailures() {
    noConnectionOfTheJdk();
    noAnswerToTheJdk();
    answersToTheJdk();
    errorsOfPrograms();
    // Another limiter refused a request of the job before it was sent; others may have been.
    row("dev.pacegate.RefusedException", ANSWERED);
    row("dev.pacegate.adapter.NotSentException", ANSWERED);
    row("dev.pacegate.http.HttpRefusedException", ANSWERED);
    row("dev.pacegate.http.HttpWaitTooLongException", ANSWERED); // a time-out of the JDK's client
    springAndReactor();
    parsers();
    httpClients();
    grpc();
    aws();
  }

  private void noConnectionOfTheJdk() {
    row("java.net.ConnectException", NOT_SENT); // netty's and Apache's connect errors extend it
    row("java.net.NoRouteToHostException", NOT_SENT);
    row("java.net.UnknownHostException", NOT_SENT);
    row("java.nio.channels.UnresolvedAddressException", NOT_SENT);
    row("java.net.http.HttpConnectTimeoutException", NOT_SENT);
    // Thrown by Socket.connect alone; a read time-out of the same class says something else.
    row("java.net.SocketTimeoutException", mentions("^Connect timed out"), NOT_SENT);
  }

  private void noAnswerToTheJdk() {
    row("java.io.IOException", mentions("^Server returned HTTP response code: "), ANSWERED);
    row("java.io.IOException", LOST);
    row("java.lang.Error", LOST);
    row("java.lang.InterruptedException", LOST);
    row("java.util.concurrent.CancellationException", LOST);
    row("java.util.concurrent.TimeoutException", LOST);
    row("java.sql.SQLTimeoutException", LOST);
  }

  private void answersToTheJdk() {
    row("java.io.FileNotFoundException", ANSWERED); // HttpURLConnection's 404; or a local file
    // A state of class 08 is a broken connection, HY a failure of the driver, 40003 a statement of
    // unknown outcome; without a state nothing is known. Any other state is the database's answer.
    row("java.sql.SQLException", hasState("08.*|HY.*|40003"), UNKNOWN);
    row("java.sql.SQLException", hasState(".+"), ANSWERED);
    row("java.sql.SQLException", UNKNOWN);
    row("java.sql.SQLRecoverableException", UNKNOWN); // a connection that is of no more use
    row("java.sql.SQLNonTransientConnectionException", UNKNOWN);
    row("java.sql.SQLTransientConnectionException", UNKNOWN);
  }

  private void errorsOfPrograms() {
    // Reactor's block() reports a time-out so; before 3.6 without a cause.
    row("java.lang.IllegalStateException", mentions("timeout|timed out|time-out"), LOST);
    row("java.lang.IllegalStateException", OWN_ERROR);
    row("java.lang.IllegalArgumentException", OWN_ERROR);
    row("java.lang.NullPointerException", OWN_ERROR);
    row("java.lang.ClassCastException", OWN_ERROR);
    row("java.lang.ArithmeticException", OWN_ERROR);
    row("java.lang.ArrayStoreException", OWN_ERROR);
    row("java.lang.IndexOutOfBoundsException", OWN_ERROR);
    row("java.lang.NegativeArraySizeException", OWN_ERROR);
    row("java.lang.UnsupportedOperationException", OWN_ERROR);
    row("java.util.ConcurrentModificationException", OWN_ERROR);
    row("java.util.NoSuchElementException", OWN_ERROR);
    row("java.time.DateTimeException", OWN_ERROR);
    row("java.text.ParseException", OWN_ERROR);
    row("java.net.URISyntaxException", OWN_ERROR);
  }

  private void springAndReactor() {
    row("org.springframework.web.client.RestClientResponseException", ANSWERED);
    row("org.springframework.web.reactive.function.client.WebClientResponseException", ANSWERED);
    row("org.springframework.http.converter.HttpMessageNotReadableException", ANSWERED);
    row("org.springframework.core.codec.DecodingException", ANSWERED);
    // Thrown for the last of several attempts: a refused one says nothing of those before it.
    row("reactor.core.Exceptions$RetryExhaustedException", LOST);
    row("reactor.core.publisher.FluxOnAssembly$OnAssemblyException", NOTE);
    row("java.lang.Exception", mentions("^#block terminated"), NOTE); // Reactor's, suppressed

    // A read time-out, which WebClient wraps in a response exception once the headers are in.
    row("io.netty.handler.timeout.TimeoutException", LOST);
  }

  /** They read the body of an answer; that Jackson's are I/O errors means nothing. */
  private void parsers() {
    row("com.fasterxml.jackson.core.JacksonException", ANSWERED);
    row("com.fasterxml.jackson.core.JsonProcessingException", ANSWERED); // before 2.12
    row("com.fasterxml.jackson.core.io.JsonEOFException", LOST); // the body ended too early
  }

  private void httpClients() {
    row("feign.FeignException", KnownFailures::hasStatus, ANSWERED); // without a status it is I/O
    row("retrofit2.HttpException", ANSWERED);
    row("io.ktor.client.plugins.ResponseException", ANSWERED);
    row("org.apache.hc.client5.http.HttpResponseException", ANSWERED); // extends IOException
    row("org.apache.hc.client5.http.ConnectTimeoutException", NOT_SENT); // a SocketTimeoutException
    row("org.apache.hc.core5.http.ConnectionRequestTimeoutException", NOT_SENT); // of the pool
  }

  /** The codes that it makes itself are no answers, even if servers send them too. */
  private void grpc() {
    for (String type : List.of("io.grpc.StatusRuntimeException", "io.grpc.StatusException")) {
      row(type, mentions("^(CANCELLED|DEADLINE_EXCEEDED)"), LOST);
      row(type, mentions("^(UNAVAILABLE|INTERNAL|UNKNOWN)"), UNKNOWN); // a cause may know more
      row(type, ANSWERED);
    }
  }

  /** What else the client of its SDK throws has a cause that is known. */
  private void aws() {
    row("software.amazon.awssdk.core.exception.SdkServiceException", ANSWERED);
    row("software.amazon.awssdk.core.exception.ApiCallTimeoutException", LOST);
    row("software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException", LOST);
    row("software.amazon.awssdk.core.exception.AbortedException", LOST);
  }

  private void row(String type, FailureEvidence evidence) {
    row(type, (named, failure) -> true, evidence);
  }

  private void row(String type, Condition when, FailureEvidence evidence) {
    rows.computeIfAbsent(type, name -> new ArrayList<>()).add(new Row(when, evidence));
  }

  private static Condition mentions(String pattern) {
    var sought = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
    return (type, failure) -> {
      String message = failure.getMessage();
      return message != null && sought.matcher(message).find();
    };
  }

  private static Condition hasState(String pattern) {
    var sought = Pattern.compile(pattern);
    return (type, failure) ->
        get(type, "getSQLState", failure) instanceof String state
            && sought.matcher(state).matches();
  }

  private static boolean hasStatus(Class<?> type, Throwable failure) {
    return get(type, "status", failure) instanceof Integer status && status > 0;
  }

  private static @Nullable Object get(Class<?> type, String method, Throwable failure) {
    try {
      return type.getMethod(method).invoke(failure);
    } catch (ReflectiveOperationException unreadable) {
      return null;
    }
  }

  /** Returns the names of the known classes. */
  static Set<String> types() {
    return table().rows.keySet();
  }

  private static KnownFailures table() {
    KnownFailures known = table;
    if (known == null) {
      known = new KnownFailures();
      table = known;
    }
    return known;
  }

  /** Returns what {@code failure} itself says, ignoring its causes. */
  public static FailureEvidence of(Throwable failure) {
    return table().evidenceOf(failure);
  }

  private FailureEvidence evidenceOf(Throwable failure) {
    for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
      for (Row row : rows.getOrDefault(type.getName(), List.of())) {
        if (row.when.holds(type, failure)) {
          return row.evidence == OWN_ERROR ? ofProgram(failure) : row.evidence;
        }
      }
    }
    return ofUnlisted(failure);
  }

  private static FailureEvidence ofProgram(Throwable failure) {
    return OF_PROGRAMS.contains(failure.getClass().getPackageName()) ? OWN_ERROR : UNKNOWN;
  }

  private static FailureEvidence ofUnlisted(Throwable failure) {
    return failure.getClass().getName().startsWith("java.") ? NONE : UNKNOWN;
  }
}
