package dev.pacegate.redis.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Starts, stops and kills other processes. They do not outlive this JVM. */
final class Processes {

  static final Duration LONGEST = Duration.ofSeconds(60);

  private Processes() {}

  static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    try {
      Reaper.register(process);
    } catch (IOException | RuntimeException | Error e) {
      process.destroyForcibly();
      throw e;
    }
    return process;
  }

  /** Sends SIGKILL and waits for the end; does nothing to a process that has ended. */
  static void kill9(Process process) throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("process " + process.pid() + " lives on after SIGKILL");
    }
  }

  /** Sends SIGSTOP and returns when the process stands still. */
  static void stop(Process process) throws IOException, InterruptedException {
    signal(process, "STOP");
    Await.until("process stands still", LONGEST, () -> standsStill(process));
  }

  /** Sends SIGCONT. */
  static void cont(Process process) throws IOException, InterruptedException {
    signal(process, "CONT");
  }

  /** Makes a JVM print its threads (SIGQUIT). */
  static void printThreads(Process jvm) throws IOException, InterruptedException {
    signal(jvm, "QUIT");
  }

  private static void signal(Process process, String name)
      throws IOException, InterruptedException {
    // The shell's own kill: a program of that name is not everywhere.
    String line = "kill -" + name + " " + process.pid();
    int code = new ProcessBuilder("sh", "-c", line).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(line + " ended with " + code);
    }
  }

  /** Returns whether it is stopped. */
  static boolean standsStill(Process process) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }
}
