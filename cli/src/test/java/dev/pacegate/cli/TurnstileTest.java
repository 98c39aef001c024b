package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which lines may share a permit. */
class TurnstileTest {

  /** A spacing and places count calls, and a bucket takes any cost and is paid later. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unlimited | 65536
          starts(20/1s) | 20
          peer(20/1s) | 20
          starts(20/1s) & starts(7/1h) | 7
          peer(20/1s) & unlimited | 20
          spacing(50ms) | 1
          peer(20/1s) & spacing(1ms) | 1
          concurrent(5) | 1
          bucket(20/1s) | 1
          starts(20/1s of bytes) | 1
          """)
  void linesShareAPermitUnderWindowsAlone(String limit, int most) {
    try (Limiter limiter = Limiter.of(Limits.parse(limit))) {
      assertEquals(most, new Turnstile(limiter, Time.system()).most(), limit);
      assertEquals(1, new Turnstile(limiter, Time.system()).oneByOne().most(), limit);
    }
  }

  @Test
  void linesThatEnterTogetherCostAsMuchAsOneByOne() {
    try (Limiter limiter = Limiter.of(Limits.parse("20/1h"))) {
      var turnstile = new Turnstile(limiter, Time.system());
      assertTrue(turnstile.tryEnterTogether(15));
      assertTrue(!turnstile.tryEnterTogether(6));
      assertTrue(turnstile.tryEnterTogether(5));
      assertTrue(!turnstile.tryEnter(1));
    }
  }
}
