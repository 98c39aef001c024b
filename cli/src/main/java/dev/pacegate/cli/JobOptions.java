package dev.pacegate.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The options that say what becomes of a line, and of a command that fails. */
final class JobOptions implements OptionGroup {

  private static final int MOST_RETRIES = 1000;

  private String place = "{}";
  private @Nullable String separator;
  private @Nullable String joblog;
  private boolean resume;
  private int retries;
  private @Nullable Duration backoff;
  private List<String> pauses = List.of();
  private Set<Integer> lost = new TreeSet<>();

  @Override
  public void addTo(CommandOptions options) {
    addLines(options);
    addFailures(options);
  }

  private void addLines(CommandOptions options) {
    options
        .text(
            "-I", "TEXT", "what stands for the line in CMD; {} unless given", text -> place = text)
        .text(
            "-C, --colsep",
            "TEXT",
            "split lines into columns at TEXT, such as , or \\t, for {1}, {2} and so on in CMD;"
                + " quotes mean nothing",
            text -> separator = text)
        .text(
            "--joblog",
            "FILE",
            "write into FILE how each command ended, with its times, in the columns of GNU parallel",
            text -> joblog = text)
        .flag(
            "--resume",
            "skip each line whose command FILE of --joblog tells to have ended with 0, as often as"
                + " it does",
            is -> resume = is);
  }

  private void addFailures(CommandOptions options) {
    options
        .number(
            "--retries",
            "N",
            "run a command that fails up to N times more, each time with a permit of its own; not"
                + " after status 255",
            most -> retries = most)
        .span(
            "--backoff",
            "SPAN",
            "how long to wait before the first retry: 1s unless given; twice as long before each"
                + " further one, up to a minute",
            span -> backoff = span)
        .textsWithCommas(
            "--pause-on",
            "STATUS=SPAN",
            "this status of CMD means that the other side refused: start nothing for SPAN, such as"
                + " 75=30s; a retry then waits for that and for no --backoff, and so does the next"
                + " run with --pause-on and the same --state FILE: the end is kept in FILE.pause",
            texts -> pauses = texts)
        .numbersWithCommas(
            "--lost",
            "STATUS",
            "statuses of CMD that mean an unknown outcome, such as 28 of curl",
            statuses -> lost = statuses);
  }

  Template template(List<String> command) throws Failure {
    if (place.isEmpty()) {
      throw new Failure("-I takes a text that stands for the line, such as @@");
    } else if (separator != null && separator.isEmpty()) {
      throw new Failure("--colsep takes a text between columns, such as ,");
    }
    return new Template(command, place, new Columns(separator));
  }

  JobRetries retries() throws Failure {
    if (retries < 0 || retries > MOST_RETRIES) {
      throw new Failure("--retries must be from 0 to " + MOST_RETRIES + ": " + retries);
    } else if (backoff != null && retries == 0) {
      throw new Failure("--backoff has no effect without --retries");
    }
    return new JobRetries(retries, backoff == null ? Duration.ofSeconds(1) : backoff);
  }

  StatusMeanings meanings() throws Failure {
    for (int status : lost) {
      if (status < 1 || status > 255) {
        throw new Failure("--lost takes statuses from 1 to 255: " + status);
      }
    }
    var all = new TreeSet<>(lost);
    all.add(124);
    Map<Integer, Duration> refused = StatusMeanings.pauses(pauses);
    for (int status : lost) {
      if (refused.containsKey(status)) {
        throw new Failure("status " + status + " cannot be both of --lost and of --pause-on");
      }
    }
    return new StatusMeanings(all, refused);
  }

  boolean resumes() {
    return resume;
  }

  /** Returns the file of the log; null if there is none. */
  @Nullable Path file() throws Failure {
    try {
      return joblog == null ? null : Path.of(joblog);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + joblog + " (" + e.getReason() + ")");
    }
  }

  /**
   * Opens the log of how commands ended; null if there is none.
   *
   * @param others files that the run reads or writes
   */
  @Nullable Joblog joblog(@Nullable Path... others) throws Failure {
    if (joblog == null && resume) {
      throw new Failure("--resume needs --joblog FILE, which tells what was done");
    }
    Path file = file();
    if (joblog == null || file == null) {
      return null;
    }
    OpenFiles.refuse("--joblog", file);
    for (Path other : others) {
      if (other != null && OpenFiles.isSame(file, other)) {
        throw new Failure("--joblog needs a file of its own: " + joblog + " is in use");
      }
    }
    return Joblog.open(joblog, resume);
  }
}
