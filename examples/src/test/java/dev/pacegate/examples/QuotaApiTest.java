package dev.pacegate.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class QuotaApiTest {

  @Test
  void noneOfTenThousandCallsIsRefused() throws Exception {
    var peer = new QuotaApi.Peer(1_000, Duration.ofMillis(100));
    QuotaApi.callAll(peer, Limits.parse("peer(1000/100ms)"), 10_000);
    assertEquals(0, peer.refused());
    assertEquals(10_000, peer.answered());
  }

  /** The peer can refuse: without a limit it does. */
  @Test
  void withoutALimitThePeerRefuses() throws Exception {
    var peer = new QuotaApi.Peer(100, Duration.ofMinutes(1));
    QuotaApi.callAll(peer, Limits.unlimited(), 1_000);
    assertEquals(100, peer.answered());
    assertEquals(900, peer.refused());
  }

  @Test
  void theProgramRuns() throws Exception {
    long began = System.nanoTime();
    QuotaApi.main(new String[0]);
    assertTrue(System.nanoTime() - began > 900_000_000, "ten intervals, of which one is free");
  }
}
