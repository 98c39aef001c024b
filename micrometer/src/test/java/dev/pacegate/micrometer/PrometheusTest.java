package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus scrapes a program whose limiters are under load. */
@Tag("servers")
class PrometheusTest {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  @TempDir Path folder;

  @Test
  void everyQueryOfTheDashboardHasDataAndTheFiguresAreTheSnapshots() throws Exception {
    try (var sample = new Sample();
        var prometheus = new Prometheus(folder, sample.start())) {
      awaitData(prometheus, dashboardQueries());
      awaitFullShare(prometheus, sample.heavy);
      sample.rest();
      for (Limiter limiter :
          List.of(sample.sms, sample.search, sample.shared, sample.heavy, sample.accounts.all())) {
        awaitFigures(prometheus, limiter.snapshot());
      }
      assertTrue(sample.search.snapshot().takenByOthers() > 0);
    }
  }

  /** Waits until each query had at least one value that is a number other than 0. */
  private static void awaitData(Prometheus prometheus, List<String> queries) throws Exception {
    assertTrue(queries.size() > 15, queries::toString);
    var without = new ArrayList<>(queries);
    long deadline = System.nanoTime() + PATIENCE;
    while (!without.isEmpty()) {
      assertTrue(System.nanoTime() < deadline, () -> "no data: " + without);
      for (String query : List.copyOf(without)) {
        if (prometheus.query(query).values().stream().anyMatch(value -> Math.abs(value) > 0)) {
          without.remove(query);
        }
      }
      Thread.sleep(200); // Prometheus scrapes once a second
    }
  }

  /** Returns the queries of all panels, for all limiters, over the last seconds. */
  private static List<String> dashboardQueries() throws IOException {
    Json dashboard = Json.parse(Files.readString(Path.of("dashboard.json")));
    var queries = new ArrayList<String>();
    for (Json panel : dashboard.get("panels").list()) {
      for (Json target : panel.get("targets").list()) {
        queries.add(
            target.get("expr").text().replace("$limiter", ".*").replace("$__rate_interval", "10s"));
      }
    }
    return queries;
  }

  /** The limit of a limiter whose requests wait is used up, whatever each of them costs. */
  private static void awaitFullShare(Prometheus prometheus, Limiter limiter) throws Exception {
    String share =
        dashboardQueries().stream()
            .filter(query -> query.matches(".*rate\\(.*/.*pacegate_limit_rate\\{.*"))
            .findFirst()
            .orElseThrow();
    var ofLimiter = Map.of("limiter", limiter.name());
    long deadline = System.nanoTime() + PATIENCE;
    double found = Double.NaN;
    while (!(found > 0.6 && found < 1.4)) { // a window's share in ten seconds
      double last = found;
      assertTrue(System.nanoTime() < deadline, () -> share + ": " + last);
      found = prometheus.query(share).getOrDefault(ofLimiter, Double.NaN);
      Thread.sleep(200); // Prometheus scrapes once a second
    }
  }

  private static void awaitFigures(Prometheus prometheus, Snapshot snapshot) throws Exception {
    Map<String, Double> expected = figures(snapshot);
    long deadline = System.nanoTime() + PATIENCE;
    Map<String, Double> found = found(prometheus, expected, snapshot.name());
    while (!found.equals(expected) && System.nanoTime() < deadline) {
      Thread.sleep(200); // Prometheus scrapes once a second
      found = found(prometheus, expected, snapshot.name());
    }
    assertEquals(expected, found);
    assertTrue(snapshot.granted() > 0);
    assertEquals(0, snapshot.open());
    assertEquals(0, snapshot.waiting());
  }

  private static Map<String, Double> found(
      Prometheus prometheus, Map<String, Double> expected, String limiter) throws Exception {
    var found = new LinkedHashMap<String, Double>();
    for (String figure : expected.keySet()) {
      String inside = "limiter=\"" + limiter + "\"";
      String query =
          figure.endsWith("}")
              ? figure.replace("}", "," + inside + "}")
              : figure + "{" + inside + "}";
      Map<Map<String, String>, Double> values = prometheus.query("pacegate_" + query);
      assertTrue(values.size() <= 1, values::toString);
      values.values().forEach(value -> found.put(figure, value));
    }
    return found;
  }

  private static Map<String, Double> figures(Snapshot snapshot) {
    var figures = new LinkedHashMap<String, Double>();
    figures.put("permits_released_total", (double) snapshot.granted());
    figures.put("permits_refused_total", (double) snapshot.refused());
    figures.put("permits_cancelled_total", (double) snapshot.cancelled());
    figures.put("permits_late_total", (double) snapshot.late());
    figures.put("permits_lost_total", (double) snapshot.lost());
    figures.put("peer_refused_total", (double) snapshot.refusedByPeer());
    figures.put("peer_taken_by_others_total", (double) snapshot.takenByOthers());
    figures.put("permits_open", (double) snapshot.open());
    figures.put("permits_waiting", (double) snapshot.waiting());
    figures.put("limit_spent_total", (double) snapshot.grantedUnits());
    figures.put("limit_used_most", LimitShare.most(snapshot));
    figures.put("permits_wait_seconds_count", (double) snapshot.waits().count());
    figures.put("permits_wait_seconds_sum", snapshot.waits().total().toNanos() / 1e9);
    figures.put("permits_within_total{le=\"0.0\"}", (double) snapshot.waits().countWithoutWait());
    figures.put(
        "permits_within_total{le=\"0.268435456\"}", (double) snapshot.waits().countBelow(28));
    figures.put("permits_within_total{le=\"+Inf\"}", (double) snapshot.granted());
    return figures;
  }
}
