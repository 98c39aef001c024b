package dev.pacegate.redis.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM with the class path of this test. What it prints is read line by line; what it prints
 * to its standard error is kept, and shown when something fails. There it also prints what its
 * threads do when it misses a deadline. It ends with this JVM at the latest.
 *
 * <p>Used by one thread.
 */
public final class Child implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration THREADS = Duration.ofSeconds(5);
  private static final String AFTER_THREADS = "class space";
  private static final String END = "\0";

  private final String name;
  private final Path folder;
  private final Process process;
  private final Writer in;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private Child(String name, Path folder, List<String> command) throws IOException {
    this.name = name;
    this.folder = folder;
    this.process = Processes.start(new ProcessBuilder(command).redirectError(errors().toFile()));
    this.in = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts a JVM that runs the class's main method. */
  public static Child start(Class<?> main, String... args) throws IOException {
    return start(List.of(), main, args);
  }

  /** Starts a JVM with more options, such as {@code -Xmx1g}. */
  public static Child start(List<String> options, Class<?> main, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Small, because several of them run beside each other.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // What the JVM says by itself, such as its threads, is not a line that a test waits for.
    command.addAll(
        List.of("-XX:+DisplayVMOutputToStderr", "-Xlog:disable", "-Xlog:all=warning:stderr"));
    command.addAll(options);
    command.addAll(List.of("-cp", ClassPath.ofThisTest(), main.getName()));
    command.addAll(List.of(args));
    Path folder = Folders.make("child");
    try {
      Child child = new Child(main.getSimpleName(), folder, command);
      child.readLines();
      return child;
    } catch (IOException | RuntimeException | Error e) {
      Folders.delete(folder);
      throw e;
    }
  }

  private void readLines() {
    var reader = new Thread(this::pump, "lines of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void pump() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
      }
    } catch (IOException closed) {
      // As good as the end.
    } finally {
      lines.add(END);
    }
  }

  private Path errors() {
    return folder.resolve("stderr");
  }

  /**
   * Returns the next line that it prints.
   *
   * @throws AssertionError if there is none before the deadline, or before it ends
   */
  public String line(Duration deadline) throws InterruptedException {
    return await("a line", System.nanoTime() + deadline.toNanos(), deadline);
  }

  /**
   * Returns what follows the prefix in the next line that begins with it; skips others.
   *
   * @throws AssertionError if there is none before the deadline, or before it ends
   */
  public String line(String prefix, Duration deadline) throws InterruptedException {
    long until = System.nanoTime() + deadline.toNanos();
    while (true) {
      String line = await("a line that begins with \"" + prefix + '"', until, deadline);
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
    }
  }

  private String await(String what, long until, Duration deadline) throws InterruptedException {
    String line = lines.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
    if (line == null) {
      printThreads();
      throw failure("printed not within " + deadline + " " + what);
    }
    if (line.equals(END)) {
      lines.add(END); // for whichever call comes next
      throw failure("ended without printing " + what);
    }
    return line;
  }

  /** One that stands still would do so only when it goes on. */
  private void printThreads() throws InterruptedException {
    int before = stderr().length();
    try {
      if (Processes.standsStill(process)) {
        return;
      }
      Processes.printThreads(process);
    } catch (IOException ended) {
      return;
    }
    long until = System.nanoTime() + THREADS.toNanos();
    while (isAlive()
        && stderr().indexOf(AFTER_THREADS, before) < 0
        && System.nanoTime() - until < 0) {
      Thread.sleep(10); // another process prints them
    }
  }

  /** Writes a line to its standard input. */
  public void write(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /**
   * Waits for its end.
   *
   * @return its exit code
   * @throws AssertionError if it runs on after the deadline
   */
  public int exit(Duration deadline) throws InterruptedException {
    if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
      printThreads();
      throw failure("runs on after " + deadline);
    }
    return process.exitValue();
  }

  /** Returns the number of its process. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether it runs, or is stopped by {@link #stop()}. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it by SIGKILL and waits for its end. */
  public void kill9() throws InterruptedException {
    Processes.kill9(process);
  }

  /** Makes it stand still (SIGSTOP). */
  public void stop() throws IOException, InterruptedException {
    Processes.stop(process);
  }

  /** Lets it go on after {@link #stop()}. */
  public void cont() throws IOException, InterruptedException {
    Processes.cont(process);
  }

  /** Returns what it has printed to its standard error. */
  public String stderr() {
    try {
      return Files.readString(errors());
    } catch (IOException e) {
      return "nothing that can be read: " + e;
    }
  }

  private AssertionError failure(String what) {
    return new AssertionError(name + " (" + pid() + ") " + what + "; stderr:\n" + stderr());
  }

  /** Kills it if it still runs. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroyForcibly();
    process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS);
    Folders.delete(folder);
  }
}
