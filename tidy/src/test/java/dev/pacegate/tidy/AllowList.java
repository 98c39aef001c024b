package dev.pacegate.tidy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Offences that are let through. The list may only shrink: an entry that excuses no offence is an
 * offence itself.
 *
 * <p>Its text has an entry per line, {@code subject | reason}; the reason may be missing. Blank
 * lines and lines that begin with # are skipped. A subject that ends with a slash is a folder and
 * excuses all in it.
 */
record AllowList(String name, Map<String, String> reasons) {

  static final String FOLDER = "tidy/allowed/";

  static AllowList of(String name, String text) {
    var reasons = new LinkedHashMap<String, String>();
    for (String line : text.lines().map(String::strip).toList()) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        int bar = line.indexOf(" | ");
        String subject = bar < 0 ? line : line.substring(0, bar).strip();
        reasons.put(subject, bar < 0 ? "" : line.substring(bar + 3).strip());
      }
    }
    return new AllowList(name, reasons);
  }

  static AllowList none() {
    return new AllowList("none", Map.of());
  }

  /** Returns the lines of the subjects that are not on the list, and a line per stale entry. */
  List<String> judge(Map<String, String> offences) {
    var red = new ArrayList<String>();
    var needed = new HashSet<String>();
    offences.forEach(
        (subject, line) -> {
          List<String> entries =
              reasons.keySet().stream().filter(entry -> excuses(entry, subject)).toList();
          needed.addAll(entries);
          if (entries.isEmpty()) {
            red.add(line);
          }
        });
    for (String entry : reasons.keySet()) {
      if (!needed.contains(entry)) {
        red.add(at() + entry + " is no offence any more: delete the entry");
      }
    }
    return red;
  }

  /** Returns a line for each entry without a reason. */
  List<String> unexplained() {
    return reasons.entrySet().stream()
        .filter(entry -> entry.getValue().isEmpty())
        .map(entry -> at() + entry.getKey() + " has no reason: write it behind a bar")
        .toList();
  }

  private static boolean excuses(String entry, String subject) {
    return entry.equals(subject) || (entry.endsWith("/") && subject.startsWith(entry));
  }

  private String at() {
    return FOLDER + name + ":1: ";
  }
}
