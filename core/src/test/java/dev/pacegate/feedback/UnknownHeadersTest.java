package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not understood is logged once for each header. */
class UnknownHeadersTest {

  private final List<String> logged = new ArrayList<>();
  private final AnswerReader reader = StandardHeaders.reader(new UnknownHeaders(logged::add));

  private static Answer answer(String header, String value) {
    return new Answer(200, Map.of(header, List.of(value)), Instant.EPOCH);
  }

  @Test
  void aHeaderThatNoReaderKnowsIsLoggedOnce() {
    reader.read(answer("X-RateLimit-Mood", "sunny"));
    reader.read(answer("x-ratelimit-mood", "gloomy"));

    assertEquals(1, logged.size());
    assertTrue(logged.get(0).endsWith("X-RateLimit-Mood: sunny"), logged.get(0));
  }

  @Test
  void theHeadersOfAnAnswerAreLoggedInOneLine() {
    reader.read(
        new Answer(
            200,
            Map.of(
                "X-RateLimit-Mood", List.of("sunny"),
                "X-RateLimit-Colour", List.of("blue"),
                "RateLimit-Smell", List.of("of roses")),
            Instant.EPOCH));
    reader.read(answer("x-ratelimit-colour", "red"));

    assertEquals(1, logged.size(), logged::toString);
    assertTrue(
        logged
            .get(0)
            .endsWith(
                "RateLimit-Smell: of roses; X-RateLimit-Colour: blue; X-RateLimit-Mood: sunny"),
        logged.get(0));
  }

  @Test
  void theLineIsOfTheLevelInfo() {
    var levels = new CopyOnWriteArrayList<Level>();
    var handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            if (line.getMessage().contains("X-RateLimit-Of-UnknownHeadersTest")) {
              levels.add(line.getLevel());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.pacegate.feedback");
    logger.addHandler(handler);
    try {
      AnswerReader real = StandardHeaders.reader(new UnknownHeaders(UnknownHeaders::log));
      real.read(answer("X-RateLimit-Of-UnknownHeadersTest", "sunny"));
      real.read(answer("X-RateLimit-Of-UnknownHeadersTest", "gloomy"));
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(List.of(Level.INFO), levels);
  }

  @Test
  void aValueThatMakesNoSenseIsLogged() {
    reader.read(answer("Retry-After", "120"));
    reader.read(answer("Retry-After", "soon"));

    assertEquals(1, logged.size());
  }

  @Test
  void knownHeadersAndThoseOfNoLimitAreNotLogged() {
    reader.read(answer("X-RateLimit-Reset-Tokens", "6m0s"));
    reader.read(answer("X-RateLimit-NearLimit", "true"));
    reader.read(answer("Retry-After", "0"));
    reader.read(answer("RateLimit-Policy", "10;w=60"));
    reader.read(answer("Content-Type", "text/plain"));

    assertEquals(List.of(), logged);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RateLimit-Name",
        "X-RateLimit-Name",
        "X-RateLimit-NearLimit",
        "X-Rate-Limit-Problem",
        "X-RateLimit-Tokens-Query-Cost"
      })
  void remarksAreNotLogged(String header) {
    reader.read(answer(header, "anything"));
    assertEquals(List.of(), logged);
  }

  @Test
  void aReaderOfTheUsersUnderstandsToo() {
    AnswerReader used = AnswerReader.used("X-Used-Rate-Limit", Duration.ofMinutes(1));

    reader.and(used).read(answer("X-Used-Rate-Limit", "3"));
    used.and(reader).read(answer("X-Used-Rate-Limit", "3"));
    assertEquals(List.of(), logged);

    used.and(reader).read(answer("X-Rate-Limit-Mood", "sunny"));
    assertEquals(1, logged.size());
  }

  @Test
  void oneLineNamesAHundredHeadersAtMost() {
    Map<String, List<String>> headers = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      headers.put("X-RateLimit-" + i, List.of("x".repeat(1_000)));
    }
    reader.read(new Answer(200, headers, Instant.EPOCH));

    assertEquals(1, logged.size());
    assertEquals(100, logged.get(0).split("X-RateLimit-", -1).length - 1);
    assertTrue(logged.get(0).length() < 15_000);
  }

  @Test
  void noMoreThanAHundredNamesAreLogged() {
    for (int i = 0; i < 1_000; i++) {
      reader.read(answer("X-RateLimit-" + i, "1"));
    }
    assertEquals(100, logged.size());
  }

  @Test
  void aLineOfTheLogIsShortAndPrintable() {
    reader.read(answer("X-RateLimit-Mood", "\n\u001b[2J" + "x".repeat(100_000)));

    assertTrue(logged.get(0).length() < 300);
    assertTrue(logged.get(0).chars().allMatch(c -> c >= ' ' && c <= '~'), logged.get(0));
  }
}
