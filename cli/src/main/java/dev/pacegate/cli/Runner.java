package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import java.io.File;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command for each line, as many at once as there are slots, each with a permit from before
 * it is started until it has ended.
 *
 * <p>One thread reads lines and starts commands in order. A silent input may block that thread for
 * good, so no other thread waits for it. Each running command has a thread that waits for its end.
 */
final class Runner {

  private static final File NOTHING = new File("/dev/null");
  private static final long GRACE_MILLIS = 200;
  private static final long KILL_MILLIS = 2000;

  /** The options of a run. */
  record RunSettings(int slots, boolean skipsEmpty, Set<Integer> lost) {}

  private record RunningCommand(
      InputLine input, Process process, Permit permit, Results.CommandResult result) {}

  /** A line of the input, and how it is named. */
  private static final class InputLine {
    private static final int LONGEST_QUOTE = 60;

    final byte[] text;
    final long number;

    InputLine(byte[] text, long number) {
      this.text = text;
      this.number = number;
    }

    String quoted() {
      String all = new String(text, World.NATIVE);
      boolean isLong = all.length() > LONGEST_QUOTE;
      return "line " + number + " (" + (isLong ? all.substring(0, LONGEST_QUOTE) + "…" : all) + ")";
    }
  }

  private final Template template;
  private final Limiter limiter;
  private final Results results;
  private final RunSettings options;
  private final Consumer<String> told;
  private final ExecutorService threads = Executors.newCachedThreadPool(Runner::daemon);

  // Guarded by this.
  private final Set<RunningCommand> running = new LinkedHashSet<>();
  private boolean started;
  private boolean stopped;
  private boolean killed;
  private @Nullable Failure failure; // what stopped the run, reported when all have ended
  private long lastStarted;
  private int status = Status.OK;
  private long ended;
  private long failed;

  /**
   * Creates a runner.
   *
   * @param told gets which commands failed, each at once and their number at the end
   */
  Runner(
      Template template,
      Limiter limiter,
      Results results,
      RunSettings options,
      Consumer<String> told) {
    this.template = template;
    this.limiter = limiter;
    this.results = results;
    this.options = options;
    this.told = told;
  }

  private static Thread daemon(Runnable work) {
    var thread = new Thread(work, "pacegate-run");
    thread.setDaemon(true);
    return thread;
  }

  /** Runs a command for each of {@code lines}; returns the exit status when all have ended. */
  int run(Lines lines) throws Failure, InterruptedException {
    threads.execute(() -> startAll(lines));
    return await();
  }

  private synchronized int await() throws Failure, InterruptedException {
    while (!(started || stopped) || !running.isEmpty()) {
      wait();
    }
    if (failed > 1) {
      told.accept(failed + " of " + ended + " commands failed");
    }
    if (failure != null) {
      throw failure;
    }
    return status;
  }

  // ---- starting

  private void startAll(Lines lines) {
    try {
      while (lines.advance()) {
        var line = new InputLine(lines.copy(), lines.number());
        boolean skipped = line.text.length == 0 && options.skipsEmpty();
        if (!skipped && (!awaitSlot() || !start(line))) {
          return;
        }
      }
      noMore();
    } catch (LimiterClosedException stopped) {
      // Another thread did, and has reported why.
    } catch (Failure e) {
      stop(e);
    } catch (Throwable unexpected) { // otherwise the run would wait for ever
      stop(new Failure("unexpected: " + unexpected));
    }
  }

  private synchronized boolean awaitSlot() throws InterruptedException {
    while (!stopped && (running.size() >= options.slots() || results.isFull())) {
      wait();
    }
    return !stopped;
  }

  private boolean start(InputLine line) throws Failure, InterruptedException {
    ProcessBuilder command = template.of(line.text).redirectInput(NOTHING);
    Permit permit = limiter.acquire();
    RunningCommand job = start(command, permit, line);
    if (job == null) {
      permit.notSent();
      return false;
    }
    try {
      threads.execute(() -> awaitEnd(job));
    } catch (Throwable noThread) {
      stop(new Failure("unexpected: " + noThread));
      awaitEnd(job);
      return false;
    }
    return true;
  }

