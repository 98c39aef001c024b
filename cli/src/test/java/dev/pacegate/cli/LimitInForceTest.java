package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.limit.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a limit means that follows the one in force. */
class LimitInForceTest {

  private static String next(String inForce, String next) throws Failure {
    return new LimitInForce(inForce).next(Limits.parse(next)).toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          peer(10/1s)                            | 20/1s                         | peer(20/1s)
          peer(10/1s, unanswered=1s, margin=5ms) | 20/1s                         | peer(20/1s, unanswered=1s, margin=5ms)
          10/1s                                  | 20/1s                         | 20/1s
          starts(10/1s)                          | 20/1s                         | 20/1s
          peer(10/1s)                            | starts(20/1s)                 | starts(20/1s)
          10/1s                                  | peer(20/1s)                   | peer(20/1s)
          peer(10/1s, unanswered=1s)             | peer(20/1s)                   | peer(20/1s)
          peer(10/1s)                            | bucket(5/1s, burst=3)         | peer(bucket(5/1s, burst=3))
          peer(spacing(20ms))                    | 20/1s & spacing(50ms)         | peer(20/1s) & peer(spacing(50ms))
          peer(10/1s) & concurrent(3)            | 20/1s & concurrent(4)         | peer(20/1s) & concurrent(4)
          peer(10/1s) & 100/1m of tokens         | 20/1s & 200/1m of tokens      | peer(20/1s) & 200/1m of tokens
          peer(10/1s)                            | 200/1m of tokens              | peer(200/1m of tokens)
          peer(10/1s)                            | concurrent(4)                 | concurrent(4)
          """)
  void aLimitThatDoesNotStateHowItCountsCountsAsTheOneInForce(
      String inForce, String next, String meant) throws Failure {
    assertEquals(meant, next(inForce, next));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          concurrent(3)                             | 20/1s
          peer(10/1s) & 100/1m                      | 20/1s
          peer(10/1s) & peer(100/1m, unanswered=1s) | 20/1s
          peer(10/1s) & 100/1m of tokens            | 20/1m of pages
          """)
  void whereTheLimitInForceDoesNotTellTheAnswerNamesBothForms(String inForce, String next) {
    var failure = assertThrows(Failure.class, () -> next(inForce, next));
    assertEquals(
        "the limit in force, %s, does not tell what %s counts: write starts(%s) or peer(%s)"
            .formatted(inForce, next, next, next),
        failure.getMessage());
  }

  @Test
  void aBucketThatNoPeerCountsIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> next("peer(10/1s)", "bucket(5/1s, burst=3, slack=1ms)"));
  }
}
