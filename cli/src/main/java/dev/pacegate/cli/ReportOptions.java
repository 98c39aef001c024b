package dev.pacegate.cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The options of a report at the end: whether there is one, where it goes, and in what form. */
final class ReportOptions implements OptionGroup {

  private static final String STANDARD_ERROR = "\0"; // no argument can have this

  private @Nullable String target;
  private boolean json;

  @Override
  public void addTo(CommandOptions options) {
    options
        .attached(
            "--report",
            "FILE",
            "at the end, report what was let through, each request from when it was let through"
                + " until its end; to standard error, or with --report=FILE to FILE (- is standard"
                + " output). The status is 1 if LIMIT was broken and nothing failed",
            STANDARD_ERROR,
            text -> target = text)
        .flag("--json", "report in one line of JSON", is -> json = is);
  }

  boolean isGiven() {
    return target != null || json;
  }

  /**
   * Checks the target before the work, and changes nothing.
   *
   * @param others files that the command reads or writes, which are not to be replaced
   */
  FinalReport open(World world, @Nullable Path... others) throws Failure {
    if (target == null || target.equals(STANDARD_ERROR)) {
      return new FinalReport(world, "", null, json);
    } else if (target.isEmpty()) {
      throw new Failure("--report= needs a file, or - for standard output");
    } else if (target.equals("-") || isDevice(target)) {
      return new FinalReport(world, target, null, json);
    }
    return new FinalReport(world, target, ReplacedFile.of("--report", target, others), json);
  }

  /** Returns whether it can be written, but not replaced: a terminal or a pipe. */
  private static boolean isDevice(String name) {
    try {
      Path file = Path.of(name);
      return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
