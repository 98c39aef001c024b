package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.redis.rig.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A proxy that is killed and started again goes on where it was. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyDeathTest {

  private static final Duration SOON = Duration.ofMinutes(1);

  /** Three are answered, one is under way, and two wait and are never sent. */
  @Test
  void requestsOfBeforeAKillCountAfterIt(@TempDir Path folder) throws Exception {
    String state = folder.resolve("api").toString();
    try (var upstream = new CountingUpstream()) {
      var broken = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      try (var proxy = proxy(upstream, "peer(4/1h)", state)) {
        for (int i = 0; i < 3; i++) {
          assertEquals(200, proxy.get("/" + i));
        }
        broken.add(proxy.send("/held"));
        Await.until("it has arrived", SOON, () -> upstream.arrived() == 4);
        broken.add(proxy.send("/waits"));
        broken.add(proxy.send("/waits/too"));
        Await.until("two wait", SOON, () -> proxy.figure("pacegate_permits_waiting{") == 2);
      }
      for (var answer : broken) {
        assertThrows(ExecutionException.class, answer::get);
      }
      try (var proxy = proxy(upstream, "peer(5/1h)", state)) {
        assertEquals(200, proxy.get("/next", "Pacegate-Max-Wait", "1s"), "the fifth");
        assertEquals(429, proxy.get("/next", "Pacegate-Max-Wait", "1s"));
      }
      try (var proxy = proxy(upstream, "peer(5/1h)", state)) {
        assertEquals(429, proxy.get("/next", "Pacegate-Max-Wait", "1s"));
        Await.until("nothing is left", SOON, () -> proxy.isAtRest());
      }
      assertEquals(5, upstream.arrived());
    }
  }

  private static ProxyUnderTest proxy(CountingUpstream upstream, String limit, String state)
      throws Exception {
    return new ProxyUnderTest(limit, "--to", upstream.uri(), "--state", state, "--max-wait", "2h");
  }
}
