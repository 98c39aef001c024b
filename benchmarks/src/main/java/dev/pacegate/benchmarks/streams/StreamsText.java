package dev.pacegate.benchmarks.streams;

import static dev.pacegate.benchmarks.Text.code;
import static dev.pacegate.benchmarks.Text.format;
import static dev.pacegate.benchmarks.Text.number;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.streams.Idleness.Row;
import dev.pacegate.benchmarks.streams.PassThrough.Stream;
import dev.pacegate.limit.Limit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what was measured, and what of it was wanted. */
final class StreamsText {

  static final List<Long> RATES = List.of(1_000L, 10_000L, 100_000L);

  private static final long JUDGED = 1_000;
  private static final double LEAST_DELIVERED = 0.99;
  private static final double LEAST_OF_BARE = 0.98;
  private static final double MOST_OF_PEKKO = 1.2;
  private static final double MOST_OF_CALLS = 2;
  private static final double IDLE = 0.005; // of a processor

  private final Rates rates;
  private final PassThrough passThrough;
  private final Idleness idleness;

  StreamsText(Rates rates, PassThrough passThrough, Idleness idleness) {
    this.rates = rates;
    this.passThrough = passThrough;
    this.idleness = idleness;
  }

  String page(Duration took) {
    var body = new Text();
    delivered(body);
    passedThrough(body);
    idle(body);
    surprises(body);
    return head(took, body).toString() + body;
  }

  private static Text head(Duration took, Text body) {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return new Text()
        .lines(
            "# Streams, measured",
            "",
            format(
                "Written by one run of `benchmarks/run streams`, which took %d seconds. It compares Pacegate's stage for Pekko streams and its",
                took.toSeconds()),
            format(
                "operator for Reactive Streams (here in Reactor) with `throttle` of Pekko %s and Reactor's `delayElements`. Of %d goals, %d",
                org.apache.pekko.Version.current(), body.claims(), body.failed()),
            "were missed. Intended differences are in [pekko.md](../pekko.md).",
            "",
            format(
                "Machine: %d processors, %s %s, Java %s; load average at the end %.1f.",
                system.getAvailableProcessors(),
                system.getName(),
                system.getArch(),
                Runtime.version(),
                system.getSystemLoadAverage()));
  }

  private void delivered(Text text) {
    text.lines(
        "",
        "## Throughput of an endless stream",
        "",
        "Measured in real time, one sender after the other, in rounds.",
        "",
        "- *delivered*: the share of the rate that arrived at the sink in the best round, because other work can only make a sender late. It is",
        "  counted from one arrival to another, so it is slightly above 100 % if the first arrival was late.",
        "- *CPU*: processor seconds of the whole process per second in that round.",
        "- *smallest gap* between two elements, *most in any second* and *burst* (the smallest B for which any W contained at most B + rate · W):",
        "  the worst of all rounds, as `dev.pacegate.audit` found them. For Pacegate they use the times of its permits, for the others the clock",
        "  when an element arrived. A thread that loses its processor before it reads the clock reads it late. Two elements then seem closer",
        "  than they were, in the bare loop too.",
        "",
        "Pekko's timer has its default ticks of 10 ms. The limiters complete futures on the common pool.",
        "",
        "![Share of 1000 elements a second that arrives, for each stream](streams.svg)");
    text.numbers(
        "per second",
        "stream",
        "delivered",
        "smallest gap, us",
        "most in any second",
        "burst",
        "CPU");
    for (Rates.Row row : rates.rows()) {
      text.row(
          number(row.perSecond()),
          row.sender().title + limit(row.sender().limit(row.perSecond())),
          format("%.2f %%", 100 * row.delivered()),
          format("%.1f", row.smallestGap() / 1e3),
          number(row.mostInSecond()) + (Boolean.FALSE.equals(row.kept()) ? " **broken**" : ""),
          number(row.burst()),
          format("%.2f", row.cpu()));
    }
    text.lines("", "**Wanted:**", "");
    rates.rows().forEach(row -> want(row, text));
    long broken = rates.rows().stream().filter(row -> Boolean.FALSE.equals(row.kept())).count();
    text.claim(
        broken == 0, format("limits broken by the permits' instants, at any rate: %d", broken));
  }

