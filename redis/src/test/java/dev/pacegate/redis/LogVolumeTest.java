package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However many keys wait while a server is away, the log tells it once. */
@Timeout(300)
class LogVolumeTest {

  private static final Duration SOON = Duration.ofMinutes(2);
  private static final int MOST = 10;

  @Test
  @Tag("slow")
  void aShortOutageIsAFewLines() throws Exception {
    outage(200, Duration.ofSeconds(2));
  }

  @Test
  @Tag("heavy")
  void anOutageOfTenSecondsIsTenLinesAtMost() throws Exception {
    outage(2000, Duration.ofSeconds(10));
  }

  private static void outage(int keys, Duration away) throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var program =
            Child.start(
                WaitingKeys.class,
                server.uri(),
                Integer.toString(keys),
                "peer(1/2s, unanswered=100ms)")) {
      program.line("waiting", SOON);
      server.kill9();
      Thread.sleep(away.toMillis()); // that it is away for so long is the case
      server.restart();
      program.write("");
      program.line("permits", SOON);
      List<String> lines = lines(program);
      assertTrue(lines.size() <= MOST, () -> String.join("\n", lines));
    }
  }

  private static List<String> lines(Child program) throws InterruptedException {
    var lines = new ArrayList<String>();
    String line = program.line(SOON);
    while (!line.equals("end")) {
      lines.add(line);
      line = program.line(SOON);
    }
    return lines;
  }
}