  private @Nullable RunningCommand start(ProcessBuilder command, Permit permit, InputLine line)
      throws Failure {
    try {
      Results.CommandResult result =
          results.attach(command); // may wait, so before any lock is held
      synchronized (this) {
        if (stopped) {
          return null;
        }
        var job = new RunningCommand(line, command.start(), permit, result);
        running.add(job);
        lastStarted = line.number;
        return job;
      }
    } catch (IOException e) {
      permit.notSent();
      throw new Failure(Status.CANNOT_RUN, "line " + line.number + ": " + e.getMessage());
    }
  }

  private synchronized void noMore() {
    started = true;
    notifyAll();
  }

  // ---- ending

  private void awaitEnd(RunningCommand job) {
    try {
      int exit = job.process().waitFor();
      judge(job, exit); // may stop all, so before others may use the permit
      job.result().end();
      end(job.permit(), exit);
      job.result().finish();
    } catch (Failure e) {
      stop(e);
    } catch (Throwable unexpected) { // otherwise the run would wait for ever
      stop(new Failure("unexpected: " + unexpected));
    } finally {
      remove(job);
    }
  }

  private void end(Permit permit, int exit) {
    if (wasKilled(exit) || options.lost().contains(exit)) {
      permit.lost();
    } else {
      permit.answered();
    }
  }

  /** Returns whether the command was killed, directly or as reported by a shell. */
  private static boolean wasKilled(int exit) {
    return exit > Status.SIGNALLED && exit <= Status.SIGNALLED + 64;
  }

  private void judge(RunningCommand job, int exit) {
    boolean lacksReader = exit == Status.NO_READER && results.mayLackAReader();
    if (lacksReader) {
      stop(new Failure(Status.NO_READER, null));
      return;
    }
    boolean isTold = count(exit != 0);
    if (exit == 255) {
      stop(
          new Failure(
              Status.COMMAND_SAID_STOP,
              job.input().quoted() + ": the command ended with status 255"));
    } else if (exit != 0) {
      if (isTold) {
        told.accept(
            job.input().quoted()
                + (wasKilled(exit)
                    ? ": killed by signal " + (exit - Status.SIGNALLED)
                    : ": status " + exit));
      }
      worsen(wasKilled(exit) ? Status.COMMAND_KILLED : Status.COMMAND_FAILED);
    }
  }

  /** Returns whether it counts: a command that was ended from here has not failed. */
  private synchronized boolean count(boolean hasFailed) {
    if (killed) {
      return false;
    }
    ended++;
    failed += hasFailed ? 1 : 0;
    return true;
  }

  private synchronized void worsen(int status) {
    this.status = Math.max(this.status, status);
  }

  private synchronized void remove(RunningCommand job) {
    running.remove(job);
    notifyAll();
  }

  private synchronized void stop(Failure reason) {
    stopped = true;
    if (failure == null) {
      String message = reason.getMessage();
      failure = message == null ? reason : new Failure(reason.status(), message + lastStarted());
    }
    notifyAll();
    limiter.close();
  }

  private String lastStarted() {
    return lastStarted == 0 ? "" : "; no command was started after line " + lastStarted;
  }

  // ---- killing

  /**
   * Starts no more commands and ends those running. A terminal's interrupt has reached them as
   * well, so they first get time to end by themselves.
   */
  void kill() {
    List<RunningCommand> jobs = stopForGood();
    awaitAll(jobs, GRACE_MILLIS);
    jobs.forEach(job -> tree(job).forEach(ProcessHandle::destroy));
    awaitAll(jobs, KILL_MILLIS);
    jobs.forEach(job -> tree(job).forEach(ProcessHandle::destroyForcibly));
    jobs.forEach(job -> job.permit().lost());
    limiter.close();
  }

  private synchronized List<RunningCommand> stopForGood() {
    stopped = true;
    killed = true;
    notifyAll();
    return List.copyOf(running);
  }

  private static Stream<ProcessHandle> tree(RunningCommand job) {
    ProcessHandle root = job.process().toHandle();
    return Stream.concat(Stream.of(root), root.descendants());
  }

  private static void awaitAll(List<RunningCommand> jobs, long millis) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (RunningCommand job : jobs) {
        job.process().waitFor(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException noTimeLeft) {
      Thread.currentThread().interrupt();
    }
  }
}