  private void want(Rates.Row row, Text text) {
    double least = least(row);
    if (least > 0) {
      text.claim(
          row.delivered() >= least,
          format(
              "%s per second, %s%s: %.2f %% delivered, at least %.2f %%",
              number(row.perSecond()),
              row.sender().title,
              limit(row.sender().limit(row.perSecond())),
              100 * row.delivered(),
              100 * least));
    }
  }

  /** Returns what is wanted of a sender, 0 if nothing is. */
  private double least(Rates.Row row) {
    return switch (row.sender()) {
      case STAGE_WINDOW, OPERATOR_WINDOW -> LEAST_DELIVERED;
      // Five elements are 50 us at 100 000 per second, less than it takes a thread to wake up.
      case STAGE_BUCKET, OPERATOR_BUCKET -> row.perSecond() <= 10_000 ? LEAST_DELIVERED : 0;
      case STAGE_SPACING, OPERATOR_SPACING ->
          row.perSecond() == JUDGED ? LEAST_OF_BARE * bare() : 0;
      case STAGE_SPINNING, OPERATOR_SPINNING -> row.perSecond() == JUDGED ? LEAST_DELIVERED : 0;
      default -> 0;
    };
  }

  private double bare() {
    return rates.rows().stream()
        .filter(row -> row.sender() == Sender.BARE && row.perSecond() == JUDGED)
        .mapToDouble(Rates.Row::delivered)
        .findAny()
        .orElseThrow();
  }

  private void passedThrough(Text text) {
    text.lines(
        "",
        "## Overhead when nothing has to wait",
        "",
        "Nanoseconds per element for a whole stream, from a range of numbers to a sink that ignores them. Each round ran all streams.");
    text.numbers("stream", "best ns", "median ns");
    for (Stream stream : Stream.values()) {
      text.row(
          stream.title + (stream.limit == null ? "" : ", " + code(stream.limit)),
          format("%.1f", passThrough.best(stream)),
          format("%.1f", passThrough.median(stream)));
    }
    double ratio = passThrough.best(Stream.STAGE_UNLIMITED) / passThrough.best(Stream.PEKKO);
    text.lines("", "**Wanted:**", "");
    text.claim(
        ratio <= MOST_OF_PEKKO,
        format(
            "with `unlimited` %.2f times the stream with Pekko's own `throttle`, at most %.1f",
            ratio, MOST_OF_PEKKO));
    times(text, Stream.STAGE_CALLS_WINDOW, Stream.PEKKO_CALLS);
    times(text, Stream.OPERATOR_CALLS_WINDOW, Stream.REACTOR_CALLS);
  }

  private void times(Text text, Stream ours, Stream other) {
    double ratio = passThrough.best(ours) / passThrough.best(other);
    text.claim(
        ratio <= MOST_OF_CALLS,
        format(
            "%s, %s: %.2f times %s, at most %.1f",
            ours.title, code(ours.limit), ratio, other.title, MOST_OF_CALLS));
  }

  private void idle(Text text) {
    text.lines(
        "",
        "## Cost of idle streams",
        "",
        format(
            "%s streams at once, each with its own throttle. *CPU* is processor seconds of the whole process per second. Pekko's",
            number(idleness.many())),
        "system ticks every 10 ms, whatever its streams do.");
    text.numbers("streams", "CPU", "elements per second");
    idleness
        .rows()
        .forEach(
            (streams, row) ->
                text.row(
                    streams.title, format("%.4f", row.cpu()), format("%.0f", row.delivered())));
    text.lines("", "**Wanted:**", "");
    Row none = idleness.rows().get(Idleness.Streams.NONE);
    idleness
        .rows()
        .forEach(
            (streams, row) -> {
              if (streams.idle) {
                text.claim(
                    row.cpu() <= none.cpu() + IDLE,
                    format(
                        "%s: %.4f of a processor, %.4f without streams",
                        streams.title, row.cpu(), none.cpu()));
              }
            });
  }

  private static void surprises(Text text) {
    text.lines(
        "",
        "## What surprises people",
        "",
        "- Without a burst, each late wake-up lowers the rate: `bucket(10000/1s)` delivers about as much as a bare `parkNanos` loop. A burst of 5",
        "  makes up for it, and so does spinning, which keeps a processor busy.",
        "- A window such as `10000/1s` delivers the full rate, but sends all of it at the beginning of each interval.",
        "- Pekko's `throttle` with a small burst delivers a small part of the rate, because its timer ticks every 10 ms.");
  }

  private static String limit(@Nullable Limit limit) {
    return limit == null ? "" : ", " + code(limit.toString());
  }
}
