package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The table of {@code docs/guarantees.md}: what any minute holds when one limit replaces another
 * and comes back, with endless demand. With {@code -Dpacegate.write=true} it is written.
 */
@Tag("pages")
class ChangesTableTest {

  private static final List<String> KINDS =
      List.of(
          "10/1m",
          "spacing(6s)",
          "bucket(10/1m, burst=5)",
          "fixed(10/1m)",
          "aligned(10/1m)",
          "peer(10/1m)",
          "peer(10/1m, counted=2s)",
          "peer(spacing(6s))",
          "peer(bucket(10/1m, burst=5))",
          "concurrent(2)",
          "unlimited");

  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final int ANSWER = 3; // seconds
  private static final List<Integer> PHASES = List.of(0, 1, 29, 58, 61);
  private static final Path PAGE = Path.of("../docs/guarantees.md");
  private static final String BEGIN = "<!-- changes: written by ChangesTableTest -->\n";
  private static final String END = "<!-- end of changes -->\n";

  /** A request, in nanoseconds. */
  private record Sent(long start, long end) {}

  /** What goes through one limiter: a limit, another for a while, and the first again. */
  private static final class Play {
    private final ManualTime time = ManualTime.manual();
    private final long began = time.nanoTime();
    private final Limiter limiter;
    private final Deque<Permit> open = new ArrayDeque<>();
    private final Deque<Long> ends = new ArrayDeque<>();
    private final List<Sent> sent = new ArrayList<>();

    Play(String first) {
      limiter = Limiter.builder(first).time(time).build();
    }

    private void run(int seconds) {
      for (int i = 0; i < seconds; i++) {
        long now = time.nanoTime() - began;
        while (!ends.isEmpty() && ends.peek() <= now) {
          ends.remove();
          open.remove().answered();
        }
        for (int tries = 0; tries < 12; tries++) {
          limiter.tryAcquire().ifPresent(permit -> go(permit, now));
        }
        time.advance(Duration.ofSeconds(1));
      }
    }

    private void go(Permit permit, long now) {
      open.add(permit);
      ends.add(now + ANSWER * SECOND);
      sent.add(new Sent(now, now + ANSWER * SECOND));
    }
  }

  private static long mostInAMinute(List<Sent> sent, boolean whole) {
    long most = 0;
    for (Sent last : sent) {
      long from = last.start - MINUTE;
      most =
          Math.max(
              most,
              sent.stream()
                  .filter(each -> each.start <= last.start)
                  .filter(each -> (whole ? each.end : each.start) > from)
                  .count());
    }
    return most;
  }

  private static boolean countsWhole(Limit limit) {
    return limit.promises().stream().anyMatch(p -> p.countsWhole() && p.interval() > 0)
        && limit.promises().stream().noneMatch(Promise.Counted.class::isInstance);
  }

  private static long promised(Limit limit) {
    return limit.promises().stream()
        .filter(promise -> !(promise instanceof Promise.Open))
        .mapToLong(promise -> promise.most(MINUTE))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static String cell(String from, String to) {
    Limit first = Limits.parse(from);
    Limit second = Limits.parse(to);
    long larger = Math.max(promised(first), promised(second));
    if (larger == Long.MAX_VALUE) {
      return "—";
    }
    boolean whole = countsWhole(first) && countsWhole(second);
    long most = 0;
    for (int before : PHASES) {
      for (int between : PHASES) {
        var play = new Play(from);
        play.run(before);
        play.limiter.setLimit(to);
        play.run(between);
        play.limiter.setLimit(from);
        play.run(100);
        most = Math.max(most, mostInAMinute(play.sent, whole));
        play.limiter.close();
      }
    }
    assertTrue(most <= larger, from + " to " + to + ": " + most + " of " + larger);
    return most + " of " + larger;
  }

  private static String table() {
    var table = new StringBuilder("| from, back \\ to |");
    KINDS.forEach(kind -> table.append(" `").append(kind).append("` |"));
    table.append("\n|").append("---|".repeat(KINDS.size() + 1)).append('\n');
    for (String from : KINDS) {
      table.append("| `").append(from).append("` | ");
      table.append(KINDS.stream().map(to -> cell(from, to)).collect(Collectors.joining(" | ")));
      table.append(" |\n");
    }
    return table.toString();
  }

  @Test
  void theTableOfChangesIsComputed() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String table = table();
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
    } else {
      assertEquals(table, page.substring(begin, end), "-Dpacegate.write=true writes it");
    }
  }
}
