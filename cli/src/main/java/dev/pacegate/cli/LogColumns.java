package dev.pacegate.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a log are read, by numbers from 1, or from -1 backwards, or by the names that
 * the header or each line of JSON gives them.
 *
 * @param instant of the start; null if it is to be found
 * @param end null if there is none
 * @param duration how long the request took; null if that is not known
 * @param costs by name; that of the plain cost is empty
 * @param group null if all lines are judged together
 */
record LogColumns(
    @Nullable String instant,
    @Nullable String end,
    @Nullable String duration,
    Map<String, String> costs,
    @Nullable String group) {

  /** Numbers of columns; 0 stands for none. */
  record Numbers(int instant, int end, int duration, Map<String, Integer> costs, int group) {

    Numbers withInstant(int column) {
      return new Numbers(column, end, duration, costs, group);
    }

    /** Returns how many columns must be found; all if some are counted from the end. */
    int needed() {
      var all = new ArrayList<>(costs.values());
      all.addAll(List.of(instant, end, duration, group));
      return Collections.min(all) < 0 ? Fields.ALL : Collections.max(all);
    }
  }

  static final String NUMBER = "-?[0-9]+";

  /** Returns whether some column has a name. */
  boolean haveNames() {
    return all().stream().anyMatch(column -> !column.matches(NUMBER));
  }

  LogColumns withInstant(String column) {
    return new LogColumns(column, end, duration, costs, group);
  }

  boolean areNone() {
    return all().isEmpty();
  }

  /** Returns all that are given. */
  List<String> all() {
    var all = new ArrayList<>(costs.values());
    Stream.of(instant, end, duration, group).filter(each -> each != null).forEach(all::add);
    return all;
  }

  /** Returns the first that has a name, and none of these; null if there is none. */
  @Nullable String missing(List<String> names) {
    return all().stream()
        .filter(column -> !column.matches(NUMBER) && !names.contains(column))
        .findFirst()
        .orElse(null);
  }

  /** Returns their numbers in a log that has these names, which may be none. */
  Numbers numbers(List<String> names) throws Failure {
    var ofCosts = new TreeMap<String, Integer>();
    for (Map.Entry<String, String> cost : costs.entrySet()) {
      ofCosts.put(cost.getKey(), number(cost.getValue(), names));
    }
    return new Numbers(
        number(instant, names),
        number(end, names),
        number(duration, names),
        ofCosts,
        number(group, names));
  }

  private static int number(@Nullable String column, List<String> names) throws Failure {
    if (column == null) {
      return 0;
    } else if (column.matches(NUMBER)) {
      return Integer.parseInt(column);
    }
    int at = names.indexOf(column);
    if (at < 0) {
      throw new Failure("there is no column " + column + ", only " + String.join(", ", names));
    }
    return at + 1;
  }
}
