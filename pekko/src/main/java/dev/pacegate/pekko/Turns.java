package dev.pacegate.pekko;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The steps of an actor and the deliveries that its limiter asks for, one at a time.
 *
 * <p>A step ends when all that may go at once has gone. A change lets go first what waited and is
 * due by then, as the limiter's timer may be late. So a message of the mailbox, whatever it
 * changes, overtakes nothing but a delivery that the timer's thread is handing over at that very
 * moment. What has to wait is delivered by a thread of the dispatcher: the mailbox would put time
 * between the permit and the sending.
 */
final class Turns implements Executor {

  /** The threads that deliver if the dispatcher rejects the task, as when its system ends. */
  private static final Executor SUBSTITUTE = new CompletableFuture<Void>().defaultExecutor();

  private final Executor dispatcher;
  private final ConcurrentLinkedQueue<Runnable> due = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private int steps; // under way, one within the other; guarded by the lock

  Turns(Executor dispatcher) {
    this.dispatcher = dispatcher;
  }

  /** Takes in a delivery. A step on this thread makes it before it ends. */
  @Override
  public void execute(Runnable delivery) {
    due.add(delivery);
    if (!lock.isHeldByCurrentThread() || steps == 0) {
      sendThread();
    }
  }

  private void sendThread() {
    try {
      dispatcher.execute(this::deliverOne);
    } catch (RuntimeException rejected) {
      SUBSTITUTE.execute(this::deliverOne);
    }
  }

  private void deliverOne() {
    lock.lock();
    try {
      Runnable delivery = due.poll();
      if (delivery != null) {
        delivery.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs a step of the actor, and then the deliveries that are due. */
  void step(Runnable step) {
    lock.lock();
    steps++;
    try {
      step.run();
      deliverAll();
    } finally {
      steps--;
      if (steps == 0) {
        due.forEach(left -> sendThread()); // after an error
      }
      lock.unlock();
    }
  }

  /**
   * As {@link #step}, with the deliveries that are due already before it, too.
   *
   * @param look makes the limiter look at the clock, and hand over what is due
   */
  void change(Runnable look, Runnable change) {
    step(
        () -> {
          look.run();
          deliverAll();
          change.run();
        });
  }

  private void deliverAll() {
    for (Runnable next = due.poll(); next != null; next = due.poll()) {
      next.run();
    }
  }
}
