package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.proxies.Sidecars.Row;
import java.util.List;

/** The page about an upstream with a limit, behind Pacegate's proxy and behind others. */
final class SidecarsText {

  private static final double SPACING = 0.02;

  /** With the margin of {@code peer}. */
  private static final double PACED = SPACING * 1.001 + 0.001;

  private static final double GOAL = 0.95;

  private final int clients;
  private final List<Row> exact;
  private final List<Row> slower;
  private final Text text = new Text();

  SidecarsText(int clients, List<Row> exact, List<Row> slower) {
    this.clients = clients;
    this.exact = exact;
    this.slower = slower;
  }

  Text page(Fronts fronts) {
    text.lines(
        "# Before an upstream with a limit",
        "",
        Text.format(
            "%d clients ask as fast as they are answered. The upstream is nginx with `limit_req` at 50 a second and no burst: it refuses"
                + " with 503 what comes less than 20 ms after",
            clients),
        "the last request that it let through. In between stands, by turns, [Pacegate's proxy](../proxy.md), a second nginx whose",
        "`limit_req` delays, and [a sidecar with a token bucket](../../benchmarks/src/main/proxies/bucket.js) on Node. All three hold up",
        "to 200 requests and more, so none needs to refuse, and have answered some requests before. The upstream's own log says what it got.");
    fronts.head(text, "benchmarks/run sidecars");
    text.lines(
        "",
        Text.format(
            "- *allowed*: what `peer` promises, an answer every %.2f ms plus the time that the upstream takes, is 100 %%. The upstream would"
                + "\n  let %.0f %% through, if each request came at the right moment.",
            1000 * PACED, 100 * PACED / SPACING),
        "- *p50*, *p99*: how long a client waits for its 200, with all its requests before that were refused.");
    table(exact);
    text.lines("", "## What must hold", "");
    claims(exact.get(0));
    text.lines(
        "",
        "## With a tenth of room",
        "",
        "The same with other rates in front: what an engineer tries next.");
    table(slower);
    return text;
  }

  private void table(List<Row> rows) {
    text.numbers(
        "in between",
        "seconds",
        "sent to the upstream",
        "200",
        "503 from the upstream",
        "refused in between",
        "no answer",
        "of what is allowed",
        "p50 in s",
        "p99 in s");
    for (Row row : rows) {
      text.row(
          row.title(),
          row.got().length().toSeconds(),
          Text.number(row.arrived()),
          Text.number(row.got().count(200)),
          Text.number(row.refused()),
          Text.number(row.got().count(429)),
          Text.number(row.got().failed()),
          Text.format("%.1f %%", 100 * share(row)),
          Text.format("%.2f", row.got().waited(0.5)),
          Text.format("%.2f", row.got().waited(0.99)));
    }
  }

  private static double share(Row row) {
    double allowed = row.got().length().toNanos() / 1e9 / (PACED + row.answerTime());
    return row.got().inTime() / allowed;
  }

  private void claims(Row row) {
    text.claim(row.refused() == 0, "Pacegate: the upstream refused " + row.refused());
    text.claim(
        row.got().count(200) == row.arrived() && row.got().statuses().size() == row.arrived(),
        Text.format(
            "Pacegate: %s requests were sent, and %s of %s answers are 200",
            Text.number(row.arrived()),
            Text.number(row.got().count(200)),
            Text.number(row.got().statuses().size())));
    text.claim(
        share(row) >= GOAL,
        Text.format(
            "Pacegate: at least %.0f %% of what is allowed: %.1f %%",
            100 * GOAL, 100 * share(row)));
  }
}
