package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.junit.jupiter.api.Test;

/** Requests that the peer refuses. */
class RefusalsTest extends OkHttpCases {

  /** Refuses the first two requests. */
  private static RawServer refusing(String... headers) throws IOException {
    var arrivals = new AtomicInteger();
    return new RawServer(
        (request, connection) -> {
          if (arrivals.incrementAndGet() > 2) {
            connection.ok("hello");
          } else {
            connection.status(429, headers);
          }
        });
  }

  @Test
  void aRefusedRequestIsSentAgainWithAPermit() throws IOException {
    try (var server = refusing()) {
      assertEquals("hello", get(paced().retryRefused(2), server.uri("/")));
      assertEquals(3, server.arrivals());
    }
    assertPermits(3);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRetryWaitsForAsLongAsTheRefusalSays() throws IOException {
    List<Long> instants;
    try (var server = refusing("Retry-After: 1")) {
      assertEquals("hello", get(paced().retryRefused(2), server.uri("/")));
      instants = server.instants();
    }
    assertTrue(instants.get(1) - instants.get(0) >= Duration.ofSeconds(1).toNanos());
    assertTrue(instants.get(2) - instants.get(1) >= Duration.ofSeconds(1).toNanos());
    assertPermits(3);
  }

  @Test
  void theLastRefusalIsTheResponse() throws IOException {
    OkHttpClient client = paced().retryRefused(1).build();
    try (var server = refusing()) {
      try (Response response = client.newCall(request(server.uri("/"))).execute()) {
        assertEquals(429, response.code());
      }
      assertEquals(2, server.arrivals());
    }
    assertPermits(2);
  }

  @Test
  void aRefusalWithALongWaitIsReturnedAtOnce() throws IOException {
    PacedOkHttp options = paced().retryRefused(2).maxWait(Duration.ofSeconds(5));
    try (var server = refusing("Retry-After: 30")) {
      try (Response response = call(options, server.uri("/")).execute()) {
        assertEquals(429, response.code());
      }
      assertEquals(1, server.arrivals());
    }
    assertPermits(1);
  }

  @Test
  void aPostIsSentAgainOnlyIfTheUserChoosesIt() throws IOException {
    try (var server = refusing()) {
      assertEquals(429, post(paced().retryRefused(2), server, body()));
      assertEquals(200, post(paced().retryRefused(2, request -> true), server, body()));
      assertEquals(3, server.arrivals());
    }
    assertPermits(3);
  }

  @Test
  void aBodyThatCanBeSentOnceIsSentOnce() throws IOException {
    try (var server = refusing()) {
      assertEquals(429, post(paced().retryRefused(2, request -> true), server, once()));
      assertEquals(1, server.arrivals());
    }
    assertPermits(1);
  }

  private static int post(PacedOkHttp options, RawServer server, RequestBody body)
      throws IOException {
    Request post = new Request.Builder().url(server.uri("/").toString()).post(body).build();
    try (Response response = options.build().newCall(post).execute()) {
      return response.code();
    }
  }

  private static RequestBody body() {
    return RequestBody.create("text", MediaType.get("text/plain"));
  }

  private static RequestBody once() {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return MediaType.get("text/plain");
      }

      @Override
      public long contentLength() {
        return 4;
      }

      @Override
      public boolean isOneShot() {
        return true;
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        sink.writeUtf8("text");
      }
    };
  }

  @Test
  void aRefusalInTheBodyIsSentAgain() throws IOException {
    var arrivals = new AtomicInteger();
    PacedOkHttp options = paced().refused(RefusalsTest::judged).retryRefused(2);
    try (var server =
        new RawServer(
            (request, connection) ->
                connection.ok(arrivals.incrementAndGet() > 2 ? "hello" : "code 10006"))) {
      assertEquals("hello", get(options, server.uri("/")));
    }
    assertPermits(3);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  private static PeerAnswer judged(Response response) {
    try {
      boolean full = response.peekBody(1_000).string().contains("10006");
      return full ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING;
    } catch (IOException broken) {
      return PeerAnswer.NOTHING;
    }
  }

  /** What it returns was not sent, so it is not the refusal before. */
  @Test
  void aResponseOfAnInterceptorAfterARefusalIsNotRefused() throws IOException {
    var first = new AtomicReference<Response>();
    OkHttpClient client =
        paced()
            .retryRefused(9)
            .build()
            .newBuilder()
            .addInterceptor(
                chain -> {
                  if (first.get() == null) {
                    first.set(chain.proceed(chain.request()));
                  }
                  return first.get();
                })
            .build();
    try (var server = new RawServer((request, connection) -> connection.status(429))) {
      try (Response response = client.newCall(request(server.uri("/"))).execute()) {
        assertEquals(429, response.code());
      }
      assertEquals(1, server.arrivals());
    }
    assertEquals(0, limiter.snapshot().open());
  }
}
