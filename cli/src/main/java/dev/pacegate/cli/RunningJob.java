package dev.pacegate.cli;

import dev.pacegate.Permit;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A command that runs for a line, perhaps for the second time. */
final class RunningJob {

  final InputLine line;
  final FilledCommand command;
  final Results.CommandResult result;
  private final CountDownLatch known = new CountDownLatch(1);
  private volatile Process process;
  private volatile Permit permit;
  private boolean isPermitEnded; // of the thread that waits for its end
  private final Time time;
  private Instant began;
  private long beganNanos;
  private long endedNanos;

  RunningJob(
      InputLine line,
      FilledCommand command,
      Results.CommandResult result,
      Process process,
      Permit permit,
      Time time) {
    this.time = time;
    this.line = line;
    this.command = command;
    this.result = result;
    this.process = process;
    this.permit = permit;
    this.began = time.instant();
    this.beganNanos = time.nanoTime();
  }

  /** The command has been started once more. */
  void again(Process process, Permit permit) {
    this.process = process;
    this.permit = permit;
    this.isPermitEnded = false;
    this.began = time.instant();
    this.beganNanos = time.nanoTime();
  }

  /** Returns whether the permit is still to be ended, which it is only once. */
  boolean endsPermit() {
    boolean ends = !isPermitEnded;
    isPermitEnded = true;
    return ends;
  }

  /** Returns how it ended, in words. */
  String ended(int exit) {
    return line.quoted()
        + (Runner.wasKilled(exit)
            ? ": killed by signal " + (exit - Status.SIGNALLED)
            : ": status " + exit);
  }

  Permit permit() {
    return permit;
  }

  /** Returns the status of the process when it has ended. */
  int exit() throws InterruptedException {
    int exit = process.waitFor();
    endedNanos = time.nanoTime();
    return exit;
  }

  /** Returns when it ran, after {@link #exit}. */
  Joblog.JobTimes times() {
    return new Joblog.JobTimes(began.toEpochMilli(), endedNanos - beganNanos);
  }

  /** How it ended is written down, if it is to be. */
  void isKnown() {
    known.countDown();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until the process has ended. */
  void awaitEnd(long nanos) throws InterruptedException {
    process.waitFor(nanos, TimeUnit.NANOSECONDS);
  }

  /** Waits until how it ended is written down. */
  void awaitKnown(long nanos) throws InterruptedException {
    var unused = known.await(nanos, TimeUnit.NANOSECONDS);
  }

  /** Something to wait for. */
  interface JobWait {
    void await(RunningJob job, long nanos) throws InterruptedException;
  }

  /** Waits for something of all {@code jobs}, for {@code millis} in all. */
  static void awaitAll(List<RunningJob> jobs, long millis, JobWait wait) {
    if (jobs.isEmpty()) {
      return;
    }
    Time time = jobs.get(0).time;
    long until = time.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      for (RunningJob job : jobs) {
        wait.await(job, until - time.nanoTime());
      }
    } catch (InterruptedException noTimeLeft) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the process and all that it has started. */
  Stream<ProcessHandle> tree() {
    ProcessHandle root = process.toHandle();
    return Stream.concat(Stream.of(root), root.descendants());
  }
}
