package dev.pacegate.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How often the threads of timers wake up that have nothing to do, as the system counts them: each
 * time a thread gives up its processor it has been awake before.
 */
final class Idle {

  private static final Path TASKS = Path.of("/proc/self/task"); // on Linux
  private static final String SWITCHES = "voluntary_ctxt_switches:";
  private static final long FAR_NANOS = Duration.ofHours(10).toNanos();

  /**
   * What one timer did.
   *
   * @param wakeUps in the time it was watched; null if the system does not tell
   */
  record Row(TimerSubject subject, boolean pending, @Nullable Long wakeUps, double seconds) {

    /** Returns the wake-ups per second, NaN if not known. */
    double rate() {
      return wakeUps == null ? Double.NaN : wakeUps / seconds;
    }
  }

  private Idle() {}

  /** Watches all timers at once, without a task and with one that is not due for hours. */
  static List<Row> watch(Duration span) throws InterruptedException, IOException {
    var timers = new ArrayList<TimerSubject.Subject>();
    var names = new ArrayList<String>();
    for (TimerSubject subject : TimerSubject.values()) {
      for (boolean pending : new boolean[] {false, true}) {
        String name = "idle-" + names.size();
        names.add(name);
        TimerSubject.Subject timer = subject.create(name);
        timers.add(timer);
        timer.schedule(() -> {}, 0);
        if (pending) {
          timer.schedule(() -> {}, FAR_NANOS);
        }
      }
    }
    Thread.sleep(500); // they run their first task and settle
    Map<String, Long> before = switches();
    long begin = System.nanoTime();
    Thread.sleep(span.toMillis());
    Map<String, Long> after = switches();
    double seconds = (System.nanoTime() - begin) / 1e9;
    timers.forEach(TimerSubject.Subject::close);

    var rows = new ArrayList<Row>();
    for (int i = 0; i < names.size(); i++) {
      Long from = before.get(names.get(i));
      Long to = after.get(names.get(i));
      Long wakeUps = from == null || to == null ? null : to - from;
      rows.add(new Row(TimerSubject.values()[i / 2], i % 2 == 1, wakeUps, seconds));
    }
    return rows;
  }

  /** Returns how often each thread has waited so far, by its name. */
  private static Map<String, Long> switches() throws IOException {
    var all = new HashMap<String, Long>();
    if (!Files.isDirectory(TASKS)) {
      return all;
    }
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        try {
          String name = Files.readString(task.resolve("comm")).strip();
          for (String line : Files.readAllLines(task.resolve("status"))) {
            if (line.startsWith(SWITCHES)) {
              all.put(name, Long.parseLong(line.substring(SWITCHES.length()).strip()));
            }
          }
        } catch (NoSuchFileException ended) {
          // a thread that is none of ours
        }
      }
    }
    return all;
  }
}
