package dev.pacegate.redis.growth;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What was measured on a real server, and all that the simulations take from it. {@link Measured}
 * measures it, and a file keeps it.
 */
final class Costs {

  private static final Path FILE =
      Path.of("src", "test", "resources", "dev", "pacegate", "redis", "growth", "costs.properties");

  private final TreeMap<String, String> values = new TreeMap<>();

  static Costs read() {
    var read = new Properties();
    try {
      read.load(new StringReader(Files.readString(FILE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var costs = new Costs();
    read.forEach((name, value) -> costs.values.put((String) name, (String) value));
    return costs;
  }

  void write() throws IOException {
    var text = new StringBuilder("# Written by GrowthPageTest: microseconds of CPU, and bytes.\n");
    values.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    Files.createDirectories(FILE.getParent());
    Files.writeString(FILE, text);
  }

  void put(String name, String text) {
    values.put(name, text);
  }

  void put(String name, double... numbers) {
    values.put(
        name,
        Arrays.stream(numbers)
            .mapToObj(each -> String.format(Locale.ROOT, "%.2f", each))
            .collect(joining(" ")));
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException(name + " has not been measured");
    }
    return value;
  }

  double[] numbers(String name) {
    return Arrays.stream(text(name).split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  private double number(String name) {
    return numbers(name)[0];
  }

  /** Returns the CPU of a call for a limit without keys, by the bytes of its record. */
  double micros(double bytes) {
    return number("call") + perByte() * bytes;
  }

  double perByte() {
    return number("call.kilobyte") / 1024;
  }

  /** Returns the CPU of a call for keys, without its entries. */
  double keyCall() {
    return number("key.call");
  }

  /** Returns the CPU of each entry of such a call. */
  double keyEntry() {
    return number("key.entry");
  }

  /** Returns how many entries a call has at most. */
  double mostEntries() {
    return number("key.most");
  }

  /** Returns how many entries a permit takes: its key is asked for, and its end is reported. */
  double entries() {
    return number("key.entries");
  }

  /** Returns how many permits of keys one core of the server gives in a second. */
  double permitsPerSecond(double batch) {
    return 1e6 / (entries() * (keyEntry() + keyCall() / batch));
  }
}
