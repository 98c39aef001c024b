package dev.pacegate.benchmarks.proxies;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs wrk, which asks on each connection as soon as it is answered. */
final class Wrk {

  private static final String SCRIPT =
      """
      done = function(summary, latency, requests)
        local e = summary.errors
        io.write(string.format("told: %d %d %d %d %d\\n", summary.requests, summary.duration,
          latency:percentile(50), latency:percentile(99),
          e.connect + e.read + e.write + e.status + e.timeout))
      end
      """;

  private static final Pattern TOLD = Pattern.compile("told: (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)");

  /** Latencies in microseconds. */
  record Told(long requests, double seconds, long p50, long p99) {

    double perSecond() {
      return requests / seconds;
    }
  }

  private final Path script;

  /**
   * @param folder for what it is told
   */
  Wrk(Path folder) throws IOException {
    this.script = Files.writeString(folder.resolve("told.lua"), SCRIPT);
  }

  /**
   * Loads a port of this machine.
   *
   * @throws IOException if something but answers of success came
   */
  Told run(int port, int connections, int seconds) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    "wrk",
                    "-t1",
                    "-c" + connections,
                    "-d" + seconds + "s",
                    "-s",
                    script.toString(),
                    "http://127.0.0.1:" + port + "/"))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    Matcher told = TOLD.matcher(said);
    if (!told.find() || number(told, 1) == 0 || number(told, 5) > 0) {
      throw new IOException("wrk at port " + port + ": " + said);
    }
    return new Told(number(told, 1), number(told, 2) / 1e6, number(told, 3), number(told, 4));
  }

  private static long number(Matcher told, int group) {
    return Long.parseLong(told.group(group));
  }
}
