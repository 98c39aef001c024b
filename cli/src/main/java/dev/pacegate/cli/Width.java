package dev.pacegate.cli;

import java.util.Map;

/** How wide the terminal is. */
final class Width {

  private static final int USUAL = 80;

  private Width() {}

  /** Returns what the variable COLUMNS says; 80 if it says nothing. */
  static int of(Map<String, String> environment) {
    int known = ofTerminal(environment);
    return known == 0 ? USUAL : known;
  }

  /** Returns what the variable COLUMNS says; 0 if it says nothing. */
  static int ofTerminal(Map<String, String> environment) {
    String columns = environment.getOrDefault("COLUMNS", "");
    return columns.matches("[1-9]\\d{0,3}") ? Integer.parseInt(columns) : 0;
  }
}
