package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.client5.http.impl.cache.CacheConfig;
import org.apache.hc.client5.http.impl.cache.CachingHttpClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.schedule.ImmediateSchedulingStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HttpClient's cache is above the permits. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CacheTest extends ApacheCases {

  private RawServer answering(String cacheControl) throws IOException {
    return server(
        (request, connection) ->
            connection.write(
                "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nETag: \"a\"\r\n"
                    + ("Cache-Control: " + cacheControl)
                    + "\r\nContent-Length: 5\r\n\r\nhello"));
  }

  private PacedApache caching() {
    return options(
        CachingHttpClients.custom()
            .setSchedulingStrategy(ImmediateSchedulingStrategy.INSTANCE)
            .setCacheConfig(CacheConfig.custom().setAsynchronousWorkers(1).build())
            .setConnectionManager(pool)
            .setConnectionManagerShared(true));
  }

  @Test
  void aStoredResponseTakesNoPermit() throws IOException {
    RawServer server = answering("max-age=999999999");
    CloseableHttpClient client = caching().build();
    for (int i = 0; i < 3; i++) {
      assertEquals("hello", get(client, server.uri("/")));
    }
    assertPermits(1, server);
  }

  /** On another thread, with a runtime of its own; no user gets its response. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefreshInTheBackgroundTakesAPermit(boolean settled) throws IOException {
    RawServer server = answering("max-age=1, stale-while-revalidate=999999999");
    PacedApache options = caching();
    if (settled) {
      options.settle((response, cost) -> cost);
    }
    CloseableHttpClient client = options.build();
    assertEquals("hello", get(client, server.uri("/")));
    assertEquals("hello", get(client, server.uri("/")));
    until(() -> server.arrivals() == 2 && limiter.snapshot().open() == 0);
    until(() -> pool.getTotalStats().getLeased() == 0);
    assertPermits(2, server);
  }

  @Test
  void aStoredResponseAfterARedirectIsNotThatOfTheRedirect() throws IOException {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/moved")) {
                connection.status(302, "Location: /");
              } else {
                connection.write(
                    "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
                        + "Cache-Control: max-age=999999999\r\nContent-Length: 5\r\n\r\nhello");
              }
            });
    var judged = new ArrayList<Integer>();
    CloseableHttpClient client =
        caching()
            .refused(
                response -> {
                  judged.add(response.getCode());
                  return null;
                })
            .build();
    assertEquals("hello", get(client, server.uri("/")));
    assertEquals("hello", get(client, server.uri("/moved")));
    assertEquals(List.of(200), judged); // of the first request
    assertPermits(2, server);
  }
}
