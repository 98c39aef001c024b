package dev.pacegate.simulator;

import dev.pacegate.time.Time;
import java.time.Instant;

/** The time of a program whose timers are late and which stands still now and then. */
final class ProcessTime implements Time {

  private final Sender sender;
  private final Delay lateness;
  private final Chance chance;

  ProcessTime(Sender sender, Delay lateness, Chance chance) {
    this.sender = sender;
    this.lateness = lateness;
    this.chance = chance;
  }

  @Override
  public long nanoTime() {
    return sender.world.now();
  }

  /** The program's clock is right: it is 1970 when the world begins. */
  @Override
  public Instant instant() {
    return Instant.ofEpochSecond(0, nanoTime());
  }

  @Override
  public Scheduled at(long instant, Runnable task) {
    var due = new Due(task);
    due.first = sender.world.at(instant + lateness.draw(chance), due);
    return due;
  }

  /** A task that also waits until the process goes on. */
  private final class Due implements Runnable, Scheduled {

    private final Runnable task;
    private Scheduled first = () -> false;
    private boolean done;

    Due(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (sender.awake()) {
        if (!done) {
          done = true;
          task.run();
        }
      } else {
        sender.whenAwake(this);
      }
    }

    @Override
    public boolean cancel() {
      boolean was = done;
      done = true;
      return first.cancel() || !was;
    }
  }
}
