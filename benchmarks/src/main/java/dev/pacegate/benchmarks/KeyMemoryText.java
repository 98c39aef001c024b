package dev.pacegate.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The section about {@link KeyMemory}. */
final class KeyMemoryText {

  private KeyMemoryText() {}

  static String[] lines(KeyMemory memory) {
    var lines = new ArrayList<>(HEAD);
    lines.add(
        format(
            "Each of %,d keys (a `Long`, not counted) has used one permit of ten.", memory.keys()));
    lines.addAll(List.of("", "| | settings | bytes per key |", "|---|---|--:|"));
    for (KeyMemory.Row row : memory.rows()) {
      lines.add(format("| %s | %s | %.0f |", row.name(), row.settings(), row.bytesPerKey()));
    }
    lines.addAll(
        List.of(
            "",
            "A key that has used all its permits, one microsecond after another or evenly over the day:",
            "",
            "| | at once: bytes per key | over the day |",
            "|---|--:|--:|"));
    for (KeyMemory.Full full : memory.full()) {
      lines.add(format("| `%s` | %.0f | %.0f |", full.limit(), full.atOnce(), full.spread()));
    }
    lines.add("");
    lines.add(
        format(
            "With `1/1s` all keys were forgotten, by themselves, %.1f s after the last had been used;"
                + " %.0f bytes per key were left, the table of the map.",
            memory.rest().seconds(), memory.rest().bytesPerKey()));
    return lines.toArray(String[]::new);
  }

  private static final List<String> HEAD =
      List.of(
          "",
          "## The memory of a key",
          "",
          "What is in use after collecting garbage, before and after.");

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
