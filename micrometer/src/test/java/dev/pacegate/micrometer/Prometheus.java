package dev.pacegate.micrometer;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A Prometheus of the test's own, on loopback. */
final class Prometheus implements AutoCloseable {

  private static final Pattern LISTENING =
      Pattern.compile("\"Listening on\" address=127\\.0\\.0\\.1:(\\d+)");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private int port; // of the system's choice

  /** Scrapes the page at a port once a second. */
  Prometheus(Path folder, int scraped) throws IOException, InterruptedException {
    this(
        folder,
        """
        global:
          scrape_interval: 1s
        scrape_configs:
          - job_name: sample
            static_configs:
              - targets: ['127.0.0.1:%d']
        """
            .formatted(scraped));
  }

  /** Knows only what is in the folder {@code data} of {@code folder}. */
  Prometheus(Path folder) throws IOException, InterruptedException {
    this(folder, "global: {}\n");
  }

  private Prometheus(Path folder, String configuration) throws IOException, InterruptedException {
    Path config = folder.resolve("prometheus.yml");
    Files.writeString(config, configuration);
    process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--storage.tsdb.retention.time=100y",
                "--web.listen-address=127.0.0.1:0")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    awaitReady(folder.resolve("prometheus.log"));
  }

  private void awaitReady(Path log) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isReady(log)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        close();
        throw new IOException("prometheus does not start: " + Files.readString(log));
      }
      Thread.sleep(50); // it tells no one when it is ready
    }
  }

  private boolean isReady(Path log) throws InterruptedException {
    try {
      Matcher listening = LISTENING.matcher(Files.readString(log));
      if (!listening.find()) {
        return false;
      }
      port = Integer.parseInt(listening.group(1));
      return get("/-/ready").statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Returns the value of each series that {@code query} has now, by its labels. */
  Map<Map<String, String>, Double> query(String query) throws IOException, InterruptedException {
    return ask(query, "");
  }

  /** Returns the value that each series had at an instant, in seconds since 1970. */
  Map<Map<String, String>, Double> query(String query, long instant)
      throws IOException, InterruptedException {
    return ask(query, "&time=" + instant);
  }

  private Map<Map<String, String>, Double> ask(String query, String when)
      throws IOException, InterruptedException {
    String text = URLEncoder.encode(query, StandardCharsets.UTF_8);
    HttpResponse<String> answer = get("/api/v1/query?query=" + text + when);
    if (answer.statusCode() != 200) {
      throw new IOException(query + ": " + answer.body());
    }
    var values = new LinkedHashMap<Map<String, String>, Double>();
    for (Json series : Json.parse(answer.body()).get("data").get("result").list()) {
      String value = series.get("value").list().get(1).text();
      values.put(labels(series.get("metric")), number(value));
    }
    return values;
  }

  private static Map<String, String> labels(Json metric) {
    return metric.map().entrySet().stream()
        .collect(
            Collectors.toMap(
                label -> String.valueOf(label.getKey()),
                label -> String.valueOf(label.getValue()),
                (first, second) -> first,
                TreeMap::new));
  }

  private static double number(String text) {
    return text.endsWith("Inf")
        ? Double.parseDouble(text.replace("Inf", "Infinity"))
        : Double.parseDouble(text);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(10))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }
}
