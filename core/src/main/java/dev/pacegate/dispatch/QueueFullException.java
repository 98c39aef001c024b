package dev.pacegate.dispatch;

/** Thrown where a message is sent to a full queue that rejects it. */
public final class QueueFullException extends RuntimeException {

  private static final long serialVersionUID = 1;

  QueueFullException(int capacity) {
    super("the queue holds " + capacity + " messages already");
  }
}
