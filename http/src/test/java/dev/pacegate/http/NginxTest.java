package dev.pacegate.http;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * nginx, whose {@code limit_req} refuses what comes before the last one is due, to the millisecond,
 * refuses no request that is paced.
 */
@Timeout(300)
class NginxTest {

  @TempDir Path folder;

  @Test
  @Tag("servers")
  void oneEveryTwentyMilliseconds() throws Exception {
    spaced(300, 0);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void oneEveryTwentyMillisecondsAtLength() throws Exception {
    spaced(2_000, 0.9);
  }

  private void spaced(int requests, double share) throws Exception {
    try (var nginx = new Nginx(folder, "50r/s", "")) {
      Trial.compare(
          "nginx 50r/s",
          "peer(spacing(20ms))",
          nginx.uri(),
          requests,
          trial -> trial.requests() * (0.020 + trial.answer()),
          share);
      Trial.refused("nginx 50r/s", nginx.uri(), 100);
    }
  }

  @Test
  @Tag("servers")
  void aBucket() throws Exception {
    bucket(1_000, 0);
  }

  @Test
  @Tag("idle") // the speed is that of the machine, too
  void aBucketAtLength() throws Exception {
    bucket(3_000, 0.9);
  }

  private void bucket(int requests, double share) throws Exception {
    try (var nginx = new Nginx(folder, "200r/s", "burst=20 nodelay")) {
      Trial.compare(
          "nginx 200r/s burst=20 nodelay",
          "peer(bucket(200/1s, burst=20))",
          nginx.uri(),
          requests,
          trial -> trial.requests() * Math.max(1 / 200.0, trial.answer() / 20),
          share);
      Trial.refused("nginx 200r/s burst=20", nginx.uri(), 500);
    }
  }
}
