package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages to a target, one after another in the order in which they were sent, no faster
 * than a limiter lets them.
 *
 * <pre>{@code
 * Throttler<Sms> sms = Throttler.<Sms>builder(Limiter.of("spacing(100ms)")).capacity(1_000).build();
 * sms.target(bind::submit);
 * sms.send(message);
 * }</pre>
 *
 * <p>Messages are queued while there is no target, and while paused. The queue is bounded; {@link
 * Overflow} says what becomes of a message that finds it full. The permit of a message ends when
 * the target returns. What the target throws is reported and stops nothing: the message counts as
 * delivered.
 *
 * <p>Each message stands in the limiter's line only when it is the next, so a limiter may be
 * shared. Nothing runs while there is nothing to deliver. Thread-safe; the target may send, pause
 * and close.
 *
 * @param <T> the messages; to keep who sent them, an {@link Envelope}
 */
public final class Throttler<T> implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.pacegate.dispatch");

  private record Queued<T>(T message, Cost cost) {}

  /** A place in the limiter's line, for a message of that cost. */
  private static final class Place {
    final CompletableFuture<Permit> permit;
    final Cost cost;

    Place(CompletableFuture<Permit> permit, Cost cost) {
      this.permit = permit;
      this.cost = cost;
    }
  }

  private final Limiter limiter;
  private final Executor executor;
  private final int capacity;
  private final Overflow overflow;
  private final Function<? super T, Cost> cost;
  private final BiConsumer<? super T, Throwable> onFailure;
  private final Consumer<? super T> onDrop;
  private final Marks marks;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private final ArrayDeque<Queued<T>> queue = new ArrayDeque<>();
  private @Nullable Consumer<? super T> target;
  private @Nullable Place place;
  private boolean delivering;
  private boolean paused;
  private boolean closed;

  private Throttler(Builder<T> options) {
    this.limiter = options.limiter;
    this.executor = options.executor;
    this.capacity = options.capacity;
    this.overflow = options.overflow;
    this.cost = options.cost;
    this.onFailure = options.onFailure;
    this.onDrop = options.onDrop;
    this.marks = options.marks.copy();
  }

  /** Begins a throttler that takes its permits from {@code limiter}. */
  public static <T> Builder<T> builder(Limiter limiter) {
    return new Builder<>(limiter);
  }

  // ---- sending

  /**
   * Queues a message.
   *
   * @return whether it was queued; false only if it was dropped in favour of those before it
   * @throws QueueFullException if the queue is full and {@link Overflow#REJECT} says so
   * @throws InterruptedException if interrupted while waiting for room; it has not been queued
   * @throws IllegalStateException if the throttler is closed
   */
  public boolean send(T message) throws InterruptedException {
    var queued = new Queued<>(requireNonNull(message), cost.apply(message));
    var dropped = new ArrayList<T>();
    boolean accepted;
    lock.lockInterruptibly();
    try {
      while (overflow == Overflow.BLOCK && queue.size() >= capacity && !closed) {
        changed.await();
      }
      accepted = enqueue(queued, dropped);
    } finally {
      lock.unlock();
    }
    dropped.forEach(this::drop);
    if (accepted) {
      marks.after(queued());
      ask();
    }
    return accepted;
  }

  /** Queues a message unless the queue is full or the throttler closed; never waits. */
  public boolean offer(T message) {
    var queued = new Queued<>(requireNonNull(message), cost.apply(message));
    lock.lock();
    try {
      if (closed || queue.size() >= capacity) {
        return false;
      }
      queue.add(queued);
    } finally {
      lock.unlock();
    }
    marks.after(queued());
    ask();
    return true;
  }

  private boolean enqueue(Queued<T> queued, List<T> dropped) {
    if (closed) {
      throw new IllegalStateException("the throttler is closed");
    }
    if (queue.size() >= capacity) {
      switch (overflow) {
        case BLOCK -> throw new AssertionError("there is room");
        case REJECT -> throw new QueueFullException(capacity);
        case DROP_NEWEST -> {
          dropped.add(queued.message);
          return false;
        }
        case DROP_OLDEST -> dropped.add(queue.remove().message);
        case KEEP_LATEST -> {
          queue.forEach(old -> dropped.add(old.message));
          queue.clear();
        }
      }
    }
    return queue.add(queued);
  }

  // ---- delivering

  /** Joins the limiter's line on behalf of the next message, if there is one to be delivered. */
  private void ask() {
    Place asked;
    lock.lock();
    try {
      Queued<T> next = queue.peek();
      if (next == null || place != null || delivering || !isFlowing()) {
        return;
      }
      asked = new Place(limiter.acquireAsync(next.cost, executor), next.cost);
      place = asked;
    } finally {
      lock.unlock();
    }
    var unused = asked.permit.whenComplete((permit, refused) -> answered(asked, permit, refused));
  }

  private boolean isFlowing() {
    return target != null && !paused && !closed;
  }

  private void answered(Place asked, @Nullable Permit permit, @Nullable Throwable refused) {
    if (permit == null) {
      refused(asked, refused);
    } else {
      deliver(asked, permit);
    }
    ask();
  }

  /** What can never pass is the failure of its message; a place given up is none. */
  private void refused(Place asked, @Nullable Throwable refused) {
    Queued<T> head = null;
    lock.lock();
    try {
      if (place == asked) {
        place = null;
        head = refused instanceof CostTooLargeException ? queue.poll() : null;
        closed |= refused instanceof LimiterClosedException;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (head != null && refused != null) {
      report(head.message, refused);
    }
  }

  private void deliver(Place asked, Permit first) {
    lock.lock();
    try {
      if (place == asked) {
        place = null;
      }
      delivering = true;
    } finally {
      lock.unlock();
    }
    Permit permit = first;
    Cost cost = asked.cost;
    while (permit != null && deliver(cost, permit)) {
      // Where nothing had to wait, the next may be due at once, too.
      Queued<T> next = permit.waited().isZero() ? peek() : null;
      cost = next == null ? cost : next.cost;
      permit = next == null ? null : limiter.tryAcquire(cost).orElse(null);
    }
    lock.lock();
    try {
      delivering = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Queued<T> peek() {
    lock.lock();
    try {
      return isFlowing() ? queue.peek() : null;
    } finally {
      lock.unlock();
    }
  }

  /** Delivers the next message under {@code permit}; false if there is none for it. */
  private boolean deliver(Cost cost, Permit permit) {
    Consumer<? super T> to;
    Queued<T> next;
    lock.lock();
    try {
      to = target;
      next = queue.peek();
      if (to == null || next == null || !isFlowing() || !next.cost.equals(cost)) {
        permit.unused();
        return false;
      }
      queue.remove();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      to.accept(next.message);
      permit.close();
    } catch (Throwable failure) {
      permit.failed(failure);
      report(next.message, failure);
    }
    marks.after(queued());
    return true;
  }

  private void report(T message, Throwable failure) {
    try {
      onFailure.accept(message, failure);
    } catch (Throwable ofTheHandler) {
      LOG.log(Level.ERROR, "the handler of failed messages failed", ofTheHandler);
    }
  }

  private void drop(T message) {
    try {
      onDrop.accept(message);
    } catch (Throwable ofTheHandler) {
      LOG.log(Level.ERROR, "the handler of dropped messages failed", ofTheHandler);
    }
  }

  // ---- steering

  /** Sets where messages are delivered from now on; null to keep them queued. */
  public void target(@Nullable Consumer<? super T> next) {
    change(() -> target = next);
  }

  /** Delivers nothing until {@link #resume}. Other users of the limiter are not affected. */
  public void pause() {
    change(() -> paused = true);
  }

  /** Delivers again. */
  public void resume() {
    change(() -> paused = false);
  }

  /**
   * Waits until everything that is queued has been delivered.
   *
   * @return whether it has within {@code timeout}
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (!queue.isEmpty() || delivering) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Accepts and delivers no more: see {@link #undelivered}. The limiter is not closed. */
  @Override
  public void close() {
    change(() -> closed = true);
  }

  /** Takes out, and returns, what is queued. */
  public List<T> undelivered() {
    lock.lock();
    try {
      List<T> left = queue.stream().map(Queued::message).toList();
      queue.clear();
      changed.signalAll();
      return left;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many messages are queued. */
  public int queued() {
    lock.lock();
    try {
      return queue.size();
    } finally {
      lock.unlock();
    }
  }

  /** Makes a change, and gives up the place in line if nothing is to be delivered any more. */
  private void change(Runnable change) {
    Place given = null;
    lock.lock();
    try {
      change.run();
      if (!isFlowing()) {
        given = place;
        place = null;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (given != null) {
      given.permit.cancel(false);
    }
    ask();
  }

  /**
   * The options of a throttler; all have a default.
   *
   * @param <T> the messages
   */
  public static final class Builder<T> {

    private final Limiter limiter;
    private Executor executor = new CompletableFuture<Void>().defaultExecutor();
    private int capacity = 1000;
    private Overflow overflow = Overflow.BLOCK;
    private Function<? super T, Cost> cost = message -> Cost.ONE;
    private BiConsumer<? super T, Throwable> onFailure =
        (message, failure) -> LOG.log(Level.ERROR, "a message was not delivered", failure);
    private Consumer<? super T> onDrop = message -> {};
    private Marks marks = Marks.NONE;

    private Builder(Limiter limiter) {
      this.limiter = requireNonNull(limiter);
    }

    /** Sets the threads that deliver, one at a time; the limiter's own kind unless given. */
    public Builder<T> executor(Executor executor) {
      this.executor = requireNonNull(executor);
      return this;
    }

    /**
     * Sets how many messages may be queued; 1000 unless given.
     *
     * @throws IllegalArgumentException if {@code capacity} is not positive
     */
    public Builder<T> capacity(int capacity) {
      if (capacity < 1) {
        throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
      }
      this.capacity = capacity;
      return this;
    }

    /** Sets what becomes of a message that finds the queue full; it waits unless given. */
    public Builder<T> overflow(Overflow overflow) {
      this.overflow = requireNonNull(overflow);
      return this;
    }

    /** Sets what a message costs; 1 unless given. Called once per message, by whoever sends it. */
    public Builder<T> cost(Function<? super T, Cost> cost) {
      this.cost = requireNonNull(cost);
      return this;
    }

    /** Sets who is told of messages that the target failed on, or that can never pass. */
    public Builder<T> onFailure(BiConsumer<? super T, Throwable> handler) {
      this.onFailure = requireNonNull(handler);
      return this;
    }

    /** Sets who is told of messages that were dropped. */
    public Builder<T> onDrop(Consumer<? super T> handler) {
      this.onDrop = requireNonNull(handler);
      return this;
    }

    /**
     * Calls {@code pause} when {@code high} messages or more are queued, and then {@code resume}
     * when {@code low} or fewer are: for loops that poll.
     *
     * @throws IllegalArgumentException unless {@code 0 <= low < high}
     */
    public Builder<T> marks(int low, int high, Runnable pause, Runnable resume) {
      this.marks = new Marks(low, high, requireNonNull(pause), requireNonNull(resume));
      return this;
    }

    /** Returns the throttler. */
    public Throttler<T> build() {
      return new Throttler<>(this);
    }
  }
}
