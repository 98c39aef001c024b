package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BodyHeadersTest {

  private static BodyHeaders headers(String type, String encoding) {
    return BodyHeaders.of(
        Map.of("Content-Type", List.of(type), "CONTENT-ENCODING", List.of(encoding)));
  }

  @ParameterizedTest
  @CsvSource({
    "text/event-stream, true, true",
    "TEXT/Event-Stream ; charset=utf-8, true, true",
    "application/x-ndjson, true, false",
    "application/stream+json;a=b, true, false",
    "text/event-streams, false, false",
    "' text/event-stream ', true, true",
    "application/json, false, false",
    "'', false, false",
  })
  void aTypeIsComparedWholeAndWithoutItsParameters(String type, boolean stream, boolean events) {
    assertEquals(stream, headers(type, "").isStream());
    assertEquals(events, headers(type, "").isServerSentEvents());
  }

  @ParameterizedTest
  @CsvSource({
    "'', true, false",
    "identity, true, false",
    "GZIP, false, true",
    "x-gzip, false, true",
    "br, false, false",
    "'gzip, br', false, false",
  })
  void anEncodingIsGzipOrNoneOrCannotBeRead(String encoding, boolean plain, boolean gzip) {
    assertEquals(plain, headers("", encoding).isPlain());
    assertEquals(gzip, headers("", encoding).isGzip());
  }

  @Test
  void headersWithoutAValueCountAsAbsent() {
    assertTrue(BodyHeaders.of(Map.of("content-encoding", List.of())).isPlain());
    assertFalse(BodyHeaders.of(Map.of("content-type", List.of())).isStream());
    assertEquals(new BodyHeaders("", ""), BodyHeaders.of(Map.of()));
  }
}
