package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Costs that are settled from the text of a response, whatever the caller makes of its body. */
@Timeout(60)
@Tag("jdk")
class SettleTextTest extends PacedHttpCases {

  private static final Pattern USED = Pattern.compile("\"total_tokens\": *(\\d+)");

  private final Limiter tokens = Limiter.of("peer(1000/1h of tokens)");

  /** Ways to read a body, which return its bytes. */
  enum Reader {
    STRING {
      @Override
      byte[] read(PacedHttpClient client, HttpRequest request) throws Exception {
        return bytes(client.send(request, BodyHandlers.ofString()).body());
      }
    },
    BYTES {
      @Override
      byte[] read(PacedHttpClient client, HttpRequest request) throws Exception {
        return client.sendAsync(request, BodyHandlers.ofByteArray()).get().body();
      }
    },
    INPUT_STREAM {
      @Override
      byte[] read(PacedHttpClient client, HttpRequest request) throws Exception {
        try (InputStream body = client.send(request, BodyHandlers.ofInputStream()).body()) {
          return body.readAllBytes();
        }
      }
    },
    LINES {
      @Override
      byte[] read(PacedHttpClient client, HttpRequest request) throws Exception {
        try (Stream<String> lines = client.send(request, BodyHandlers.ofLines()).body()) {
          return bytes(String.join("\n", lines.toList()) + "\n");
        }
      }
    },
    PUBLISHER {
      @Override
      byte[] read(PacedHttpClient client, HttpRequest request) throws Exception {
        var response = client.sendAsync(request, BodyHandlers.ofPublisher()).get();
        var bytes = BodySubscribers.ofByteArray();
        response.body().subscribe(bytes);
        return bytes.getBody().toCompletableFuture().get();
      }
    };

    abstract byte[] read(PacedHttpClient client, HttpRequest request) throws Exception;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private PacedHttpClient client() {
    return PacedHttpClient.builder(plain())
        .limiter(tokens)
        .cost(request -> Cost.of("tokens", 100))
        .settleText(
            (text, soFar) -> {
              Matcher used = USED.matcher(text);
              return used.find() ? Cost.of("tokens", Long.parseLong(used.group(1))) : null;
            })
        .maxWait(Duration.ZERO)
        .build();
  }

  private void assertSpent(long expected) throws InterruptedException {
    untilQuiet(tokens);
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1000 - expected)).isEmpty());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1001 - expected)).isPresent());
  }

  private static String head(String type) {
    return "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n";
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  @ParameterizedTest
  @EnumSource
  void aStreamInAnyPartsIsSettledAndArrivesUnchanged(Reader reader) throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    String text =
        "data: {\"choices\":[]}\n\ndata: {\"usage\":{\"total_tokens\": 7}}\n\ndata: [DONE]\n\n";
    RawServer server =
        server(
            (request, connection) -> {
              connection.write(head("text/event-stream"));
              for (int from = 0; from < text.length(); ) {
                int to = Math.min(text.length(), from + 1 + random.nextInt(30));
                connection.write(chunk(text.substring(from, to)));
                from = to;
              }
              connection.write(chunk(""));
            });
    for (int i = 1; i <= 10; i++) {
      assertArrayEquals(bytes(text), reader.read(client(), get(server.uri("/"))));
      assertSpent(7L * i);
    }
    assertEquals(0, tokens.snapshot().lost());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyInOnePieceIsSettled(Reader reader) throws Exception {
    String json = "{\"usage\": {\"total_tokens\": 5}}\n";
    RawServer server = server((request, connection) -> connection.ok(json));
    assertArrayEquals(bytes(json), reader.read(client(), get(server.uri("/"))));
    assertSpent(5);
  }

  /** Sends what is known so far, waits until it has been read, and says no more. */
  private RawServer unfinished(String text, CountDownLatch over) throws Exception {
    return server(
        (request, connection) -> {
          connection.write(head("text/event-stream") + chunk(text));
          over.await();
        });
  }

  /** Reads the first line, and closes the stream. */
  private void giveUp(String text) throws Exception {
    var over = new CountDownLatch(1);
    RawServer server = unfinished(text, over);
    try {
      InputStream body = client().send(get(server.uri("/")), BodyHandlers.ofInputStream()).body();
      assertEquals(text.length(), body.readNBytes(text.length()).length);
      body.close();
      untilQuiet(tokens);
    } finally {
      over.countDown();
    }
  }

  @Test
  void aStreamThatIsGivenUpMidwayStaysAtTheEstimate() throws Exception {
    giveUp("data: {\"usage\":{\"total_tokens\": 7}}\n\n");
    assertSpent(100);
    assertEquals(1, tokens.snapshot().lost());
  }

  @Test
  void aStreamThatIsClosedAfterItsLastEventIsSettled() throws Exception {
    giveUp("data: {\"usage\":{\"total_tokens\": 7}}\n\ndata: [DONE]\n\n");
    assertSpent(7);
    assertEquals(0, tokens.snapshot().lost());
  }

  /** The caller has an event as soon as it has been sent. */
  @Test
  void eventsAreNotHeldBack() throws Exception {
    var over = new CountDownLatch(1);
    RawServer server = unfinished("data: first\n\n", over);
    var first = new CompletableFuture<String>();
    CompletableFuture<HttpResponse<Void>> answer =
        client().sendAsync(get(server.uri("/")), BodyHandlers.fromLineSubscriber(lines(first)));
    assertEquals("data: first", first.get());
    assertEquals(1, tokens.snapshot().open());
    answer.cancel(true);
    over.countDown();
  }

  private static Flow.Subscriber<String> lines(CompletableFuture<String> first) {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
      }

      @Override
      public void onNext(String line) {
        first.complete(line);
      }

      @Override
      public void onError(Throwable failure) {}

      @Override
      public void onComplete() {}
    };
  }
}
