package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.time.Durations;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
  private static final int STOP = 255; // the status of a command that ends the run

  /**
   * The options of a run.
   *
   * @param slots how many commands may run at once
   * @param skipsEmpty whether empty lines are skipped
   * @param statuses what the statuses of commands mean
   * @param retries of commands that fail
   * @param log where it is written how each ended; null if nowhere
   * @param rest gets the lines that may not go at once; null if they wait
   * @param pause keeps the pauses for the next run; null if nothing does
   */
  record RunSettings(
      int slots,
      boolean skipsEmpty,
      StatusMeanings statuses,
      JobRetries retries,
      @Nullable Joblog log,
      @Nullable Rest rest,
      @Nullable KeptPause pause) {}

  private final Template template;
  private final JobPermits permits;
  private final Limiter limiter;
  private final Results results;
  private final RunSettings options;
  private final Consumer<String> told;
  private final RunTally tally = new RunTally();
  private final ExecutorService threads = Executors.newCachedThreadPool(Runner::daemon);

  // Guarded by this.
  private final Set<RunningJob> running = new LinkedHashSet<>();
  private boolean started;
  private boolean stopped;
  private boolean killed;
  private @Nullable Failure failure; // what stopped the run, reported when all have ended
  private long lastStarted;
  private boolean isLeft; // of the thread that starts: this line and all that follow

  /**
   * Creates a runner.
   *
   * @param told gets which commands failed, each at once and their number at the end
   */
  Runner(
      Template template,
      JobPermits permits,
      Results results,
      RunSettings options,
      Consumer<String> told) {
    this.template = template;
    this.permits = permits;
    this.limiter = permits.limiter();
    this.results = results;
    this.options = options;
    this.told = told;
  }

  /** Returns what has become of the lines so far. */
  RunTally tally() {
    return tally;
  }

  /** Returns whether another command would be started at once, if there were a line for it. */
  synchronized boolean hasRoom() {
    return !started && running.size() < options.slots() && !results.isFull();
  }

  /** Returns whether a command runs, and not only waits for another try or for its output. */
  synchronized boolean isAtWork() {
    return running.stream().anyMatch(RunningJob::isAlive);
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
    boolean isOneTold = failure != null && failure.status() == Status.COMMAND_SAID_STOP;
    if (tally.failed() > (isOneTold ? 1 : 0) && tally.ended() > 1) {
      told.accept(tally.failed() + " of " + tally.ended() + " commands failed");
    }
    if (failure != null) {
      throw failure;
    }
    if (options.log() != null && !options.log().skipped().isEmpty()) {
      told.accept(options.log().skipped());
    }
    return tally.status();
  }

  // ---- starting

  private void startAll(Lines lines) {
    try {
      long sequence = 0;
      while (lines.advance()) {
        boolean skipped = lines.from() == lines.to() && options.skipsEmpty();
        var line = new InputLine(lines.copy(), lines.number(), skipped ? sequence : ++sequence);
        if (skipped) {
          tally.skip();
        } else if (!take(line)) {
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

  /** Returns whether there may be more. */
  private boolean take(InputLine line) throws Failure, InterruptedException {
    if (isLeft && options.log() == null) { // it may even be no valid line
      leave(line);
      return true;
    }
    FilledCommand command = template.of(line);
    if (options.log() != null && options.log().tellsOf(command)) {
      tally.skip();
      return true;
    }
    if (isLeft) {
      leave(line);
      return true;
    }
    if (!awaitSlot()) {
      return false;
    }
    Permit permit = options.rest() == null ? permits.acquire() : permits.poll();
    if (permit == null) {
      leave(line);
      return true;
    }
    return start(line, command, permit);
  }

  private void leave(InputLine line) throws Failure {
    isLeft = true;
    tally.leave();
    requireNonNull(options.rest()).addLine(line.text());
  }

  private boolean start(InputLine line, FilledCommand command, Permit permit) throws Failure {
    RunningJob job = begin(line, command, permit);
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

  private @Nullable RunningJob begin(InputLine line, FilledCommand command, Permit permit)
      throws Failure {
    ProcessBuilder process = command.process().redirectInput(NOTHING);
    try {
      Results.CommandResult result =
          results.attach(process); // may wait, so before any lock is held
      synchronized (this) {
        if (stopped) {
          return null;
        }
        var job = new RunningJob(line, command, result, process.start(), permit, limiter.time());
        running.add(job);
        lastStarted = line.number();
        tally.start(false);
        return job;
      }
    } catch (IOException e) {
      permit.notSent();
      throw cannotRun(line, e);
    }
  }

  private static Failure cannotRun(InputLine line, IOException e) {
    return new Failure(Status.CANNOT_RUN, "line " + line.number() + ": " + e.getMessage());
  }

  private synchronized void noMore() {
    tally.readAll();
    started = true;
    notifyAll();
  }

  // ---- ending

  private void awaitEnd(RunningJob job) {
    try {
      int exit = job.exit();
      try {
        for (int retry = 1; shouldRetry(exit, retry) && again(job, exit, retry); retry++) {
          exit = job.exit();
        }
      } finally {
        conclude(job, exit);
      }
    } catch (Failure e) {
      stop(e);
    } catch (LimiterClosedException stopped) {
      // Another thread did, and has reported why.
    } catch (Throwable unexpected) { // otherwise the run would wait for ever
      stop(new Failure("unexpected: " + unexpected));
    } finally {
      job.isKnown();
      remove(job);
    }
  }

  /** Does what follows from the last status, whether or not there should have been another try. */
  private void conclude(RunningJob job, int exit) throws Failure {
    Joblog.JobTimes times = job.times();
    judge(job, exit); // may stop all, so before others may use the permit
    job.result.end(() -> log(job, times, exit));
    end(job, exit);
    job.result.finish();
  }

  private synchronized boolean shouldRetry(int exit, int retry) {
    return retry <= options.retries().most() && exit != 0 && exit != STOP && !stopped;
  }

  /** Runs it once more, with a permit of its own; returns false if all has been stopped. */
  private boolean again(RunningJob job, int exit, int retry) throws Failure, InterruptedException {
    Duration pause = options.statuses().pause(exit);
    Duration wait = pause == null ? options.retries().wait(retry) : Duration.ZERO;
    told.accept(
        job.ended(exit)
            + ", trying again "
            + (pause == null ? "in " + Durations.brief(wait.toNanos()) : "when the pause is over")
            + " (retry "
            + retry
            + " of "
            + options.retries().most()
            + ")");
    end(job, exit);
    Permit permit = awaitRetry(wait) ? acquire() : null;
    if (permit == null) {
      return false;
    }
    ProcessBuilder process = job.command.process().redirectInput(NOTHING);
    job.result.attachAgain(process);
    synchronized (this) {
      if (stopped) {
        permit.notSent();
        return false;
      }
      try {
        job.again(process.start(), permit);
        tally.start(true);
        return true;
      } catch (IOException e) {
        permit.notSent();
        throw cannotRun(job.line, e);
      }
    }
  }

  /** Returns a permit; null if another thread has stopped the run. */
  private @Nullable Permit acquire() throws InterruptedException {
    try {
      return permits.acquire();
    } catch (LimiterClosedException stopped) {
      return null;
    }
  }

  private synchronized boolean awaitRetry(Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    for (long left = wait.toNanos(); left > 0 && !stopped; left = until - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return !stopped;
  }

  private void log(RunningJob job, Joblog.JobTimes times, int exit) throws Failure {
    if (options.log() != null && (exit == 0 || !wasKilled())) {
      options.log().add(job.line, job.command, times, exit);
    }
  }

  /** Returns whether {@link #kill} has ended it. */
  synchronized boolean wasKilled() {
    return killed;
  }

  private void end(RunningJob job, int exit) throws Failure {
    if (!job.endsPermit()) {
      return;
    }
    Duration pause = options.statuses().pause(exit);
    if (pause != null) {
      limiter.peerRefused(pause);
      if (options.pause() != null) {
        options.pause().begin(pause, limiter.time().instant());
      }
      if (!wasKilled()) {
        told.accept("status " + exit + ": nothing is sent for " + Durations.brief(pause.toNanos()));
      }
    }
    if (wasKilled(exit) || options.statuses().lost().contains(exit)) {
      job.permit().lost();
    } else {
      job.permit().answered();
    }
  }

  /** Returns whether the command was killed, directly or as reported by a shell. */
  static boolean wasKilled(int exit) {
    return exit > Status.SIGNALLED && exit <= Status.SIGNALLED + 64;
  }

  private void judge(RunningJob job, int exit) throws Failure {
    if (exit == Status.NO_READER && results.mayLackAReader()) {
      tally.lackReader();
      stop(new Failure(Status.NO_READER, null));
      return;
    }
    if (options.rest() != null && options.statuses().pause(exit) != null) {
      told.accept(job.ended(exit) + ", left for later");
      options.rest().addLine(job.line.text());
      tally.refuse();
      return;
    }
    boolean isTold = tally.end(exit);
    if (exit == STOP) {
      stop(
          new Failure(
              Status.COMMAND_SAID_STOP,
              job.line.quoted() + ": the command ended with status " + STOP));
    } else if (exit != 0) {
      if (isTold) {
        told.accept(job.ended(exit));
      }
      tally.worsen(wasKilled(exit) ? Status.COMMAND_KILLED : Status.COMMAND_FAILED);
    }
  }

  private synchronized void remove(RunningJob job) {
    running.remove(job);
    notifyAll();
  }

  private synchronized void stop(Failure reason) {
    stopped = true;
    if (failure == null && !killed) { // otherwise it fails because all is being ended
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
    List<RunningJob> jobs = stopForGood();
    RunningJob.awaitAll(jobs, GRACE_MILLIS, RunningJob::awaitEnd);
    jobs.forEach(job -> job.tree().forEach(ProcessHandle::destroy));
    RunningJob.awaitAll(jobs, KILL_MILLIS, RunningJob::awaitEnd);
    jobs.forEach(job -> job.tree().forEach(ProcessHandle::destroyForcibly));
    // Their outputs are still to be printed, and who calls this removes the files of these.
    RunningJob.awaitAll(jobs, GRACE_MILLIS, RunningJob::awaitKnown);
    if (options.log() != null) {
      options.log().close();
    }
    jobs.forEach(job -> job.permit().lost());
    limiter.close();
  }

  private synchronized List<RunningJob> stopForGood() {
    stopped = true;
    killed = true;
    tally.finish();
    notifyAll();
    return List.copyOf(running);
  }
}
