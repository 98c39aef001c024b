package dev.pacegate.adapter.tck;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What an adapter does in each case, and what a permit around each call of the same client does in
 * its place, as a table for a page in Markdown. Immutable.
 *
 * @param rows the rows of the table
 */
public record Comparison(List<ComparedCase> rows) {

  private static final String HEAD =
      "| case | limit | with the adapter | a permit around each call |\n|---|---|---|---|\n";

  /**
   * One case. Results say how many requests arrived with how many permits, and the most that
   * arrived in any interval (in brackets, if it differs: that ended). Faults are bold.
   *
   * @param name the case
   * @param limit the limit
   * @param adapter the result with the adapter
   * @param around the result with a permit around each call
   */
  public record ComparedCase(String name, String limit, String adapter, String around) {}

  /** Copies the rows. */
  public Comparison {
    rows = List.copyOf(rows);
  }

  /**
   * Returns the comparison in a section of a page.
   *
   * @throws IllegalArgumentException if the page has no table below that heading
   */
  public static Comparison in(String page, String heading) {
    int begin = begin(page, heading);
    return new Comparison(
        page.substring(begin, end(page, begin))
            .lines()
            .skip(2)
            .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
            .map(cells -> new ComparedCase(cells.get(1), cells.get(2), cells.get(3), cells.get(4)))
            .toList());
  }

  /**
   * Returns the page with this in place of the table in the section.
   *
   * @throws IllegalArgumentException if the page has no table below that heading
   */
  public String into(String page, String heading) {
    int begin = begin(page, heading);
    return page.substring(0, begin) + table() + page.substring(end(page, begin));
  }

  /** Returns the table. */
  public String table() {
    return rows.stream()
        .map(row -> List.of("", row.name(), row.limit(), row.adapter(), row.around(), ""))
        .map(cells -> String.join(" | ", cells).strip() + "\n")
        .collect(Collectors.joining("", HEAD, ""));
  }

  private static int begin(String page, String heading) {
    int section = page.indexOf("\n" + requireNonNull(heading) + "\n");
    int begin = section < 0 ? -1 : page.indexOf(HEAD, section);
    if (begin < 0) {
      throw new IllegalArgumentException("the page has no table below \"" + heading + "\"");
    }
    return begin;
  }

  /** The table ends with the first line that is no row. */
  private static int end(String page, int begin) {
    int end = begin;
    while (page.startsWith("|", end)) {
      end = page.indexOf('\n', end) + 1;
    }
    return end;
  }
}
