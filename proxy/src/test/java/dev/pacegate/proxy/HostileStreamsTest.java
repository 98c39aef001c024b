package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests of HTTP/2 that become others in HTTP/1.1, and what becomes of each. */
class HostileStreamsTest {

  /**
   * A request, as the fields of its head and a body.
   *
   * @param body what is sent of a body; the stream ends after it
   * @param outcome a status, or the code with which the stream or the connection is ended
   * @param arrived how many requests the upstream gets
   */
  private record Case(List<String> fields, String body, String outcome, int arrived) {

    static Case get(String outcome, int arrived, String... more) {
      return new Case(List.of(H2Wire.fields("GET", "/", more)), "", outcome, arrived);
    }

    static Case path(String path, String outcome, int arrived) {
      return new Case(List.of(H2Wire.fields("GET", path)), "", outcome, arrived);
    }

    static Case post(String body, String outcome, int arrived, String... more) {
      return new Case(List.of(H2Wire.fields("POST", "/", more)), body, outcome, arrived);
    }

    static Case fields(String outcome, int arrived, String... fields) {
      return new Case(List.of(fields), "", outcome, arrived);
    }
  }

  private static final String[] TWO_METHODS = {":method", "GET", ":method", "POST"};

  private static final List<Case> CASES =
      List.of(
          Case.get("200", 1),
          Case.get("200", 1, "te", "trailers"),
          // Headers of one connection.
          Case.get("reset 1", 0, "te", "gzip"),
          Case.get("reset 1", 0, "connection", "close"),
          Case.get("reset 1", 0, "connection", "x-secret", "x-secret", "1"),
          Case.get("reset 1", 0, "keep-alive", "1"),
          Case.get("reset 1", 0, "proxy-connection", "close"),
          Case.get("reset 1", 0, "upgrade", "websocket"),
          Case.post("0\r\n\r\n", "reset 1", 0, "transfer-encoding", "chunked"),
          Case.post("0\r\n\r\n", "reset 1", 0, "transfer-encoding", "\u000bchunked"),
          // Names and values that end a line of HTTP/1.1, or are none.
          Case.get("reset 1", 0, "X-Upper", "1"),
          Case.get("reset 1", 0, "", "1"),
          Case.get("reset 1", 0, "a b", "1"),
          Case.get("reset 1", 0, "a:b", "1"),
          Case.get("reset 1", 0, "a\r\nb", "1"),
          Case.get("reset 1", 0, "a\u0000", "1"),
          Case.get("reset 1", 0, "a", "1\r\nx: 2"),
          Case.get("reset 1", 0, "a", "1\nx: 2"),
          Case.get("reset 1", 0, "a", "1\r"),
          Case.get("reset 1", 0, "a", "1\u0000"),
          // The target.
          Case.path("/a b", "400", 0),
          Case.path("/ HTTP/1.1\r\nHost: y\r\n\r\nGET /hidden", "reset 1", 0),
          Case.path("http://other/", "400", 0),
          Case.path("//other/", "200", 1),
          Case.path("other", "400", 0),
          Case.path("*", "400", 0),
          Case.path("", "reset 1", 0),
          Case.path("/a/../b", "400", 0),
          Case.path("/a\\b", "400", 0),
          Case.path("/a#b", "400", 0),
          Case.path("/" + "a".repeat(40_000), "431", 0),
          Case.get("431", 0, "x", "a".repeat(40_000)),
          // Pseudo headers.
          Case.fields("reset 1", 0, ":scheme", "http", ":authority", "x", ":path", "/"),
          Case.fields("reset 1", 0, ":method", "GET", ":authority", "x", ":path", "/"),
          Case.fields("reset 1", 0, ":method", "GET", ":scheme", "http", ":authority", "x"),
          Case.get("reset 1", 0, ":path", "/b"),
          Case.get("reset 1", 0, ":authority", "y"),
          Case.get("reset 1", 0, TWO_METHODS),
          Case.get("reset 1", 0, ":status", "200"),
          Case.get("reset 1", 0, ":other", "1"),
          Case.get("reset 1", 0, "a", "1", ":scheme", "http"),
          Case.fields("501", 0, ":method", "CONNECT", ":authority", "other:80"),
          Case.fields(
              "reset 1",
              0,
              ":method",
              "CONNECT",
              ":protocol",
              "websocket",
              ":scheme",
              "http",
              ":path",
              "/",
              ":authority",
              "x"),
          Case.fields(
              "closed", 0, ":method", "G T", ":scheme", "http", ":path", "/", ":authority", "x"),
          // Who is meant.
          Case.get("200", 1, "host", "x"),
          Case.get("reset 1", 0, "host", "y"),
          Case.get("400", 0, "host", "x", "host", "y"),
          Case.fields("400", 0, ":method", "GET", ":scheme", "http", ":path", "/"),
          Case.fields("200", 1, ":method", "GET", ":scheme", "http", ":path", "/", "host", "x"),
          Case.fields(
              "reset 1", 0, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", ""),
          // A length that is not that of the body.
          Case.post("abcd", "200", 1, "content-length", "4"),
          Case.post("abcd", "reset 1", 0, "content-length", "3"),
          Case.post("abcd", "reset 1", 0, "content-length", "5"),
          Case.post("abcd", "reset 1", 0, "content-length", "0"),
          Case.post("abcd", "reset 1", 0, "content-length", "4", "content-length", "5"),
          Case.post("abcd", "reset 1", 0, "content-length", "+4"),
          Case.post("abcd", "reset 1", 0, "content-length", "-1"),
          Case.post("abcd", "200", 1, "content-length", "4, 4"),
          Case.get("reset 1", 0, "content-length", "4"));

  @Test
  void eachIsAnsweredAsTheTableSays() throws Exception {
    var wrong = new ArrayList<String>();
    try (var rig =
        new ProxyRig(
            Limiter.of("1000/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.times(Duration.ofSeconds(5), Duration.ofSeconds(5)))) {
      for (Case request : CASES) {
        rig.arrived.set(0);
        String outcome = outcome(rig, request);
        rig.atRest();
        String got = outcome + ", arrived " + rig.arrived.get();
        String expected = request.outcome() + ", arrived " + request.arrived();
        if (!got.equals(expected)) {
          String fields = String.join("|", request.fields()).replaceAll("a{50,}", "a…");
          wrong.add(got + " in place of " + expected + ": " + fields);
        }
      }
      assertEquals(200, rig.get("/").statusCode());
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static String outcome(ProxyRig rig, Case request) throws Exception {
    try (var wire = new H2Wire(rig)) {
      byte[] block = H2Wire.block(request.fields().toArray(new String[0]));
      int end = request.body().isEmpty() ? H2Wire.END_STREAM : 0;
      int most = 16_384;
      int last = Math.max(0, block.length - 1) / most;
      for (int i = 0; i <= last; i++) {
        wire.frame(
            i == 0 ? H2Wire.HEADERS : H2Wire.CONTINUATION,
            (i == 0 ? end : 0) | (i == last ? H2Wire.END_HEADERS : 0),
            1,
            java.util.Arrays.copyOfRange(block, i * most, Math.min(block.length, (i + 1) * most)));
      }
      if (end == 0) {
        wire.data(1, true, request.body().getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      }
      return wire.outcome(1);
    }
  }
}
