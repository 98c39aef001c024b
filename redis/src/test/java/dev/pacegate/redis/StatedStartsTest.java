package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.limit.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A limit that states that it counts starts is, in the store, the limit inside. */
class StatedStartsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          starts(5/1s)                      | 5/1s
          starts(spacing(100ms))            | spacing(100ms)
          starts(5/1s) & peer(100/1m)       | 5/1s & peer(100/1m)
          peer(5/1s) & starts(100/1m) & 9/1h| peer(5/1s) & 100/1m & 9/1h
          """)
  void isCountedAsTheLimitInside(String stated, String inside) {
    assertEquals(terms(inside), terms(stated));
    assertEquals(terms(inside).arguments(), terms(stated).arguments());
  }

  @Test
  void cannotBeginSpent() {
    var refused =
        assertThrows(IllegalArgumentException.class, () -> terms("starts(5/1s, initial=spent)"));
    assertEquals(
        "a limit that processes share cannot have initial=: starts(5/1s, initial=spent)",
        refused.getMessage());
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), null);
  }
}
