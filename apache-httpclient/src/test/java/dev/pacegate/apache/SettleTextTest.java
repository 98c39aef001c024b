package dev.pacegate.apache;

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
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that are settled from the text of a response, also of one that is decompressed. */
@Timeout(60)
class SettleTextTest extends ApacheCases {

  private static final Pattern USED = Pattern.compile("\"total_tokens\": *(\\d+)");
  private static final String EVENTS =
      "data: {}\n\ndata: {\"total_tokens\": 7}\n\ndata: [DONE]\n\n";

  private final Limiter tokens = Limiter.of("peer(1000/1h of tokens)");

  private PacedApache settled() {
    return options()
        .limiter(tokens)
        .cost(request -> Cost.of("tokens", 100))
        .settleText(
            (text, soFar) -> {
              Matcher used = USED.matcher(text);
              return used.find() ? Cost.of("tokens", Long.parseLong(used.group(1))) : null;
            });
  }

  private RawServer events(boolean compresses) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = compresses ? new GZIPOutputStream(bytes) : bytes) {
      out.write(EVENTS.getBytes(StandardCharsets.UTF_8));
    }
    String encoding = compresses ? "Content-Encoding: gzip\r\n" : "";
    return server(
        (request, connection) -> {
          connection.write(
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  + encoding
                  + ("Content-Length: " + bytes.size() + "\r\n\r\n"));
          bytes.writeTo(connection.socket().getOutputStream());
        });
  }

  /** What decompresses it stops at the end of the gzip, before the last chunk. */
  @Test
  void aCompressedStreamInChunksIsAnswered() throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write("data: {\"total_tokens\": 7}\n\n".getBytes(StandardCharsets.UTF_8));
    }
    RawServer chunks =
        server(
            (request, connection) -> {
              connection.write(
                  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                      + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                      + Integer.toHexString(bytes.size())
                      + "\r\n");
              bytes.writeTo(connection.socket().getOutputStream());
              connection.write("\r\n0\r\n\r\n");
            });
    get(settled().build(), chunks.uri("/"));
    assertSettled();
    get(paced(), chunks.uri("/"));
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().lost());
  }

  private void assertSettled() {
    assertEquals(0, tokens.snapshot().open());
    assertEquals(0, tokens.snapshot().lost());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 993)).isEmpty());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 994)).isPresent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStreamIsSettledFromItsEvents(boolean compresses) throws Exception {
    assertEquals(EVENTS, get(settled().build(), events(compresses).uri("/")));
    assertSettled();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStreamThatIsWrittenToAnotherIsSettled(boolean compresses) throws Exception {
    var out = new ByteArrayOutputStream();
    settled()
        .build()
        .execute(
            new HttpGet(events(compresses).uri("/")),
            response -> {
              response.getEntity().writeTo(out);
              return null;
            });
    assertEquals(EVENTS, out.toString(StandardCharsets.UTF_8));
    assertSettled();
  }
}
