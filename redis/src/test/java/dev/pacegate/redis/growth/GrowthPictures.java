package dev.pacegate.redis.growth;

import dev.pacegate.redis.Fleet;
import dev.pacegate.redis.growth.Chart.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The pictures of the page docs/cluster-growth.md. */
final class GrowthPictures {

  private final Growth growth;

  GrowthPictures(Growth growth) {
    this.growth = growth;
  }

  String share() {
    return ofLimits(
        "How much of a limit is used, by processes that all wait for it",
        result -> 100 * result.share(),
        false,
        "Percent of the limit that was used. Of many processes each calls less often, and is granted"
            + " what it can use in E, a quarter of the interval.");
  }

  String calls() {
    return ofLimits(
        "Calls each second, by processes that all wait for the limit",
        Fleet.Result::callsPerSecond,
        true,
        "Of many processes each calls less often, so that one core of Redis is about half busy.");
  }

  private String ofLimits(
      String title, ToDoubleFunction<Fleet.Result> value, boolean isLogarithmic, String caption) {
    var chart = new Chart(title, "processes", isLogarithmic);
    for (String limit : Growth.LIMITS) {
      var points = new ArrayList<Point>();
      for (int processes : Growth.PROCESSES) {
        points.add(
            new Point(processes, value.applyAsDouble(growth.full(growth.full, limit, processes))));
      }
      chart.curve(GrowthText.code(limit).replace("`", ""), points);
    }
    return chart.svg(caption);
  }

  String nodes() {
    var chart = new Chart("Permits of keys each second, by the number of nodes", "nodes", false);
    for (int[] crowd : Growth.CROWDS) {
      List<Point> points =
          growth.crowds.stream()
              .filter(each -> each.setting().processes() == crowd[0])
              .filter(each -> each.setting().threads() == crowd[1])
              .map(each -> new Point(each.setting().nodes(), each.permits()))
              .toList();
      chart.curve(crowd[0] + " processes of " + crowd[1] + " threads", points);
    }
    return chart.svg("Each thread takes permits of random keys, one after the other.");
  }
}
