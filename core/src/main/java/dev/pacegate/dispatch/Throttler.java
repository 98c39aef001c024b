package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Outbox.Queued;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
 * the target returns, or the stage that it returns ends. What the target throws is reported and
 * stops nothing: the message counts as delivered.
 *
 * <p><b>Promise.</b> Every message that was accepted has one fate: it is passed to a target once,
 * reported as failed because it can never pass, reported as dropped, or returned by {@link
 * #undelivered}.
 *
 * <p>Each message stands in the limiter's line only when it is the next, so a limiter may be
 * shared. Nothing runs while there is nothing to deliver. Thread-safe; no callback is called while
 * a lock is held. The target may send, pause and close; as no other thread makes room while it
 * works, a full queue rejects what it sends where others would wait.
 *
 * @param <T> the messages; to keep who sent them, an {@link Envelope}
 */
public final class Throttler<T> implements AutoCloseable {

  private final Function<? super T, Cost> cost;
  private final BiConsumer<? super T, Throwable> onFailure;
  private final Consumer<? super T> onDrop;
  private final Outbox<T> outbox;
  private final DeliveryLoop<T> loop;

  private Throttler(Builder<T> options) {
    this.cost = options.cost;
    this.onFailure = options.onFailure;
    this.onDrop = options.onDrop;
    this.outbox = new Outbox<>(options.capacity, options.overflow, options.watermarks.copy());
    this.loop = new DeliveryLoop<>(options.limiter, options.executor, outbox, this::report);
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
   * @throws QueueFullException if the queue is full and {@link Overflow#REJECT} says so, or it is
   *     the target that sends
   * @throws InterruptedException if interrupted before or while waiting for room; it has not been
   *     queued
   * @throws IllegalStateException if the throttler is closed; it has not been queued
   */
  public boolean send(T message) throws InterruptedException {
    var dropped = new ArrayList<T>();
    boolean accepted = outbox.put(priced(message), dropped, loop::isHere);
    dropped.forEach(this::drop);
    followUp();
    return accepted;
  }

  /** Queues a message unless the queue is full or the throttler closed; never waits or drops. */
  public boolean offer(T message) {
    boolean accepted = outbox.offer(priced(message));
    followUp();
    return accepted;
  }

  private Queued<T> priced(T message) {
    Cost price = requireNonNull(cost.apply(requireNonNull(message)), "no cost");
    if (price.calls() != 1) { // no limiter takes it: once queued, it would block all behind it
      throw new IllegalArgumentException("a message is one call, not " + price.calls());
    }
    return new Queued<>(message, price);
  }

  /** After a change of what there is to deliver. */
  private void followUp() {
    outbox.tell();
    loop.arrange();
  }

  private void drop(T message) {
    Failures.contain("the handler of dropped messages", () -> onDrop.accept(message));
  }

  private void report(T message, Throwable failure) {
    Failures.contain("the handler of failed messages", () -> onFailure.accept(message, failure));
  }

  // ---- steering

  /**
   * Sets where messages are delivered from now on; null to keep them queued. A message that is
   * being delivered remains with the target it has been passed to.
   */
  public void target(@Nullable Consumer<? super T> next) {
    outbox.target(next == null ? null : message -> consume(next, message));
    followUp();
  }

  private static <T> @Nullable CompletionStage<?> consume(Consumer<? super T> target, T message) {
    target.accept(message);
    return null;
  }

  /**
   * Sets a target that answers later: a message's permit ends when the stage returned does, as its
   * outcome says. The next message does not wait for that, unless the limit does: messages are
   * passed on in order, and answered in any.
   */
  public void targetAsync(Function<? super T, ? extends CompletionStage<?>> next) {
    requireNonNull(next);
    outbox.target(message -> requireNonNull(next.apply(message), "the target returned no stage"));
    followUp();
  }

  /** Delivers nothing until {@link #resume}. Other users of the limiter are not affected. */
  public void pause() {
    outbox.pause();
    followUp();
  }

  /** Delivers again. */
  public void resume() {
    outbox.resume();
    followUp();
  }

  /**
   * Waits until everything that is queued has been delivered, and answered.
   *
   * @return whether it has within {@code timeout}; if the throttler is closed, false as soon as
   *     only what will not be delivered is left
   * @throws InterruptedException if interrupted before or while waiting
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    return outbox.drain(timeout);
  }

  /**
   * Accepts and delivers no more: senders that wait for room fail, what is queued stays so, see
   * {@link #undelivered}. A message that is being delivered is not recalled. The limiter is not
   * closed; if it is, the throttler closes as soon as it has something to deliver.
   */
  @Override
  public void close() {
    outbox.close();
    followUp();
  }

  /** Takes out, and returns, what is queued. */
  public List<T> undelivered() {
    List<T> left = outbox.takeAll();
    followUp();
    return left;
  }

  /** Returns how many messages are queued. */
  public int queued() {
    return outbox.size();
  }

  /**
   * The options of a throttler; all have a default.
   *
   * @param <T> the messages
   */
  public static final class Builder<T> {

    private final Limiter limiter;
    private Executor executor = DeliveryLoop.DEFAULT_EXECUTOR;
    private int capacity = 1000;
    private Overflow overflow = Overflow.BLOCK;
    private Function<? super T, Cost> cost = message -> Cost.ONE;
    private BiConsumer<? super T, Throwable> onFailure =
        (message, failure) -> Failures.log("a message was not delivered", failure);
    private Consumer<? super T> onDrop = message -> {};
    private Watermarks watermarks = Watermarks.NONE;

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

    /**
     * Sets what a message costs: one call, of any amounts; 1 unless given. Called once per message,
     * by the thread that sends it; what it throws fails the sending.
     */
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
    public Builder<T> watermarks(int low, int high, Runnable pause, Runnable resume) {
      this.watermarks = new Watermarks(low, high, requireNonNull(pause), requireNonNull(resume));
      return this;
    }

    /** Returns the throttler. */
    public Throttler<T> build() {
      return new Throttler<>(this);
    }
  }
}
