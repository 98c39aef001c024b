package dev.pacegate.cli;

import dev.pacegate.Limiter;

/** What has become of the lines of a run so far. */
final class RunTally {

  private final Limiter limiter;
  private int status = Status.OK;
  private long skipped;
  private long ended;
  private long failed;
  private long left;
  private boolean isOver;
  private volatile long due;

  RunTally(Limiter limiter) {
    this.limiter = limiter;
  }

  /** A permit is about to be waited for. */
  void waits() {
    due = limiter.time().nanoTime() + limiter.estimateWait(1).toNanos();
  }

  /** Returns when the last that began to wait may go, if nothing else happens. */
  long due() {
    return due;
  }

  /** No command is run for a line. */
  synchronized void skip() {
    skipped++;
  }

  /** A line is left for later. */
  synchronized void leave() {
    left++;
  }

  /** A command has ended for good; returns whether that counts, as the run was not ended itself. */
  synchronized boolean end(int exit) {
    if (isOver) {
      return false;
    }
    ended++;
    failed += exit == 0 ? 0 : 1;
    return true;
  }

  /** Commands that end from now on were ended from here, and have not failed. */
  synchronized void isOver() {
    isOver = true;
  }

  synchronized void worsen(int status) {
    this.status = Math.max(this.status, status);
  }

  synchronized int status() {
    return status;
  }

  synchronized long failed() {
    return failed;
  }

  synchronized long ended() {
    return ended;
  }

  /** Returns how many lines are dealt with. */
  synchronized long done() {
    return skipped + ended + left;
  }
}
