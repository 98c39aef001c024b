package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Full demand for long, before an upstream that counts by itself: however busy the machine is, it
 * refuses none. {@code -Dpacegate.minutes=60} sends for an hour.
 */
@Tag("heavy")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class FullDemandTest {

  private static final int CLIENTS = 200;

  @Test
  void theUpstreamRefusesNone() throws Exception {
    var length = Duration.ofMinutes(Integer.getInteger("pacegate.minutes", 2));
    var upstream = new StrictUpstream(100, Duration.ofSeconds(1));
    Instant began = Instant.now();
    try (var rig = new ProxyRig(Limiter.of("peer(100/1s)"), upstream, options -> options)) {
      var clients = new EagerClients(rig.proxy, CLIENTS);
      Thread.sleep(length.toMillis()); // the load is real
      assertTrue(rig.limiter.snapshot().waiting() > 0, "the demand has ended");
      clients.stop();
      rig.atRest();
      System.out.println(
          ("from %s for %d minutes: %d requests arrived, %d refused, %d clients answered with 200"
                  + " %d times")
              .formatted(
                  began,
                  length.toMinutes(),
                  upstream.arrived(),
                  upstream.refused(),
                  CLIENTS,
                  clients.answered()));
      assertEquals(0, upstream.refused());
      assertEquals(upstream.arrived(), clients.answered());
      assertEquals(upstream.arrived(), rig.limiter.snapshot().granted());
    }
  }
}
