package dev.pacegate.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The options of a command that is to end rather than wait. */
final class NoWaitOptions implements OptionGroup {

  private boolean noWait;
  private @Nullable String rest;

  @Override
  public void addTo(CommandOptions options) {
    options
        .flag(
            "--no-wait",
            "end rather than wait: the first line that LIMIT does not let go at once and all after"
                + " it are left, and the status is 75. With --state, for cron; not with --store",
            is -> noWait = is)
        .text(
            "--rest",
            "FILE",
            "with --no-wait: write the lines that are left into FILE, when all others are done; it"
                + " may be the input",
            text -> rest = text);
  }

  boolean isGiven() {
    return noWait;
  }

  boolean hasFile() {
    return rest != null;
  }

  /** Returns the file of the lines that are left; null if there is none. */
  @Nullable Path file() {
    return rest == null ? null : Path.of(rest);
  }

  /**
   * Returns what takes the lines that are left; null if they wait.
   *
   * @param isShared whether the limit is in a store, which answers only those that wait
   * @param inUse files that the command writes
   */
  @Nullable Rest open(char terminator, boolean isShared, @Nullable Path... inUse) throws Failure {
    if (rest != null && !noWait) {
      throw new Failure("--rest needs --no-wait: else every line waits for its turn");
    } else if (noWait && isShared) {
      throw new Failure(
          "--no-wait cannot be used with --store, which must be waited for: use --state FILE,"
              + " or leave out --no-wait");
    }
    ReplacedFile file = rest == null ? null : ReplacedFile.of("--rest", rest, inUse);
    return noWait ? new Rest(file, terminator) : null;
  }

  /** Ends with what is left; returns the status for that. */
  static int finish(@Nullable Rest rest, World world) throws Failure {
    if (rest == null) {
      return Status.OK;
    }
    rest.finish();
    if (rest.count() == 0) {
      return Status.OK;
    }
    world.say(rest.text());
    return Status.LEFT;
  }
}
