package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.audit.Reorder.Sink;
import dev.pacegate.cli.Instants.BadInstant;
import dev.pacegate.limit.Cost;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the requests of a log, one in each line. */
final class LogReader {

  /**
   * The columns to read, counted from 1.
   *
   * @param instant the column of the instant
   * @param end the column of the end, 0 if there is none
   * @param costs the columns of costs by name; the name of the plain cost is empty
   * @param separator the separator of columns
   */
  record Columns(int instant, int end, Map<String, Integer> costs, byte separator) {

    int last() {
      int last = Math.max(instant, end);
      return costs.values().stream().mapToInt(Integer::intValue).reduce(last, Math::max);
    }
  }

  private static final int LONGEST_QUOTE = 60;

  private final Lines lines;
  private final Columns columns;
  private final Instants instants;
  private final Fields fields;

  LogReader(Lines lines, Columns columns, Instants instants) {
    this.lines = lines;
    this.columns = columns;
    this.instants = instants;
    this.fields = new Fields(columns.separator(), Math.max(2, columns.last() + 1));
  }

  /** Passes every request on to {@code sink}. */
  void readAll(Sink sink) throws Failure {
    while (lines.advance()) {
      fields.split(lines.bytes(), lines.from(), lines.to());
      if (!fields.isEmpty()) {
        read(sink);
      }
    }
  }

  private void read(Sink sink) throws Failure {
    long start = instant(columns.instant());
    long end = columns.end() == 0 ? start : instant(columns.end());
    if (end < start) {
      throw bad(columns.end(), "is before its start");
    }
    sink.add(start, end, columns.costs().isEmpty() ? Cost.ONE : cost());
  }

  private long instant(int column) throws Failure {
    check(column);
    try {
      return instants.parse(lines.bytes(), fields.from(column), fields.toWithTime(column));
    } catch (BadInstant e) {
      throw bad(column, e.getMessage());
    }
  }

  private Cost cost() throws Failure {
    Cost cost = Cost.of(amount(columns.costs().getOrDefault("", 0)));
    for (Map.Entry<String, Integer> named : columns.costs().entrySet()) {
      if (!named.getKey().isEmpty()) {
        cost = cost.and(named.getKey(), amount(named.getValue()));
      }
    }
    return cost;
  }

  private long amount(int column) throws Failure {
    if (column == 0) {
      return 1;
    }
    check(column);
    String text = text(column);
    if (!text.matches("[0-9]{1,18}")) {
      throw bad(column, "is no cost: a whole number of up to 18 digits");
    }
    return Long.parseLong(text);
  }

  private void check(int column) throws Failure {
    if (column > fields.count()) {
      throw bad("it has no column " + column);
    }
  }

  private Failure bad(int column, @Nullable String problem) {
    String text = text(column);
    String quote = text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text;
    return bad('"' + quote + "\" " + problem);
  }

  /** Returns the failure of the present line. */
  Failure bad(String problem) {
    return new Failure(lines.where() + ": " + problem);
  }

  private String text(int column) {
    int from = fields.from(column);
    return new String(lines.bytes(), from, fields.toWithTime(column) - from, UTF_8);
  }
}
