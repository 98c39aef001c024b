package dev.pacegate.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Studies: those that come with Pacegate, and those that are in files. */
public final class Scenarios {

  private static final List<String> NAMES =
      List.of(
          "tick-skew",
          "long-requests",
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

  /** Returns the names of those that come with Pacegate. */
  public static List<String> names() {
    return NAMES;
  }

  /** Returns one that comes with Pacegate: see {@link #named(String, Settings)}. */
  public static Study named(String name) {
    return named(name, new Settings());
  }

  /**
   * Returns one that comes with Pacegate.
   *
   * @param overrides what is to hold whatever it says
   * @throws IllegalArgumentException if there is none of that name; the message lists those there
   *     are
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
   * Reads a study from YAML.
   *
   * @param file its name, for messages
   * @param overrides what is to hold whatever it says
   * @throws IllegalArgumentException if it is wrong; the message has the file, the line and the key
   */
  public static Study read(String file, String text, Settings overrides) {
    return ScenarioFile.read(file, text, overrides);
  }
}
