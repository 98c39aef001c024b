package dev.pacegate.micrometer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A panel of the dashboard, as its file describes it. */
record Panel(Json json) {

  /**
   * The values of a series from the first instant to the last, NaN where it has none.
   *
   * @param query the name of its query in the panel
   */
  record Curve(String name, String query, Map<String, String> labels, List<Double> values) {}

  /** The instants in seconds at which a panel shows values. */
  record Instants(long first, long last, long step) {

    int count() {
      return (int) ((last - first) / step) + 1;
    }

    long at(int index) {
      return first + index * step;
    }
  }

  static List<Panel> all(Json dashboard) {
    return dashboard.get("panels").list().stream().map(Panel::new).toList();
  }

  String title() {
    return json.get("title").text();
  }

  String type() {
    return json.get("type").text();
  }

  Json defaults() {
    return json.get("fieldConfig").get("defaults");
  }

  /** Returns how the curves of a query are shown, such as their unit. */
  Map<String, String> looks(String query) {
    var looks = new TreeMap<String, String>();
    defaults().map().forEach((name, value) -> looks.put(name.toString(), String.valueOf(value)));
    for (Json override : json.get("fieldConfig").get("overrides").list()) {
      if (override.get("matcher").get("options").text().equals(query)) {
        override
            .get("properties")
            .list()
            .forEach(one -> looks.put(one.get("id").text(), one.get("value").text()));
      }
    }
    return looks;
  }

  /** Returns one of x, y, w, h, in units of the grid. */
  int grid(String name) {
    return Integer.parseInt(json.get("gridPos").get(name).text());
  }

  /** Returns its queries, as Grafana sends them to Prometheus. */
  List<String> queries() {
    return json.get("targets").list().stream().map(Panel::query).toList();
  }

  private static String query(Json target) {
    return target
        .get("expr")
        .text()
        .replace("$limiter", BusyProgram.NAME)
        .replace("$__rate_interval", 4 * BusyProgram.SCRAPE + "s"); // as Grafana's default
  }

  /** Returns what its queries find, in the order of the queries. */
  List<Curve> curves(Scrapes scrapes, Instants instants) {
    var curves = new ArrayList<Curve>();
    for (Json target : json.get("targets").list()) {
      curves.addAll(curves(target, scrapes, instants));
    }
    return curves;
  }

  private static List<Curve> curves(Json target, Scrapes scrapes, Instants instants) {
    String query = query(target);
    var curves = new TreeMap<String, Curve>();
    for (int i = 0; i < instants.count(); i++) {
      int index = i;
      Query.at(instants.at(i), query, scrapes)
          .forEach(
              (labels, value) -> {
                String name = name(target.get("legendFormat").text(), labels);
                curves
                    .computeIfAbsent(name, key -> empty(key, target, labels, instants))
                    .values
                    .set(index, value);
              });
    }
    return List.copyOf(curves.values());
  }

  private static Curve empty(
      String name, Json target, Map<String, String> labels, Instants instants) {
    var values = new ArrayList<>(Collections.nCopies(instants.count(), Double.NaN));
    return new Curve(name, target.get("refId").text(), labels, values);
  }

  private static String name(String format, Map<String, String> labels) {
    String name = format;
    for (Map.Entry<String, String> label : labels.entrySet()) {
      name = name.replace("{{" + label.getKey() + "}}", label.getValue());
    }
    return name;
  }
}
