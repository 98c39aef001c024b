package dev.pacegate.cli;

/** What has become of the lines of a run so far. */
final class RunTally {

  private int status = Status.OK;
  private long skipped;
  private long ended;
  private long failed;
  private long left;
  private boolean isOver;
  private long started;
  private long retried;

  /** No command is run for a line. */
  synchronized void skip() {
    skipped++;
  }

  /** A line is left for later. */
  synchronized void leave() {
    left++;
  }

  /** A command was started. */
  synchronized void start(boolean again) {
    started += again ? 0 : 1;
    retried += again ? 1 : 0;
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
  synchronized void finish() {
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

  /** Returns all of it in words. */
  synchronized String text() {
    return started
        + (started == 1 ? " command was started, " : " commands were started, ")
        + ended
        + " ended, "
        + failed
        + " failed, "
        + retried
        + (retried == 1 ? " retry; " : " retries; ")
        + skipped
        + (skipped == 1 ? " line was skipped, " : " lines were skipped, ")
        + left
        + (left == 1 ? " is left" : " are left");
  }

  /** Adds all of it in figures. */
  synchronized void addTo(JsonLine json) {
    json.add("started", started).add("ended", ended).add("failed", failed);
    json.add("retried", retried).add("skipped", skipped).add("left", left);
  }
}
