package dev.pacegate.dispatch;

/** Thrown if a message is sent to a full queue whose policy is {@link Overflow#REJECT}. */
public final class QueueFullException extends RuntimeException {

  private static final long serialVersionUID = 1;

  QueueFullException(int capacity) {
    super("the queue holds " + capacity + " messages already");
  }
}
