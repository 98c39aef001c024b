package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.cli.Instants.BadInstant;
import dev.pacegate.cli.LogColumns.Numbers;
import dev.pacegate.cli.LogRow.BadRow;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the requests of a log, one in each line. */
final class LogReader {

  /** Receives requests in the order of the lines. */
  interface GroupSink {
    /** Receives a request of a group; that is empty if all are judged together. */
    void add(String group, long start, long end, Cost cost);
  }

  /**
   * What was read.
   *
   * @param skipped lines that are empty, or name the columns
   */
  record ReadLines(long lines, long skipped) {
    ReadLines plus(ReadLines other) {
      return new ReadLines(lines + other.lines, skipped + other.skipped);
    }
  }

  private static final int LONGEST_QUOTE = 60;
  private static final long LONGEST_DURATION = 999_999_999; // seconds

  private final Lines lines;
  private final LogLayout.LayoutSearch search;
  private final boolean endsLogged; // the instant is the end
  private List<String> names = List.of();
  private byte separator;
  private long skipped;
  private @Nullable LogLayout layout;

  /**
   * Creates a reader.
   *
   * @param endsLogged whether the instant is the end of a request
   */
  LogReader(Lines lines, LogLayout.LayoutSearch search, boolean endsLogged) {
    this.lines = lines;
    this.search = search;
    this.endsLogged = endsLogged;
  }

  /** Passes every request on to {@code sink}. */
  void readAll(GroupSink sink) throws Failure {
    while (lines.advance()) {
      int from = lines.from() + (lines.number() == 1 ? byteOrderMark() : 0);
      if (isBlank(from)) {
        skipped++;
      } else {
        readLine(from, sink);
      }
    }
  }

  /** Returns what has been read so far. */
  ReadLines read() {
    return new ReadLines(lines.number(), skipped);
  }

  private int byteOrderMark() {
    byte[] line = lines.bytes();
    int from = lines.from();
    boolean is = lines.to() - from >= 3 && line[from] == -17 && line[from + 1] == -69;
    return is && line[from + 2] == -65 ? 3 : 0;
  }

  private boolean isBlank(int from) {
    for (int at = from; at < lines.to(); at++) {
      if (lines.bytes()[at] != ' ' && lines.bytes()[at] != '\t' && lines.bytes()[at] != '\r') {
        return false;
      }
    }
    return true;
  }

  private void readLine(int from, GroupSink sink) throws Failure {
    LogLayout present = layout;
    if (present == null) {
      if (names.isEmpty()) {
        separator = search.separatorOf(lines.bytes(), from, lines.to());
        names = header(from);
        if (!names.isEmpty()) {
          skipped++;
          return;
        }
      }
      present = layout(from);
      layout = present;
    }
    try {
      present.row().read(lines.bytes(), from, lines.to());
    } catch (BadRow e) {
      throw bad(String.valueOf(e.getMessage()));
    }
    read(present, sink);
  }

  private List<String> header(int from) throws Failure {
    try {
      return search.header(lines.bytes(), from, lines.to());
    } catch (Failure e) {
      throw bad(String.valueOf(e.getMessage()));
    }
  }

  private LogLayout layout(int from) throws Failure {
    try {
      return search.layout(names, separator, lines.bytes(), from, lines.to());
    } catch (Failure e) {
      throw bad(String.valueOf(e.getMessage()));
    }
  }

  private void read(LogLayout layout, GroupSink sink) throws Failure {
    LogRow row = layout.row();
    Numbers numbers = layout.numbers();
    long instant = instant(row, numbers.instant());
    long start = instant;
    long end = numbers.end() == 0 ? start : instant(row, numbers.end());
    if (numbers.duration() != 0) {
      long took = duration(row, numbers.duration());
      try {
        start = endsLogged ? Math.subtractExact(instant, took) : instant;
        end = Math.addExact(start, took);
      } catch (ArithmeticException e) {
        throw bad(row, numbers.duration(), "leads out of the years 1678 to 2261");
      }
    }
    if (end < start) {
      throw badInstant(row, numbers.end(), "is before its start");
    }
    Cost cost = numbers.costs().isEmpty() ? Cost.ONE : cost(row, numbers.costs());
    sink.add(numbers.group() == 0 ? "" : group(row, numbers), start, end, cost);
  }

  private String group(LogRow row, Numbers numbers) throws Failure {
    boolean isOfHaproxy =
        row.fromStart(numbers.group()) == row.fromStart(numbers.instant()) - 1
            && LogDates.isOfHaproxy(
                row.bytes(), row.from(numbers.instant()), row.toOfInstant(numbers.instant()));
    check(row, numbers.group());
    int from = row.from(numbers.group());
    String name = UnreadableBytes.escaped(row.bytes(), from, row.to(numbers.group()) - from);
    return Addresses.withoutPort(name, isOfHaproxy);
  }

  private long instant(LogRow row, int column) throws Failure {
    check(row, column);
    try {
      return search.instants().parse(row.bytes(), row.from(column), row.toOfInstant(column));
    } catch (BadInstant e) {
      throw badInstant(row, column, e.getMessage());
    }
  }

  private long duration(LogRow row, int column) throws Failure {
    String text = text(row, column);
    try {
      if (!text.matches("[0-9]{1,9}([.][0-9]{1,9})?")) {
        return Durations.parseNanos(text);
      }
      return new BigDecimal(text).movePointRight(9).longValueExact();
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw bad(
          row,
          column,
          "is no duration: seconds up to " + LONGEST_DURATION + ", or with a unit such as 35ms");
    }
  }

  private Cost cost(LogRow row, Map<String, Integer> columns) throws Failure {
    Cost cost = Cost.of(amount(row, columns.getOrDefault("", 0)));
    for (Map.Entry<String, Integer> named : columns.entrySet()) {
      if (!named.getKey().isEmpty()) {
        cost = cost.and(named.getKey(), amount(row, named.getValue()));
      }
    }
    return cost;
  }

  private long amount(LogRow row, int column) throws Failure {
    if (column == 0) {
      return 1;
    }
    String text = text(row, column);
    if (!text.matches("[0-9]{1,18}")) {
      throw bad(row, column, "is no cost: a whole number of up to 18 digits");
    }
    return Long.parseLong(text);
  }

  private void check(LogRow row, int column) throws Failure {
    if (!row.has(column)) {
      List<String> all = layout == null ? List.of() : layout.names();
      boolean isNamed = column > 0 && column <= all.size();
      throw bad("it has no column " + (isNamed ? all.get(column - 1) : column));
    }
  }

  private Failure badInstant(LogRow row, int column, @Nullable String problem) {
    return bad(row, row.from(column), row.toOfInstant(column), problem);
  }

  private Failure bad(LogRow row, int column, String problem) {
    return bad(row, row.from(column), row.to(column), problem);
  }

  private Failure bad(LogRow row, int from, int to, @Nullable String problem) {
    String text = new String(row.bytes(), from, to - from, UTF_8);
    String quote = text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text;
    return bad('"' + quote + "\" " + problem);
  }

  /** Returns the failure of the present line. */
  Failure bad(String problem) {
    return new Failure(lines.where() + ": " + problem);
  }

  private String text(LogRow row, int column) throws Failure {
    check(row, column);
    return new String(row.bytes(), row.from(column), row.to(column) - row.from(column), UTF_8);
  }
}
