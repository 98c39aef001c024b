package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A table of a page in {@code docs/measured}, as it was written by what had measured it. */
record MeasuredTable(List<String> header, List<List<String>> rows) {

  static final Path FOLDER = Path.of("..", "docs", "measured");

  /**
   * Reads the first table below the last of these headings, each of which follows the one before.
   */
  static MeasuredTable read(String page, String... headings) throws IOException {
    List<String> lines = Files.readAllLines(FOLDER.resolve(page));
    int at = 0;
    for (String heading : headings) {
      at = next(lines, at, heading::equals, page + ": " + heading);
    }
    at = next(lines, at, line -> line.startsWith("|"), page + ": a table");
    List<List<String>> table =
        lines.subList(at, lines.size()).stream()
            .takeWhile(line -> line.startsWith("|"))
            .map(MeasuredTable::cells)
            .toList();
    return new MeasuredTable(table.get(0), table.subList(2, table.size()));
  }

  private static int next(List<String> lines, int from, Predicate<String> wanted, String what) {
    for (int at = from; at < lines.size(); at++) {
      if (wanted.test(lines.get(at))) {
        return at;
      }
    }
    throw new AssertionError("there is no " + what);
  }

  private static List<String> cells(String row) {
    return Stream.of(row.substring(1, row.lastIndexOf('|')).split("\\|", -1))
        .map(String::strip)
        .toList();
  }

  /** Returns the rows with this text in a column. */
  MeasuredTable where(String column, String text) {
    int index = index(column);
    return new MeasuredTable(
        header, rows.stream().filter(row -> row.get(index).equals(text)).toList());
  }

  /** Returns the cell of the row that begins with this text; of equal columns it is the first. */
  String cell(String first, String column) {
    MeasuredTable row = where(header.get(0), first);
    assertEquals(1, row.rows.size(), "rows of " + first);
    return row.only(column);
  }

  /** Returns the cell of a table with one row. */
  String only(String column) {
    assertEquals(1, rows.size(), () -> "rows: " + rows);
    return rows.get(0).get(index(column));
  }

  List<String> column(String column) {
    int index = index(column);
    return rows.stream().map(row -> row.get(index)).toList();
  }

  /** Returns the sum of a column of integers, where a number may be bold. */
  long sum(String column) {
    return column(column).stream().mapToLong(cell -> (long) number(cell)).sum();
  }

  private int index(String column) {
    int index = header.indexOf(column);
    assertEquals(true, index >= 0, () -> "no column " + column + " in " + header);
    return index;
  }

  /**
   * Returns the number that a cell begins with: {@code 1 000}, {@code 99.98 %}, {@code 8 of 10}.
   */
  static double number(String cell) {
    return Double.parseDouble(
        cell.replace("*", "").replaceAll("(?<=\\d)[ ,](?=\\d)", "").replaceAll("[^\\d.].*", ""));
  }
}
