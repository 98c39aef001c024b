package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that expect an interim answer, on which the JDK's client may wait for ever. */
@Tag("jdk")
class ExpectContinueTest extends PacedHttpCases {

  private final Limiter api = Limiter.of("peer(1000000/1h, unanswered=0s)");

  private CompletableFuture<HttpResponse<String>> begin(RawServer server, Duration timeout) {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/"))
            .timeout(timeout)
            .expectContinue(true)
            .POST(BodyPublishers.ofString("body"))
            .build();
    return paced(api).sendAsync(request, BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 102 X\r\n\r\n",
        "HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n",
        "HTTP/1.1 100 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n"
      })
  void aPermitEndsSoonAfterTheTimeOutWhateverTheClientDoes(String interim) throws Exception {
    RawServer server = server((request, connection) -> connection.write(interim));
    CompletableFuture<HttpResponse<String>> call = begin(server, ofMillis(500));

    until(() -> api.snapshot().granted() == 1 && api.snapshot().open() == 0);
    call.cancel(true);
    untilQuiet(api);
  }

  /** The permit ends with the answer, and not once more by a timer. */
  @Test
  void anAnswerInTimeIsNotLost() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    assertEquals("hello", begin(server, Duration.ofDays(36_500)).get().body());

    untilQuiet(api);
    assertEquals(0, api.snapshot().lost());
    assertEquals(1, api.snapshot().granted());
  }
}
