package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.apache.hc.client5.http.impl.cache.CacheConfig;
import org.apache.hc.client5.http.impl.cache.CachingHttpClients;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.schedule.ImmediateSchedulingStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

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

  private CloseableHttpClient caching() {
    return options()
        .build()
        .over(CachingHttpClients.custom())
        .setSchedulingStrategy(ImmediateSchedulingStrategy.INSTANCE)
        .setCacheConfig(CacheConfig.custom().setAsynchronousWorkers(1).build())
        .setConnectionManager(pool)
        .setConnectionManagerShared(true)
        .build();
  }

  @Test
  void aStoredResponseTakesNoPermit() throws IOException {
    RawServer server = answering("max-age=999999999");
    CloseableHttpClient client = caching();
    for (int i = 0; i < 3; i++) {
      assertEquals("hello", get(client, server.uri("/")));
    }
    assertPermits(1, server);
  }

  /** On another thread, with a runtime of its own. */
  @Test
  void aRefreshInTheBackgroundTakesAPermit() throws IOException {
    RawServer server = answering("max-age=1, stale-while-revalidate=999999999");
    CloseableHttpClient client = caching();
    assertEquals("hello", get(client, server.uri("/")));
    assertEquals("hello", get(client, server.uri("/")));
    until(() -> server.arrivals() == 2 && limiter.snapshot().open() == 0);
    until(() -> pool.getTotalStats().getLeased() == 0);
    assertPermits(2, server);
  }
}
