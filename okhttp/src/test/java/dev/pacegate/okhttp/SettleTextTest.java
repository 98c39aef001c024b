package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okio.Buffer;
import okio.BufferedSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that are settled from the text of a response, also of one that OkHttp decompresses. */
class SettleTextTest extends OkHttpCases {

  private static final Pattern USED = Pattern.compile("\"total_tokens\": *(\\d+)");

  private final Limiter tokens = Limiter.of("peer(1000/1h of tokens)");

  private OkHttpClient client() {
    return PacedOkHttp.builder()
        .limiter(tokens)
        .cost(request -> Cost.of("tokens", 100))
        .settleText(
            (text, soFar) -> {
              Matcher used = USED.matcher(text);
              return used.find() ? Cost.of("tokens", Long.parseLong(used.group(1))) : null;
            })
        .build();
  }

  private static RawServer server(String type, boolean compresses, String text) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = compresses ? new GZIPOutputStream(bytes) : bytes) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return new RawServer(
        (request, connection) -> {
          connection.write(
              "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
                  .formatted(type, bytes.size(), compresses ? "Content-Encoding: gzip\r\n" : ""));
          bytes.writeTo(connection.socket().getOutputStream());
        });
  }

  private void assertSpent(long expected) {
    assertEquals(0, tokens.snapshot().open());
    assertEquals(0, tokens.snapshot().lost());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1000 - expected)).isEmpty());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1001 - expected)).isPresent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStreamIsSettledFromItsEvents(boolean compresses) throws IOException {
    String text = "data: {}\n\ndata: {\"total_tokens\": 7}\n\ndata: [DONE]\n\n";
    try (RawServer server = server("text/event-stream", compresses, text)) {
      assertEquals(text, get(client(), server.uri("/")));
      assertSpent(7);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBodyOfManyPartsIsSettled(boolean compresses) throws IOException {
    String text = "{\"text\": \"" + "x".repeat(100_000) + "\", \"total_tokens\": 5}";
    try (RawServer server = server("application/json", compresses, text)) {
      assertEquals(text, get(client(), server.uri("/")));
      assertSpent(5);
    }
  }

  @Test
  void aRedirectStaysAtTheEstimate() throws IOException {
    String text = "{\"total_tokens\": 7}";
    try (RawServer target = server("application/json", false, text);
        RawServer server =
            new RawServer(
                (request, connection) ->
                    connection.write(
                        "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(target.uri("/"), text.length(), text)))) {
      assertEquals(text, get(client(), server.uri("/")));
      assertSpent(100 + 7);
    }
  }

  /** What is in the buffer already was read before. */
  @Test
  void eachByteIsReadOnce() throws IOException {
    String text =
        "data: {\"total_tokens\": 7}\n\n".repeat(3_000) + "data: {\"total_tokens\": 8}\n\n";
    try (RawServer server = server("text/event-stream", false, text);
        Response response = client().newCall(request(server.uri("/"))).execute()) {
      BufferedSource source = response.body().source();
      var all = new Buffer();
      for (long read = 0; read != -1; read = source.read(all, 700)) {
        source.request(5);
      }
      assertEquals(text, all.readUtf8());
      assertSpent(8);
    }
  }
}
