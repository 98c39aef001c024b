package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** wrk and h2load, which send as much as they can: all of it waits, and none is too much. */
@Tag("servers")
@Timeout(120)
class LoadToolsTest {

  private static final int CONNECTIONS = 64;
  private static final Pattern OF_WRK = Pattern.compile("(\\d+) requests in ");

  private final StrictUpstream upstream = new StrictUpstream(100, Duration.ofMillis(500));

  private ProxyRig rig() {
    return new ProxyRig(Limiter.of("peer(100/500ms)"), upstream, options -> options);
  }

  private static String run(ProxyRig rig, String... command) throws Exception {
    var whole = new ArrayList<>(List.of(command));
    whole.add(rig.uri("/").toString());
    Process process = new ProcessBuilder(whole).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  /** At its end it goes away from the requests that wait. */
  @Test
  void wrkGetsNoOtherAnswerAndLeavesNothingBehind() throws Exception {
    try (ProxyRig rig = rig()) {
      long all = 0;
      long runs = 0;
      while (all <= 100) { // then some have waited for others; a cold machine may answer fewer
        all += answeredToWrk(rig);
        runs++;
      }
      rig.atRest();
      assertTrue(all <= upstream.arrived(), all + " of " + upstream.arrived());
      assertEquals(0, upstream.refused());
      long unused = rig.limiter.snapshot().granted() - upstream.arrived();
      // A connection may end between the permit of its request and the sending.
      assertTrue(0 <= unused && unused <= runs * CONNECTIONS, unused + " in " + runs);
    }
  }

  private static long answeredToWrk(ProxyRig rig) throws Exception {
    String said = run(rig, "wrk", "-t2", "-c" + CONNECTIONS, "-d3s", "--timeout", "20s");
    assertFalse(said.contains("Non-2xx"), said);
    assertFalse(said.contains("Socket errors"), said);
    Matcher answered = OF_WRK.matcher(said);
    assertTrue(answered.find(), said);
    return Long.parseLong(answered.group(1));
  }

  @Test
  void h2loadGetsAllAnswersOnFewConnections() throws Exception {
    try (ProxyRig rig = rig()) {
      String said = run(rig, "h2load", "-n", "400", "-c", "4", "-m", "20");
      assertTrue(said.contains("400 succeeded, 0 failed, 0 errored, 0 timeout"), said);
      assertTrue(said.contains("400 2xx, 0 3xx, 0 4xx, 0 5xx"), said);
      rig.atRest();
      assertEquals(400, upstream.arrived());
      assertEquals(0, upstream.refused());
      assertEquals(400, rig.limiter.snapshot().granted());
      assertEquals(0, rig.limiter.snapshot().lost());
    }
  }
}
