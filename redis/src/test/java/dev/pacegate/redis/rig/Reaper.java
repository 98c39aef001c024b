package dev.pacegate.redis.rig;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A shell that kills the processes of this JVM when the JVM ends, even by SIGKILL: then its
 * standard input ends. It knows them by number and start, so it kills no process that was given an
 * old number.
 */
final class Reaper {

  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      while read -r pid start; do ours="$ours $pid:$start"; done
      for one in $ours; do
        pid=${one%:*}
        now=$(cut -d' ' -f22 "/proc/$pid/stat" 2>/dev/null)
        [ "$now" != "${one#*:}" ] || kill -9 "$pid"
      done
      """;

  private static final Reaper INSTANCE = new Reaper();

  private final Writer registered;

  private Reaper() {
    try {
      Process shell =
          new ProcessBuilder("sh", "-c", SCRIPT)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      registered = shell.outputWriter(StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Sees to it that the process does not outlive this JVM. */
  static void register(Process process) throws IOException {
    INSTANCE.add(process);
  }

  private synchronized void add(Process process) throws IOException {
    String start = startOf(process.pid());
    if (!start.isEmpty()) {
      registered.write(process.pid() + " " + start + "\n");
      registered.flush();
    }
  }

  /** Returns the 22nd field of the process's state, or nothing if it has ended. */
  private static String startOf(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/stat")).split(" ", -1)[21];
    } catch (IOException ended) {
      return "";
    }
  }
}
