package dev.pacegate.simulator;

import static dev.pacegate.simulator.MeasuredTable.read;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Draws one table of each page in {@code docs/measured}. */
final class MeasuredCharts {

  private MeasuredCharts() {}

  static String calls() throws IOException {
    var chart = new BarChart("A call that doesn't have to wait, one thread", "median time in ns");
    MeasuredTable calls = read("speed.md", "# Speed, side by side");
    add(chart, calls.column(""), calls.column("ns"));
    return chart.svg();
  }

  static String growth() throws IOException {
    var chart =
        new BarChart("While 100 000 keys wait", "us, on a logarithmic scale")
            .logarithmic()
            .bound(50, "50");
    MeasuredTable growth = read("growth.md", "# What grows with what waits");
    List<String> operations = growth.column("operation");
    add(chart, operations.stream().map("Pacegate, "::concat).toList(), growth.column("100 000"));
    return chart.svg();
  }

  static String streams() throws IOException {
    var chart = new BarChart("What a stream of 1000 a second delivers", "% of the rate");
    MeasuredTable streams =
        read("streams.md", "## Throughput of an endless stream").where("per second", "1 000");
    add(chart, streams.column("stream"), streams.column("delivered"));
    return chart.svg();
  }

  static String peers() throws IOException {
    MeasuredTable all = read("peers.md", "## What was measured");
    List<String> clients = all.column("client").stream().distinct().toList();
    int servers = all.rows().size() / clients.size();
    var chart = new BarChart("What " + servers + " real servers reject", "% of the requests sent");
    for (String client : clients) {
      MeasuredTable of = all.where("client", client);
      double share = 100.0 * of.sum("refused") / of.sum("sent");
      chart.add(client, String.format(Locale.ROOT, "%.1f %%", share));
    }
    return chart.svg();
  }

  static String shared() throws IOException {
    String page = "# One limit for many processes: figures";
    var chart =
        new BarChart("Four processes share 100 a second", "most in any second at the peer")
            .bound(100, "100");
    MeasuredTable shared = read("cluster-numbers.md", page).where("limit", "100/1s");
    add(chart, shared.column(""), shared.column("worst"));
    return chart.svg();
  }

  static String keys() throws IOException {
    String page = "# A limit for each of many keys: figures";
    var chart =
        new BarChart(
                "Four processes share a limit for each key", "most of one key in any 30 seconds")
            .bound(10, "10");
    for (String many : List.of("100,000", "100")) {
      MeasuredTable keys = read("cluster-keys-numbers.md", page).where("keys", many);
      List<String> names = keys.column("");
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i).replace("the same", "Pacegate");
        chart.add(name + ": " + many + " keys", keys.column("worst").get(i));
      }
    }
    return chart.svg();
  }

  private static void add(BarChart chart, List<String> names, List<String> cells) {
    for (int i = 0; i < names.size(); i++) {
      chart.add(names.get(i), cells.get(i));
    }
  }
}
