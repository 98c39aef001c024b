package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The options of a report at the end: whether there is one, where it goes, and in what form. */
final class ReportOptions implements OptionGroup {

  private static final String STANDARD_ERROR = "";

  private @Nullable String target;
  private boolean json;

  @Override
  public void addTo(Options options) {
    options
        .attached(
            "--report",
            "FILE",
            "report at the end what went through, each request from when it was let through until"
                + " its end; on standard error, or with --report=FILE in FILE, of which - is"
                + " standard output. The status is 1 if that broke LIMIT",
            STANDARD_ERROR,
            text -> target = text)
        .flag("--json", "report in one line of JSON", is -> json = is);
  }

  boolean isGiven() {
    return target != null || json;
  }

  /** Opens the target, before the work. */
  ReportTarget open(World world) throws Failure {
    String file = target == null ? STANDARD_ERROR : target;
    if (file.equals(STANDARD_ERROR) || file.equals("-") || !isGiven()) {
      return new ReportTarget(world, file, null, json);
    }
    try {
      return new ReportTarget(world, file, new FileOutputStream(file), json);
    } catch (IOException e) {
      throw new Failure("cannot write " + e.getMessage());
    }
  }

  /** Where a report goes. */
  record ReportTarget(World world, String name, @Nullable OutputStream file, boolean isJson) {

    /** Writes a report in words or as JSON. */
    void write(List<String> lines, Supplier<JsonLine> line) {
      try {
        if (name.equals(STANDARD_ERROR) && !isJson) {
          lines.forEach(world::say);
        } else if (name.equals(STANDARD_ERROR)) {
          world.erase();
          world.err().println(line.get());
        } else {
          write((isJson ? line.get().toString() : String.join("\n", lines)) + "\n");
        }
      } catch (Failure e) {
        world.say(e.getMessage() == null ? "the reader of the report is gone" : e.getMessage());
      }
    }

    private void write(String text) throws Failure {
      if (file == null) {
        new Output(world.out()).write(text);
        return;
      }
      try (file) {
        file.write(text.getBytes(UTF_8));
      } catch (IOException e) {
        throw Failure.cannotWrite(name, e);
      }
    }
  }
}
