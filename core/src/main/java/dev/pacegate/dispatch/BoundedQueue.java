package dev.pacegate.dispatch;

import dev.pacegate.limit.Cost;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages that wait, no more than so many; what is too much goes as {@link Overflow} says.
 *
 * <p>Guarded by the lock of its throttler.
 */
final class BoundedQueue<T> {

  /** A message and what it costs. */
  record Queued<T>(T message, Cost cost) {}

  private final ArrayDeque<Queued<T>> queue = new ArrayDeque<>();
  private final int capacity;
  private final Overflow overflow;

  BoundedQueue(int capacity, Overflow overflow) {
    this.capacity = capacity;
    this.overflow = overflow;
  }

  boolean isFull() {
    return queue.size() >= capacity;
  }

  /** Returns whether a sender must wait for room. */
  boolean blocks() {
    return overflow == Overflow.BLOCK && isFull();
  }

  /**
   * Adds a message, and what is dropped for its sake to {@code dropped}.
   *
   * @return whether it was added; if not, it is itself among those dropped
   * @throws QueueFullException if there is no room and nothing is to be dropped
   */
  boolean add(Queued<T> added, List<T> dropped) {
    if (isFull()) {
      switch (overflow) {
        case BLOCK, REJECT -> throw new QueueFullException(capacity);
        case DROP_NEWEST -> {
          dropped.add(added.message);
          return false;
        }
        case DROP_OLDEST -> dropped.add(queue.remove().message);
        case KEEP_LATEST -> dropped.addAll(takeAll());
      }
    }
    return queue.add(added);
  }

  @Nullable Queued<T> first() {
    return queue.peek();
  }

  void removeFirst() {
    queue.remove();
  }

  List<T> takeAll() {
    List<T> all = queue.stream().map(Queued::message).toList();
    queue.clear();
    return all;
  }

  int size() {
    return queue.size();
  }
}
