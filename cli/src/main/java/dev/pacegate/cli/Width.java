package dev.pacegate.cli;

import java.util.Map;
import java.util.function.IntSupplier;

/** How wide the terminal is. */
final class Width {

  private static final int USUAL = 80;

  private Width() {}

  /** Returns what the variable COLUMNS says; 80 if it says nothing. */
  static int of(Map<String, String> environment) {
    int known = ofTerminal(environment);
    return known == 0 ? USUAL : known;
  }

  /** Returns what the variable COLUMNS says, otherwise what the terminal says each time. */
  static IntSupplier live(Map<String, String> environment, String columns) {
    int set = ofTerminal(environment);
    return set == 0 ? new LiveWidth(of(World.environment(environment, columns))) : () -> set;
  }

  /** Returns what the variable COLUMNS says; 0 if it says nothing. */
  static int ofTerminal(Map<String, String> environment) {
    return parse(environment.getOrDefault("COLUMNS", ""));
  }

  /** Returns a width in figures; 0 if it is none. */
  static int parse(String columns) {
    return columns.matches("[1-9]\\d{0,3}") ? Integer.parseInt(columns) : 0;
  }
}
