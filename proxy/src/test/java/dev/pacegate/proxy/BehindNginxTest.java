package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.http.Nginx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * 200 clients that ask as fast as they are answered, and an upstream that refuses what comes before
 * it is due, to the millisecond: nginx's {@code limit_req} without a burst.
 */
@Timeout(300)
class BehindNginxTest {

  private static final int CLIENTS = 200;

  /** 20 ms, and the margin of {@code peer}: a thousandth and a millisecond. */
  private static final double SPACING = 0.02102;

  @TempDir Path folder;

  @Test
  @Tag("servers")
  void theUpstreamRefusesNone() throws Exception {
    send(Duration.ofSeconds(4), 0);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void theUpstreamRefusesNoneInAMinuteAndIsUsedWell() throws Exception {
    send(Duration.ofMinutes(1), 0.95);
  }

  private void send(Duration span, double share) throws Exception {
    try (var nginx = new Nginx(folder, "50r/s", "");
        var limiter = Limiter.of("peer(spacing(20ms))");
        var proxy = PacedProxy.builder(nginx.uri()).limiter(limiter).start()) {
      long start = System.nanoTime();
      var clients = new EagerClients(proxy, CLIENTS);
      Thread.sleep(span.toMillis()); // the load is real
      long sent = limiter.snapshot().granted();
      double seconds = (System.nanoTime() - start) / 1e9;
      clients.stop();
      assertEquals(0, nginx.refused());
      assertEquals(limiter.snapshot().granted(), clients.answered(), "answered of those sent");
      assertEquals(0, limiter.snapshot().refusedByPeer());
      if (share > 0) {
        double allowed = seconds / (SPACING + answerTime(nginx.uri()));
        assertTrue(sent >= share * allowed, sent + " of " + allowed);
      }
      ProxyRig.eventually(() -> proxy.open() == 0 && limiter.snapshot().open() == 0);
    }
  }

  /** Returns how long the upstream takes for an answer without the proxy, in seconds. */
  private static double answerTime(URI uri) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    int times = 20;
    long spent = 0;
    for (int i = 0; i < times; i++) {
      Thread.sleep(25); // or it would refuse
      long start = System.nanoTime();
      client.send(request, BodyHandlers.discarding());
      spent += System.nanoTime() - start;
    }
    return spent / 1e9 / times;
  }
}
