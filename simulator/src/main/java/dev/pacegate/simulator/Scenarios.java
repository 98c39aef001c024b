package dev.pacegate.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Finds studies: those built in, and those in files. */
public final class Scenarios {

  private static final List<String> NAMES =
      List.of(
          "tick-skew",
          "estimates",
          "coarse-clock",
          "long-requests",
          "long-answers",
          "jitter",
          "stalls",
          "time-outs",
          "resets",
          "clock-rates",
          "bucket-catch-up",
          "spacing-jitter",
          "concurrent-time-outs",
          "gc-pause",
          "live-change",
          "costs",
          "calendar");

  private Scenarios() {}

  /** Returns the names of the built-in studies. */
  public static List<String> names() {
    return NAMES;
  }

  /** Returns a built-in study: see {@link #named(String, Settings)}. */
  public static Study named(String name) {
    return named(name, new Settings());
  }

  /**
   * Returns a built-in study.
   *
   * @param overrides settings that replace those of the study
   * @throws IllegalArgumentException if there is none of that name; the message lists the names
   *     there are
   */
  public static Study named(String name, Settings overrides) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "there is no scenario \"" + name + "\", only " + String.join(", ", NAMES));
    }
    String file = name + ".yaml";
    try (InputStream in = Scenarios.class.getResourceAsStream("scenarios/" + file)) {
      if (in == null) {
        throw new IllegalStateException("not built in: " + file);
      }
      return read(file, new String(in.readAllBytes(), StandardCharsets.UTF_8), overrides);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Parses a study from YAML.
   *
   * @param file its name, for messages
   * @param overrides settings that replace those of the file
   * @throws IllegalArgumentException if it is wrong; the message names the file, the line and the
   *     key
   */
  public static Study read(String file, String text, Settings overrides) {
    return ScenarioFile.read(file, text, overrides);
  }
}
