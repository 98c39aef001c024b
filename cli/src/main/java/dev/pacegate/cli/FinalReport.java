package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The report at the end, which is written once: by the command, or else when the process ends. */
final class FinalReport {

  private final World world;
  private final String name; // empty for standard error, - for standard output
  private final @Nullable ReplacedFile file; // null if it cannot be replaced
  private final boolean isJson;
  private final AtomicBoolean isBegun = new AtomicBoolean(); // no lock: its reader may stall

  FinalReport(World world, String name, @Nullable ReplacedFile file, boolean isJson) {
    this.world = world;
    this.name = name;
    this.file = file;
    this.isJson = isJson;
  }

  /** Writes a report in words or as JSON, unless that was begun. */
  void write(Supplier<List<String>> lines, Supplier<JsonLine> line) throws Failure {
    if (isBegun.getAndSet(true)) {
      return;
    }
    if (name.isEmpty() && !isJson) {
      lines.get().forEach(world::say);
    } else if (name.isEmpty()) {
      world.erase();
      world.err().println(line.get());
    } else {
      write((isJson ? line.get().toString() : String.join("\n", lines.get())) + "\n");
    }
  }

  /** Writes it unless that was begun, as the process ends: there is no status any more. */
  void writeAtLast(Supplier<List<String>> lines, Supplier<JsonLine> line) {
    try {
      write(lines, line);
    } catch (Failure e) {
      if (e.getMessage() != null) { // else its reader is gone
        world.say(e.getMessage());
      }
    }
  }

  private void write(String text) throws Failure {
    if (name.equals("-")) {
      new Output(world.out()).write(text);
      return;
    }
    try {
      if (file == null) {
        Files.write(Path.of(name), text.getBytes(UTF_8));
      } else {
        file.write(text.getBytes(UTF_8));
      }
    } catch (IOException e) {
      throw Failure.cannotWrite(name, e);
    }
  }
}
