package dev.pacegate.cli;

import dev.pacegate.Permit;
import dev.pacegate.time.Time;
import java.time.Instant;
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
  private final Time time;
  private Instant began;
  private long beganNanos;

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
    this.began = time.instant();
    this.beganNanos = time.nanoTime();
  }

  Permit permit() {
    return permit;
  }

  /** Returns the status of the process when it has ended. */
  int exit() throws InterruptedException {
    return process.waitFor();
  }

  Joblog.JobTimes times() {
    return new Joblog.JobTimes(began.toEpochMilli(), time.nanoTime() - beganNanos);
  }

  /** How it ended is written down. */
  void isKnown() {
    known.countDown();
  }

  /** Waits until the process has ended. */
  void awaitEnd(long nanos) throws InterruptedException {
    process.waitFor(nanos, TimeUnit.NANOSECONDS);
  }

  /** Waits until how it ended is written down. */
  void awaitKnown(long nanos) throws InterruptedException {
    var unused = known.await(nanos, TimeUnit.NANOSECONDS);
  }

  /** Returns the process and all that it has started. */
  Stream<ProcessHandle> tree() {
    ProcessHandle root = process.toHandle();
    return Stream.concat(Stream.of(root), root.descendants());
  }
}
