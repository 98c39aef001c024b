package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The calls of a process that write to its standard output, as strace sees them. */
final class Strace {

  private static final Pattern WRITE =
      Pattern.compile("(\\d+\\.\\d+) write\\(1, .*?(?:\\) += (\\d+) <(\\d+\\.\\d+)>)?");

  /** A call; one that did not return, or wrote nothing, has no bytes. */
  private record Call(long entry, long returned, long bytes, boolean isCut) {}

  private final Path folder;
  private final String name;

  /**
   * Creates a trace.
   *
   * @param name of its files in {@code folder}, one for each thread
   */
  Strace(Path folder, String name) {
    this.folder = folder;
    this.name = name;
  }

  static void assumeInstalled() {
    boolean is =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace")));
    assumeTrue(is || "true".equals(System.getenv("CI")), "no strace");
  }

  /** Returns a command that traces another. */
  List<String> of(List<String> traced) {
    var command =
        new ArrayList<>(
            List.of("strace", "-f", "-ff", "-ttt", "-T", "-s", "0", "-e", "trace=write"));
    command.addAll(List.of("-o", folder.resolve(name).toString()));
    command.addAll(traced);
    return command;
  }

  /**
   * Returns the calls that wrote {@code bytes} bytes. What no call has told was written by the last
   * one, if the process ended in it.
   */
  WriteCalls calls(long bytes, boolean killed) throws IOException {
    var found = new ArrayList<Call>();
    try (var traces = Files.newDirectoryStream(folder, name + ".*")) {
      for (Path trace : traces) {
        for (String line : Files.readAllLines(trace, UTF_8)) {
          Matcher call = WRITE.matcher(line);
          if (call.matches() || call.lookingAt()) {
            found.add(call(call, line));
          }
        }
      }
    }
    found.sort(Comparator.comparingLong(Call::entry));
    var calls = new WriteCalls();
    found.forEach(call -> calls.add(call.entry, call.returned, call.bytes));
    long untold = bytes - found.stream().mapToLong(Call::bytes).sum();
    assertTrue(untold >= 0, () -> "more was written than was read: " + -untold);
    if (untold > 0) {
      Call last = found.get(found.size() - 1);
      assertTrue(killed || last.isCut, () -> "no call tells of " + untold + " bytes");
      calls.add(last.entry, last.entry, untold);
    }
    return calls;
  }

  private static Call call(Matcher call, String line) {
    long entry = nanos(call.group(1));
    return call.group(2) == null
        ? new Call(entry, entry, 0, !line.contains(" = -1"))
        : new Call(entry, entry + nanos(call.group(3)), Long.parseLong(call.group(2)), false);
  }

  private static long nanos(String seconds) {
    return new BigDecimal(seconds).movePointRight(9).longValueExact();
  }
}
