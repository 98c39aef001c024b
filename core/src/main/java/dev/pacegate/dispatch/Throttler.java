package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.Outbox.Queued;
import dev.pacegate.limit.Cost;
import dev.pacegate.result.CallerContext;
import dev.pacegate.result.HeldPermits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue that delivers messages to a target, in order and no faster than a limiter allows.
 *
 * <pre>{@code
 * Throttler<Sms> sms =
 *     Throttler.<Sms>builder(Limiter.of("peer(30/1s) & spacing(33ms)"))
 *         .cost(text -> Cost.of(text.segments()))
 *         .capacity(1_000)
 *         .build();
 * sms.target(bind::submit);
 * sms.send(message);
 * }</pre>
 *
 * <p>Messages are queued while there is no target, and while paused. The queue is bounded; {@link
 * Overflow} decides what happens when it is full. The permit of a message ends when the target
 * returns, or when the stage that it returns ends. An exception of the target is reported and
 * delivery goes on: the message counts as delivered.
 *
 * <p><b>Promise.</b> Every accepted message has exactly one fate: it is passed to a target once,
 * reported as failed because it can never pass, reported as dropped, or returned by {@link
 * #undelivered}.
 *
 * <p>Only the next message waits in the limiter's queue, so a limiter may be shared. No thread runs
 * while there is nothing to deliver. The target may send, pause and close; but when the queue is
 * full, a send by the target is rejected where others would wait, as no other thread makes room
 * while the target works. Thread-safe; no callback is called while a lock is held.
 *
 * @param <T> the type of messages; {@link Envelope} keeps the sender
 */
public final class Throttler<T> implements AutoCloseable {

  private final Limiter limiter;
  private final Function<? super T, Cost> cost;
  private final BiConsumer<? super T, Throwable> onFailure;
  private final Consumer<? super T> onDrop;
  private final Outbox<T> outbox;
  private final DeliveryLoop<T> loop;

  private Throttler(Builder<T> options) {
    this.limiter = options.limiter;
    this.cost = options.cost;
    this.onFailure = options.onFailure;
    this.onDrop = options.onDrop;
    this.outbox = new Outbox<>(options.capacity, options.overflow, options.watermarks.copy());
    this.loop = new DeliveryLoop<>(limiter, options.executor, outbox, this::report);
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
   * @throws QueueFullException if the queue is full and either the policy is {@link
   *     Overflow#REJECT} or the target is the sender
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
    Cost counted = limiter.requireCounted(price);
    return new Queued<>(message, counted, CallerContext.capture(limiter.context()));
  }

  /** Delivers after a change of what there is to deliver. */
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

  // ---- control

  /**
   * Sets where messages are delivered from now on; null to keep them queued. A message that is
   * being delivered stays with its target.
   */
  public void target(@Nullable Consumer<? super T> next) {
    outbox.target(next == null ? null : (message, permit) -> consume(next, message, permit));
    followUp();
  }

  private static <T> @Nullable CompletionStage<?> consume(
      Consumer<? super T> target, T message, Permit permit) {
    HeldPermits.run(permit, () -> target.accept(message));
    return null;
  }

  /**
   * Sets a target that answers asynchronously: a message's permit ends when the returned stage
   * does, as its outcome is classified. The next message does not wait for that, unless the limit
   * does: messages are passed on in order, and answered in any order.
   */
  public void targetAsync(Function<? super T, ? extends CompletionStage<?>> next) {
    requireNonNull(next);
    targetWithPermit((message, permit) -> HeldPermits.call(permit, () -> next.apply(message)));
  }

  /**
   * As {@link #targetAsync}, for a target that may end the permit of a message itself, as only the
   * first end counts: a target that fails before it sends anything calls {@link Permit#notSent} and
   * throws.
   */
  public void targetWithPermit(
      BiFunction<? super T, ? super Permit, ? extends CompletionStage<?>> next) {
    requireNonNull(next);
    outbox.target(
        (message, permit) ->
            requireNonNull(next.apply(message, permit), "the target returned no stage"));
    followUp();
  }

  /** Stops delivering until {@link #resume}. Other users of the limiter are not affected. */
  public void pause() {
    outbox.pause();
    followUp();
  }

  /** Resumes delivering. */
  public void resume() {
    outbox.resume();
    followUp();
  }

  /**
   * Waits until all queued messages have been delivered and answered.
   *
   * @return whether that happened within {@code timeout}; once the throttler is closed, false as
   *     soon as only messages are left that will not be delivered
   * @throws InterruptedException if interrupted before or while waiting
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    return outbox.drain(timeout);
  }

  /**
   * Stops accepting and delivering: senders that wait for room fail, and queued messages stay for
   * {@link #undelivered}. A message that is being delivered is not recalled. The limiter is not
   * closed. If the limiter is closed, the throttler closes when it next has something to deliver.
   */
  @Override
  public void close() {
    outbox.close();
    followUp();
  }

  /** Removes and returns the queued messages. */
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
   * Sets the options of a throttler. Every option has a default. Not thread-safe.
   *
   * @param <T> the type of messages
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

    /**
     * Sets the executor that delivers, one message at a time. If it runs tasks on its caller, that
     * is the thread that sends, ends a permit or changes something, or a helper's; never the thread
     * of a {@link dev.pacegate.time.WheelTimer}. Default: a daemon thread of those that all
     * limiters share; it ends when it has had no work for ten seconds.
     */
    public Builder<T> executor(Executor executor) {
      this.executor = requireNonNull(executor);
      return this;
    }

    /**
     * Bounds how many messages may be queued. Default: 1000.
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

    /** Sets what happens if the queue is full. Default: {@link Overflow#BLOCK}. */
    public Builder<T> overflow(Overflow overflow) {
      this.overflow = requireNonNull(overflow);
      return this;
    }

    /**
     * Sets the cost of a message: one call, of any amounts that the limiter counts. Default: 1.
     * Called once for each message, on the sending thread. If it throws, or the limiter {@linkplain
     * Limiter#requireCounted does not count} the cost, sending fails.
     */
    public Builder<T> cost(Function<? super T, Cost> cost) {
      this.cost = requireNonNull(cost);
      return this;
    }

    /**
     * Sets a handler of messages that the target failed on, or that can never pass. Default: logs.
     */
    public Builder<T> onFailure(BiConsumer<? super T, Throwable> handler) {
      this.onFailure = requireNonNull(handler);
      return this;
    }

    /** Sets a handler of messages that were dropped. Default: none. */
    public Builder<T> onDrop(Consumer<? super T> handler) {
      this.onDrop = requireNonNull(handler);
      return this;
    }

    /**
     * Calls {@code pause} when {@code high} or more messages are queued, and then {@code resume}
     * when {@code low} or fewer are, for poll loops.
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
