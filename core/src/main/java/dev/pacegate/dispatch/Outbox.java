package dev.pacegate.dispatch;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.result.CallerContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue and the target of a {@link Throttler}, under one lock. It does not know the limiter.
 *
 * <p>After a change the caller, without the lock, makes the {@linkplain #tell calls at the
 * watermarks} and calls the {@link DeliveryLoop}.
 */
final class Outbox<T> {

  /** A target; the stage it returns ends with the answer, null if that is in already. */
  interface Target<T> {
    @Nullable CompletionStage<?> take(T message, Permit permit);
  }

  /** A queued message with its cost and its sender's context. */
  record Queued<T>(T message, Cost cost, CallerContext context) {}

  /** A message taken out of the queue, and its target. */
  record Delivery<T>(T message, CallerContext context, Target<? super T> target) {

    /** Passes the message to the target, in the context of its sender. */
    @SuppressWarnings("NullAway") // what the target returns, null too
    @Nullable CompletionStage<?> pass(Permit permit) {
      return context.call(permit, () -> target.take(message, permit));
    }
  }

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final int capacity;
  private final Overflow overflow;
  private final Watermarks watermarks;
  private final StepLock lock = new StepLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private final ArrayDeque<Queued<T>> queue = new ArrayDeque<>();
  private @Nullable Target<? super T> target;
  private int undecided; // messages that are out of the queue and not yet dealt with
  private boolean paused;
  private boolean closed;

  Outbox(int capacity, Overflow overflow, Watermarks watermarks) {
    this.capacity = capacity;
    this.overflow = overflow;
    this.watermarks = watermarks;
  }

  // ---- in

  /**
   * Queues a message, and adds what is dropped in its favour to {@code dropped}. Waits for room if
   * that is the {@link Overflow}, unless the caller {@code cannotWait}.
   *
   * @return whether it was queued; if not, it is itself among those dropped
   * @throws QueueFullException if there is no room and nothing is to be dropped
   */
  boolean put(Queued<T> sent, List<T> dropped, BooleanSupplier cannotWait)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && isFull() && overflow == Overflow.BLOCK && !cannotWait.getAsBoolean()) {
        changed.await();
      }
      if (closed) {
        throw new IllegalStateException("the throttler is closed");
      }
      boolean accepted = !isFull() || makesRoom(sent.message, dropped);
      if (accepted) {
        queue.add(sent);
      }
      watermarks.note(queue.size());
      return accepted;
    } finally {
      lock.unlock();
    }
  }

  private boolean isFull() {
    return queue.size() >= capacity;
  }

  /** Drops messages by the overflow policy; returns false if the new one is dropped. */
  private boolean makesRoom(T sent, List<T> dropped) {
    switch (overflow) {
      case BLOCK, REJECT -> throw new QueueFullException(capacity);
      case DROP_NEWEST -> dropped.add(sent);
      case DROP_OLDEST -> dropped.add(queue.remove().message);
      case KEEP_LATEST -> dropped.addAll(removeAll());
    }
    return overflow != Overflow.DROP_NEWEST;
  }

  private List<T> removeAll() {
    List<T> all = queue.stream().map(Queued::message).toList();
    queue.clear();
    return all;
  }

  boolean offer(Queued<T> sent) {
    return lock.locked(
        () -> {
          if (closed || isFull()) {
            return false;
          }
          queue.add(sent);
          watermarks.note(queue.size());
          return true;
        });
  }

  // ---- out

  /** Returns the cost of the message to deliver next, or null if there is none. */
  @Nullable Cost nextCost() {
    return lock.locked(() -> costOf(next()));
  }

  private static @Nullable Cost costOf(@Nullable Queued<?> queued) {
    return queued == null ? null : queued.cost();
  }

  private @Nullable Queued<T> next() {
    return target == null || paused || closed ? null : queue.peek();
  }

  /** Takes out the message to deliver next, if there is one of that cost. */
  @Nullable Delivery<T> take(Cost cost) {
    return lock.locked(
        () -> {
          Queued<T> next = next();
          if (target == null || next == null || !next.cost().equals(cost)) {
            return null;
          }
          queue.remove();
          undecided++;
          noteChange();
          return new Delivery<>(next.message(), next.context(), target);
        });
  }

  /** Records that a message taken out has been delivered or has failed. */
  void concluded() {
    change(() -> undecided--);
  }

  /** As {@link #nextCost}, but null while a message taken out is neither delivered nor failed. */
  @Nullable Cost nextCostUnlessUndecided() {
    return lock.locked(() -> undecided > 0 ? null : costOf(next()));
  }

  /** Waits until nothing is left; false if that takes longer, or cannot happen. */
  boolean drain(Duration timeout) throws InterruptedException {
    Duration wait = timeout.isNegative() ? Duration.ZERO : timeout;
    long left = wait.compareTo(LONGEST) < 0 ? wait.toNanos() : Long.MAX_VALUE;
    lock.lockInterruptibly();
    try {
      while (queue.size() > 0 || undecided > 0) {
        if (left <= 0 || (closed && undecided == 0)) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  // ---- control

  void target(@Nullable Target<? super T> next) {
    change(() -> target = next);
  }

  void pause() {
    change(() -> paused = true);
  }

  void resume() {
    change(() -> paused = false);
  }

  void close() {
    change(() -> closed = true);
  }

  List<T> takeAll() {
    var all = new ArrayList<T>();
    change(() -> all.addAll(removeAll()));
    return all;
  }

  int size() {
    return lock.locked(queue::size);
  }

  /** Makes the calls that are due at the watermarks. Call it without a lock. */
  void tell() {
    watermarks.tell();
  }

  private void change(Runnable change) {
    lock.locked(
        () -> {
          change.run();
          noteChange();
          return null;
        });
  }

  private void noteChange() {
    watermarks.note(queue.size());
    changed.signalAll();
  }
}
