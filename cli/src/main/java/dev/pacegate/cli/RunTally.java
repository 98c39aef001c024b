package dev.pacegate.cli;

/** What has become of the lines of a run so far. */
final class RunTally {

  private int status = Status.OK;
  private long skipped;
  private long ended;
  private long failed;
  private long refused; // those that have ended and whose line is left
  private long left; // of those that were read
  private boolean hasAll; // lines were read
  private boolean isOver;
  private long started;
  private long retried;

  /** No command is run for a line. */
  synchronized void skip() {
    skipped++;
  }

  /** There are no more lines. */
  synchronized void readAll() {
    hasAll = true;
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

  /** A command has ended because the other side refused, and its line is left. */
  synchronized void refuse() {
    if (!isOver) {
      ended++;
      refused++;
      left++;
    }
  }

  /** A command has ended because nothing reads its output. */
  synchronized void lackReader() {
    ended += isOver ? 0 : 1;
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
    return skipped + ended + left - refused;
  }

  /** Returns all of it in words. */
  synchronized String text() {
    return started
        + (started == 1 ? " command was started, " : " commands were started, ")
        + ended
        + " ended, "
        + failed
        + " failed, "
        + refused
        + (refused == 1 ? " was refused, " : " were refused, ")
        + retried
        + (retried == 1 ? " retry; " : " retries; ")
        + skipped
        + (skipped == 1 ? " line was skipped, " : " lines were skipped, ")
        + linesLeft();
  }

  private String linesLeft() {
    if (!hasAll) {
      return "an unknown number of lines is left";
    }
    return left + (left == 1 ? " line is left" : " lines are left");
  }

  /** Adds all of it in figures. */
  synchronized void addTo(JsonLine json) {
    json.add("started", started).add("ended", ended).add("failed", failed);
    json.add("refused", refused);
    json.add("retried", retried).add("skipped", skipped).add("left", hasAll ? left : null);
  }
}
