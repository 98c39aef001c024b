package dev.pacegate.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.FailureClassifier;
import dev.pacegate.limit.Outcome;

/** What is concluded from the failure of a real call. */
final class Verdicts {

  /** A call that fails. */
  @FunctionalInterface
  interface Call {
    void run() throws Throwable;
  }

  private Verdicts() {}

  /** Makes the call, which must fail, and compares how its permit would end. */
  static void assertOutcome(Outcome expected, String call, Call real) {
    Throwable failure = assertThrows(Throwable.class, real::run);
    String said = describe(failure);
    System.out.println(call + ": " + said + " -> " + expected);
    assertEquals(expected, FailureClassifier.standard().apply(failure), said);
  }

  private static String describe(Throwable failure) {
    var text = new StringBuilder();
    for (Throwable link = failure; link != null; link = link.getCause()) {
      text.append(text.isEmpty() ? "" : " < ").append(link.getClass().getName());
      text.append(" (").append(link.getMessage()).append(')');
      text.append(link.getSuppressed().length > 0 ? " and suppressed" : "");
    }
    return text.toString().lines().findFirst().orElse("");
  }
}
