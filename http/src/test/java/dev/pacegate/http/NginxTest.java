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
@Tag("servers")
@Timeout(300)
class NginxTest {

  @TempDir Path folder;

  @Test
  void oneEveryTwentyMilliseconds() throws Exception {
    try (var nginx = new Nginx(folder, "50r/s", "")) {
      Trial.compare(
          "nginx 50r/s",
          "peer(spacing(20ms))",
          nginx.uri(),
          2_000,
          trial -> trial.requests() * (0.020 + trial.answer()),
          0.9);
    }
  }

  @Test
  void aBucket() throws Exception {
    try (var nginx = new Nginx(folder, "200r/s", "burst=20 nodelay")) {
      Trial.compare(
          "nginx 200r/s burst=20 nodelay",
          "peer(bucket(200/1s, burst=20))",
          nginx.uri(),
          3_000,
          trial -> trial.requests() * Math.max(1 / 200.0, trial.answer() / 20),
          0.9);
    }
  }
}
