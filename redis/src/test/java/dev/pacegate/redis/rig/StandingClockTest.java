package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("servers") // a C compiler has to be installed
@Timeout(120)
class StandingClockTest {

  private static final long STALL = 600; // seconds between two questions, on the busiest machine

  @Test
  void isBehindByWhatItIsTold() throws Exception {
    try (var clock = StandingClock.make();
        var other = RedisServer.start(Version.V7);
        var server = RedisServer.with(Version.V7).clock(clock).start()) {
      assertTrue(seconds(server) >= seconds(other) - STALL);
      long before = seconds(server);
      clock.behind(Duration.ofHours(10));
      long behind = seconds(other) - seconds(server);
      assertTrue(behind >= 36_000 - STALL, () -> "behind by " + behind + " s");
      assertTrue(before - seconds(server) > 30_000);
      // No clock of the processor, which no library can set.
      assertEquals("POSIX clock_gettime", server.info("server", "monotonic_clock"));
    }
  }

  private static long seconds(RedisServer server) throws IOException {
    var time = (List<?>) server.command("TIME");
    return Long.parseLong(String.valueOf(time == null ? null : time.get(0)));
  }
}
