package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AsPeerCountsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          10/1m                                | peer(10/1m)
          10/1s & 200/1m                       | peer(10/1s) & peer(200/1m)
          spacing(10ms) & 5/1s                 | peer(spacing(10ms)) & peer(5/1s)
          100/1s & concurrent(50)              | peer(100/1s) & concurrent(50)
          bucket(100/1s, burst=20)             | peer(bucket(100/1s, burst=20))
          """)
  void aTextThatDoesNotTellHowItCountsCountsAsThePeerDoes(String text, String limit) {
    assertEquals(Limits.parse(limit), Limits.parse(text).asPeerCounts());
  }

  /** A spacing beside peer(…) is for requests that overlap, which peer(spacing(…)) would end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          3/1s & starts(100/1m)                | peer(3/1s) & starts(100/1m)
          starts(100/1m) & bucket(3/1s)        | starts(100/1m) & peer(bucket(3/1s))
          spacing(1s) & starts(100/1m)         | peer(spacing(1s)) & starts(100/1m)
          peer(10/1s, margin=5s) & 200/1m      | peer(10/1s, margin=5s) & peer(200/1m)
          peer(9/1s) & 9/1m & spacing(9ms)     | peer(9/1s) & peer(9/1m) & spacing(9ms)
          starts(9/1s) & spacing(9ms) & peer(9/1m) | starts(9/1s) & spacing(9ms) & peer(9/1m)
          """)
  void oneTermThatTellsHowItCountsChangesNothingAboutTheOthers(String text, String limit) {
    assertEquals(Limits.parse(limit), Limits.parse(text).asPeerCounts());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          starts(10/1m)
          peer(30/1s) & spacing(33ms)
          spacing(33ms) & peer(30/1s)
          starts(10/1s) & starts(200/1m)
          starts(30/1s) & starts(spacing(33ms))
          peer(30/1s & spacing(100ms))
          peer(10/1m, margin=5s) & peer(200/1h) & concurrent(4)
          fixed(10/1m) & concurrent(4)
          """)
  void aTextThatTellsHowItCountsIsUsedAsItIs(String text) {
    Limit limit = Limits.parse(text);
    assertEquals(limit, limit.asPeerCounts());
  }
}
