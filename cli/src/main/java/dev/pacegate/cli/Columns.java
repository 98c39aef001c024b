package dev.pacegate.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Splits lines into columns at a separator, which is any text. Quotes mean nothing. */
final class Columns {

  private final byte @Nullable [] separator;

  /**
   * @param separator null if lines are not split
   */
  Columns(@Nullable String separator) {
    this.separator =
        separator == null ? null : separator.replace("\\t", "\t").getBytes(World.NATIVE);
  }

  boolean areSplit() {
    return separator != null;
  }

  /** Returns the columns of {@code line}; none if lines are not split. */
  List<byte[]> of(byte[] line) {
    var columns = new ArrayList<byte[]>();
    if (separator == null) {
      return columns;
    }
    int from = 0;
    for (int at = 0; at + separator.length <= line.length; at++) {
      if (Arrays.equals(line, at, at + separator.length, separator, 0, separator.length)) {
        columns.add(Arrays.copyOfRange(line, from, at));
        from = at + separator.length;
        at = from - 1;
      }
    }
    columns.add(Arrays.copyOfRange(line, from, line.length));
    return columns;
  }
}
