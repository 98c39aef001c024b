package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Cache;
import okhttp3.CacheControl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What OkHttp's cache has stored needs no permit. */
class CacheTest extends OkHttpCases {

  @TempDir File folder;

  private OkHttpClient cached() {
    return new OkHttpClient.Builder().cache(new Cache(folder, 99_999)).build();
  }

  private static RawServer storable() throws IOException {
    return new RawServer(
        (request, connection) -> {
          switch (request.path()) {
            case "/moved" -> connection.status(301, "Location: /here", "Cache-Control: max-age=99");
            case "/away" -> connection.status(302, "Location: /here");
            case "/stale" -> stale(request, connection);
            default ->
                connection.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=99\r\nContent-Length: 5\r\n\r\nhello");
          }
        });
  }

  private static void stale(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    if (request.headers().containsKey("if-none-match")) {
      connection.write("HTTP/1.1 304 X\r\n\r\n");
    } else {
      connection.write(
          "HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nETag: \"1\"\r\n"
              + "Content-Length: 5\r\n\r\nhello");
    }
  }

  @Test
  void aStoredResponseNeitherWaitsNorIsCounted() throws IOException {
    Limiter starts = Limiter.of("starts(2/1h)");
    OkHttpClient client = paced(cached()).limiter(starts).build();
    try (var server = storable()) {
      assertEquals("hello", get(client, server.uri("/")));
      starts.pause();
      for (int i = 0; i < 5; i++) {
        assertEquals("hello", get(client, server.uri("/")));
      }
      assertEquals(1, server.arrivals());
    }
    assertEquals(1, starts.snapshot().granted());
    assertEquals(0, starts.snapshot().open());
  }

  @Test
  void aStoredResponseBearsTheRequestOfItsCaller() throws IOException {
    OkHttpClient client = paced(cached()).build();
    try (var server = storable()) {
      get(client, server.uri("/moved"));
      assertPermits(2);
      try (Response stored = client.newCall(request(server.uri("/moved"))).execute()) {
        assertNull(stored.request().header("Cache-Control"));
        assertEquals(server.uri("/here"), stored.request().url().uri());
        assertEquals("hello", stored.body().string());
      }
    }
    assertPermits(2);
  }

  @Test
  void aRedirectToAStoredResponseTakesOnePermit() throws IOException {
    OkHttpClient plain = cached();
    var judged = new AtomicInteger();
    PacedOkHttp options =
        paced(plain)
            .refused(
                response -> {
                  judged.incrementAndGet();
                  return null;
                });
    try (var server = storable()) {
      get(plain, server.uri("/here"));
      assertEquals("hello", get(options, server.uri("/away")));
      assertEquals(2, server.arrivals());
    }
    assertPermits(1);
    assertEquals(0, judged.get()); // its response is of an earlier request
  }

  @Test
  void aStoredResponseThatIsValidatedTakesAPermit() throws IOException {
    OkHttpClient client = paced(cached()).build();
    try (var server = storable()) {
      assertEquals("hello", get(client, server.uri("/stale")));
      assertEquals("hello", get(client, server.uri("/stale")));
      assertEquals(2, server.arrivals());
    }
    assertPermits(2);
  }

  @Test
  void aCallThatAsksTheCacheAloneTakesNoPermit() throws IOException {
    limiter.pause();
    try (var server = storable()) {
      Request only =
          request(server.uri("/")).newBuilder().cacheControl(CacheControl.FORCE_CACHE).build();
      try (Response missing = paced(cached()).build().newCall(only).execute()) {
        assertEquals(504, missing.code());
      }
      assertEquals(0, server.arrivals());
    }
    assertPermits(0);
  }

  /** An interceptor that replaces the header makes the look-up a request. */
  @Test
  void aLookUpThatIsSentTakesAPermit() throws IOException {
    OkHttpClient client =
        paced(cached())
            .build()
            .newBuilder()
            .addInterceptor(
                chain ->
                    chain.proceed(
                        chain.request().newBuilder().header("Cache-Control", "no-cache").build()))
            .build();
    try (var server = storable()) {
      assertEquals("hello", get(client, server.uri("/")));
      assertEquals(1, server.arrivals());
    }
    assertPermits(1);
  }

  /** Such a client is paced before it gets its cache. */
  @Test
  void aCacheThatIsSetLaterGivesPermitsBack() throws IOException {
    OkHttpClient client = paced().build().newBuilder().cache(new Cache(folder, 99_999)).build();
    try (var server = storable()) {
      for (int i = 0; i < 3; i++) {
        assertEquals("hello", get(client, server.uri("/")));
      }
      assertEquals(1, server.arrivals());
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().lost());
  }

  /** The permit that was taken ahead is of the host of the request, where nothing is sent. */
  @Test
  void aStoredRedirectToAnotherHostTakesAPermitOfThatHost() throws IOException {
    OkHttpClient client =
        PacedOkHttp.builder(cached()).limit("9/1h").maxWait(Duration.ZERO).build();
    try (var server = new RawServer((request, connection) -> moved(request, connection))) {
      assertEquals("hello", get(client, server.uri("/moved")));
      assertEquals("hello", get(client, server.uri("/moved")));
      assertEquals(3, server.arrivals());
      var limiters = PacedOkHttp.pacing(client).limiters();
      Limiter target = limiters.limiter("127.0.0.1:" + server.port());
      assertEquals(2, target.snapshot().granted());
      assertTrue(target.bottleneck(Cost.of(8)).isPresent());
      assertTrue(limiters.limiter("localhost:" + server.port()).bottleneck(Cost.of(8)).isEmpty());
    }
  }

  /** Also within a host, where the permits of two paths may be of two limiters. */
  @Test
  void aStoredRedirectTakesThePermitOfItsTarget() throws IOException {
    OkHttpClient client =
        PacedOkHttp.builder(cached())
            .limit("9/1h")
            .by(request -> request.url().encodedPath())
            .build();
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (request.path().equals("/moved")) {
                connection.status(301, "Location: /", "Cache-Control: max-age=99");
              } else {
                connection.ok("hello");
              }
            })) {
      assertEquals("hello", get(client, server.uri("/moved")));
      assertEquals("hello", get(client, server.uri("/moved")));
      assertEquals(3, server.arrivals());
      var limiters = PacedOkHttp.pacing(client).limiters();
      assertEquals(2, limiters.limiter("/").snapshot().granted());
      assertTrue(limiters.limiter("/").bottleneck(Cost.of(8)).isPresent());
      assertTrue(limiters.limiter("/moved").bottleneck(Cost.of(8)).isEmpty());
    }
  }

  private static void moved(RawServer.Received request, RawServer.Connection connection)
      throws IOException {
    if (request.path().equals("/moved")) {
      connection.status(
          301,
          "Location: http://127.0.0.1:" + connection.socket().getLocalPort() + "/",
          "Cache-Control: max-age=99");
    } else {
      connection.ok("hello");
    }
  }
}
