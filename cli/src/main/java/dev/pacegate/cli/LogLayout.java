package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.cli.Instants.BadInstant;
import dev.pacegate.cli.LogColumns.Numbers;
import dev.pacegate.cli.LogDates.Shape;
import dev.pacegate.cli.LogRow.BadRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds how a log is written from its first line: which columns are read, and by what they are
 * separated.
 *
 * @param row reads lines
 * @param numbers of the columns that are read
 * @param names of all columns; none if they have only numbers
 */
record LogLayout(LogRow row, Numbers numbers, List<String> names) {

  private static final List<String> INSTANTS =
      List.of("time", "timestamp", "@timestamp", "ts", "date", "datetime", "time_local", "instant");

  private static final int MOST_SEARCHED = 64; // columns
  private static final int LONGEST_INSTANT = 6; // words

  /**
   * Finds it, by what is known before the first line.
   *
   * @param separator null for that which the log has
   * @param told gets what was found, for the user
   */
  record LayoutSearch(
      LogColumns columns, @Nullable Byte separator, Instants instants, Consumer<String> told) {

    /** Returns what separates the columns of that line. */
    byte separatorOf(byte[] line, int from, int to) {
      if (separator != null) {
        return separator;
      } else if (!columns.haveNames()) {
        return Fields.BLANKS;
      }
      String text = new String(line, from, to - from, UTF_8);
      return (byte) (text.indexOf(',') >= 0 ? ',' : text.indexOf('\t') >= 0 ? '\t' : Fields.BLANKS);
    }

    /** Returns the names of the columns if that line is a header; none if it is not. */
    List<String> header(byte[] line, int from, int to) throws Failure {
      if (isJson(line, from)
          || !(columns.haveNames() || (separator != null && hasNoDigit(line, from, to)))) {
        return List.of();
      }
      var fields = new Fields(separatorOf(line, from, to), MOST_SEARCHED);
      fields.read(line, from, to);
      var names = new ArrayList<String>();
      for (int column = 1; column <= fields.count(); column++) {
        names.add(text(fields, column));
      }
      String missing = columns.missing(names);
      if (missing != null && hasDate(fields, line)) {
        throw new Failure(
            "the first line is no header, so there is no column "
                + missing
                + ": give the number of the column, from 1");
      }
      told.accept("the first line names the columns: " + String.join(", ", names));
      return names;
    }

    private static boolean hasDate(Fields fields, byte[] line) {
      for (int column = 1; column <= fields.count(); column++) {
        if (LogDates.shape(line, fields.from(column), fields.toOfInstant(column)) != null) {
          return true;
        }
      }
      return false;
    }

    private static boolean isJson(byte[] line, int from) {
      return line[from] == '{';
    }

    private static boolean hasNoDigit(byte[] line, int from, int to) {
      for (int at = from; at < to; at++) {
        if (line[at] >= '0' && line[at] <= '9') {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns how a log is written.
     *
     * @param names of the columns, if it has a header
     * @param separator of that
     */
    LogLayout layout(List<String> names, byte separator, byte[] line, int from, int to)
        throws Failure {
      if (isJson(line, from)) {
        return json(line, from, to);
      }
      Numbers numbers = columns.numbers(names);
      if (numbers.instant() == 0 && !names.isEmpty()) {
        numbers = numbers.withInstant(ofNames(names));
      } else if (numbers.instant() == 0) {
        int found = find(separator, line, from, to);
        if (found == 0 && this.separator == null && columns.areNone()) {
          return new LogLayout(new Fields((byte) '\n', 1), numbers.withInstant(1), names);
        }
        numbers = numbers.withInstant(Math.max(1, found));
      }
      return new LogLayout(fields(separator, numbers.needed() + LONGEST_INSTANT), numbers, names);
    }

    private Fields fields(byte separator, int most) {
      TimeFormat format = instants.format();
      return format == null
          ? new Fields(separator, most)
          : new Fields(separator, most + format.words(), format.words());
    }

    private static int ofNames(List<String> names) throws Failure {
      for (String name : INSTANTS) {
        if (names.contains(name)) {
          return names.indexOf(name) + 1;
        }
      }
      throw new Failure("which column is the instant? (see --column)");
    }

    // A date without a year is the last choice: it may be that of the log, before that of a
    // request.
    private int find(byte separator, byte[] line, int from, int to) {
      Fields fields = fields(separator, MOST_SEARCHED);
      fields.read(line, from, to);
      int found = 0;
      for (int column = fields.count(); column >= 1; column--) {
        Shape shape = LogDates.shape(line, fields.from(column), fields.toOfInstant(column));
        boolean isBetter = shape != null && (found == 0 || shape != Shape.SYSLOG);
        if ((isBetter || instants.format() != null) && isInstant(fields, column)) {
          found = column;
        }
      }
      if (found != 1 && fields.count() > 1 && !(found == 0 && columns.areNone())) {
        int column = Math.max(1, found);
        int begin = fields.from(column);
        String text = new String(line, begin, fields.toOfInstant(column) - begin, UTF_8);
        told.accept("the instant is read from column " + column + ": " + text);
      }
      return found;
    }

    private boolean isInstant(LogRow row, int column) {
      try {
        instants.parse(row.bytes(), row.from(column), row.toOfInstant(column));
        return true;
      } catch (BadInstant e) {
        return false;
      }
    }

    private LogLayout json(byte[] line, int from, int to) throws Failure {
      for (String column : columns.all()) {
        if (column.matches(LogColumns.NUMBER)) {
          throw new Failure(
              "lines of JSON have fields with names, so there is no column " + column);
        }
      }
      LogColumns named = columns;
      if (named.instant() == null) {
        named = named.withInstant(instantOfJson(line, from, to));
        told.accept("the instant is read from the field " + named.instant());
      }
      List<String> names = named.all().stream().distinct().toList();
      return new LogLayout(new JsonFields(names), named.numbers(names), names);
    }

    private String instantOfJson(byte[] line, int from, int to) throws Failure {
      var fields = new JsonFields(INSTANTS);
      try {
        fields.read(line, from, to);
      } catch (BadRow e) {
        throw new Failure(e.getMessage());
      }
      String number = null;
      for (int column = INSTANTS.size(); column >= 1; column--) {
        if (fields.has(column) && isInstant(fields, column)) {
          String name = INSTANTS.get(column - 1);
          if (LogDates.shape(fields.bytes(), fields.from(column), fields.to(column)) != null) {
            return name;
          }
          number = name;
        }
      }
      if (number == null) {
        throw new Failure("which field is the instant? (see --column, and --unit for numbers)");
      }
      return number;
    }

    private static String text(LogRow row, int column) {
      return new String(row.bytes(), row.from(column), row.to(column) - row.from(column), UTF_8);
    }
  }
}
