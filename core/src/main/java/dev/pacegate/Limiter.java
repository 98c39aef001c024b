package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Asking;
import dev.pacegate.engine.AsyncCall;
import dev.pacegate.engine.Clock;
import dev.pacegate.engine.Engine;
import dev.pacegate.engine.JobResult;
import dev.pacegate.engine.KeyLanes;
import dev.pacegate.engine.KeySeat;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.Options;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.engine.Seat;
import dev.pacegate.engine.Steered;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.BootClock;
import dev.pacegate.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests through no faster than a {@link Limit} allows.
 *
 * <pre>{@code
 * Limiter api = Limiter.of("10/1m");
 * String answer = api.call(() -> send(request));        // permit taken, job run, permit ended
 * try (Permit permit = api.acquire()) {                 // the same by hand
 *   send(request);
 *   permit.answered();                                  // not reached: the request is lost
 * }
 * Optional<Permit> permit = api.tryAcquire();           // now or not at all
 * CompletableFuture<Permit> later = api.acquireAsync(); // no thread waits
 * }</pre>
 *
 * <p><b>Order.</b> Those who must wait stand in one line, threads and futures alike, and go in the
 * order in which they came; nobody overtakes, not even {@code tryAcquire}. A large request in front
 * holds up small ones behind it.
 *
 * <p><b>Cost.</b> Nothing is charged until it is released: whoever is interrupted, cancelled or out
 * of time leaves the line and has cost nothing. A changed limit, a pause and a permit that ends
 * take effect on all who wait at once.
 *
 * <p><b>Release.</b> A permit is stamped by the thread that goes on (for a future, the one that
 * completes it), with the clock read at that moment.
 *
 * <p>Durations may be as long as they like, negative ones count as zero. Thread-safe. A thread that
 * waits, platform or virtual, is parked and holds no lock.
 */
public final class Limiter implements AutoCloseable {

  private final Engine engine;
  private final Seat seat;
  private final Steered steered;

  private Limiter(Engine engine, Seat seat, Steered steered) {
    this.engine = engine;
    this.seat = seat;
    this.steered = steered;
  }

  /**
   * Returns a limiter for a limit given as text, such as {@code "10/1m & concurrent(4)"}.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  @CheckReturnValue
  public static Limiter of(String limit) {
    return of(Limits.parse(limit));
  }

  /** Returns a limiter for {@code limit}. */
  @CheckReturnValue
  public static Limiter of(Limit limit) {
    return builder(limit).build();
  }

  /** Begins a limiter for {@code limit}. */
  @CheckReturnValue
  public static Builder builder(Limit limit) {
    return new Builder(limit);
  }

  /**
   * Begins a limiter for a limit given as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  @CheckReturnValue
  public static Builder builder(String limit) {
    return builder(Limits.parse(limit));
  }

  /**
   * Returns this limiter as seen from the lane of that name: its calls stand in that lane; all else
   * is the same, so that closing the one closes the other.
   *
   * @throws IllegalArgumentException if there is no such lane; the message lists those there are
   */
  @CheckReturnValue
  public Limiter lane(String name) {
    return new Limiter(engine, steered.lane(name), steered);
  }

  /**
   * Returns lanes by key, each of which keeps {@code perKey} beside what this limiter keeps.
   *
   * @throws IllegalArgumentException if this is itself the limiter of a key
   */
  <K> KeyLanes<K> keys(Limit perKey, int maxKeys, int maxWaitingPerKey) {
    if (!(seat instanceof Lane sibling)) {
      throw new IllegalArgumentException(
          "keys must be within a limiter of its own, not within that of a key: " + this);
    }
    engine.knowNames(perKey);
    return new KeyLanes<>(engine, sibling, perKey, maxKeys, maxWaitingPerKey);
  }

  /** Returns a limiter whose calls stand in the lane of a key, and whose steering is that key's. */
  Limiter ofKey(KeySeat<?> key) {
    return new Limiter(engine, key, key);
  }

  // ---- job first

  /**
   * Waits for a permit of cost 1, does {@code job}, and ends the permit as the outcome says: see
   * {@link FailureClassifier}. If the job hands back a {@link CompletionStage}, that is returned at
   * once and the permit ends when the stage does, as for {@link #callAsync(Supplier)}.
   *
   * @throws InterruptedException if interrupted while waiting; nothing has been charged
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if the job hands back any other {@link
   *     java.util.concurrent.Future}, or a publisher of {@link java.util.concurrent.Flow} or of
   *     Reactive Streams: its request may still be under way, so the permit is lost. The message
   *     names the verb to use
   * @throws X if the job throws it
   */
  public <T extends @Nullable Object, X extends Exception> T call(Job<T, X> job)
      throws X, InterruptedException {
    return call(Cost.ONE, job);
  }

  /** As {@link #call(Job)}, at another plain cost. */
  public <T extends @Nullable Object, X extends Exception> T call(long cost, Job<T, X> job)
      throws X, InterruptedException {
    return call(Cost.of(cost), job);
  }

  /** As {@link #call(Job)}, at another cost. */
  public <T extends @Nullable Object, X extends Exception> T call(Cost cost, Job<T, X> job)
      throws X, InterruptedException {
    requireNonNull(job);
    return run(acquire(cost), job);
  }

  /**
   * As {@link #call(Job)}, waiting no longer than {@code maxWait}.
   *
   * @throws WaitTooLongException if the wait would be longer: at once if that is known
   */
  public <T extends @Nullable Object, X extends Exception> T call(Duration maxWait, Job<T, X> job)
      throws X, InterruptedException {
    return call(Cost.ONE, maxWait, job);
  }

  /**
   * As {@link #call(Job)}, at another cost and waiting no longer than {@code maxWait}.
   *
   * @throws WaitTooLongException if the wait would be longer: at once if that is known
   */
  public <T extends @Nullable Object, X extends Exception> T call(
      Cost cost, Duration maxWait, Job<T, X> job) throws X, InterruptedException {
    requireNonNull(job);
    return run(engine.acquire(seat, engine.check(cost), nanos(maxWait)), job);
  }

  /** As {@link #call(Cost, Duration, Job)}, at a plain cost. */
  public <T extends @Nullable Object, X extends Exception> T call(
      long cost, Duration maxWait, Job<T, X> job) throws X, InterruptedException {
    return call(Cost.of(cost), maxWait, job);
  }

  /**
   * As {@link #call(Job)}, for a job that is a callable. At another cost it is {@code call(cost,
   * callable::call)}.
   *
   * @throws Exception if the job throws it
   */
  public <T extends @Nullable Object> T call(Callable<? extends T> job) throws Exception {
    return call(Cost.ONE, job::call);
  }

  /**
   * As {@link #call(Job)}, for a job that is a supplier. At another cost it is {@code call(cost,
   * supplier::get)}.
   */
  public <T extends @Nullable Object> T call(Supplier<? extends T> job)
      throws InterruptedException {
    return call(Cost.ONE, job::get);
  }

  /** As {@link #call(Job)}, for a job without a result. */
  public <X extends Exception> void run(Task<X> task) throws X, InterruptedException {
    run(Cost.ONE, task);
  }

  /** As {@link #run(Task)}, at another plain cost. */
  public <X extends Exception> void run(long cost, Task<X> task) throws X, InterruptedException {
    run(Cost.of(cost), task);
  }

  /**
   * As {@link #run(Task)}, waiting no longer than {@code maxWait}.
   *
   * @throws WaitTooLongException if the wait would be longer: at once if that is known
   */
  public <X extends Exception> void run(Duration maxWait, Task<X> task)
      throws X, InterruptedException {
    call(Cost.ONE, maxWait, job(task));
  }

  /** As {@link #run(Task)}, at another cost. */
  public <X extends Exception> void run(Cost cost, Task<X> task) throws X, InterruptedException {
    call(cost, job(task));
  }

  private static <X extends Exception> Job<Cost, X> job(Task<X> task) {
    requireNonNull(task);
    return () -> {
      task.perform();
      return Cost.ONE;
    };
  }

  /**
   * As {@link #run(Task)}, for a job that is a runnable. At another cost it is {@code run(cost,
   * runnable::run)}.
   */
  public void run(Runnable job) throws InterruptedException {
    run(Cost.ONE, job::run);
  }

  /** Returns {@code job} as it is {@linkplain #call(Callable) called} by this limiter. */
  @CheckReturnValue
  public <T extends @Nullable Object> Callable<T> decorateCallable(Callable<? extends T> job) {
    requireNonNull(job);
    return () -> call(job);
  }

  /**
   * Returns {@code job} as it is {@linkplain #call(Supplier) called} by this limiter. A thread that
   * is interrupted while it waits gets a {@link java.util.concurrent.CompletionException} whose
   * cause is the {@link InterruptedException}, and remains interrupted.
   */
  @CheckReturnValue
  public <T extends @Nullable Object> Supplier<T> decorateSupplier(Supplier<? extends T> job) {
    requireNonNull(job);
    Job<T, InterruptedException> paced = () -> call(job);
    return paced;
  }

  /**
   * Returns {@code job} as it is {@linkplain #run(Runnable) run} by this limiter; of interrupts see
   * {@link #decorateSupplier}.
   */
  @CheckReturnValue
  public Runnable decorateRunnable(Runnable job) {
    requireNonNull(job);
    Task<InterruptedException> paced = () -> run(job);
    return paced;
  }

  /**
   * Returns {@code job} with a permit of this limiter for each time that it is applied; of
   * interrupts see {@link #decorateSupplier}.
   */
  @CheckReturnValue
  public <A extends @Nullable Object, T extends @Nullable Object> Function<A, T> decorateFunction(
      Function<? super A, ? extends T> job) {
    requireNonNull(job);
    return argument -> this.<T>decorateSupplier(() -> job.apply(argument)).get();
  }

  /**
   * Does an asynchronous job as soon as there is a permit of cost 1. The permit ends when the job's
   * stage does, as the outcome says.
   *
   * <p>The job is started by the caller if there is a permit at once, otherwise on the limiter's
   * executor. Cancelling the future returned gives up the place in line, or cancels the job's
   * stage.
   *
   * @return what becomes of the job; fails with a {@link RefusedException} if no permit can be had
   */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Supplier<? extends CompletionStage<T>> job) {
    return callAsync(Cost.ONE, job);
  }

  /** As {@link #callAsync(Supplier)}, at another plain cost. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      long cost, Supplier<? extends CompletionStage<T>> job) {
    return callAsync(Cost.of(cost), job);
  }

  /** As {@link #callAsync(Supplier)}, at another cost. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Cost cost, Supplier<? extends CompletionStage<T>> job) {
    requireNonNull(job);
    return AsyncCall.start(acquireAsync(cost), job);
  }

  /** As {@link #callAsync(Supplier)}, waiting no longer than {@code maxWait}. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Duration maxWait, Supplier<? extends CompletionStage<T>> job) {
    return callAsync(Cost.ONE, maxWait, job);
  }

  /**
   * As {@link #callAsync(Supplier)}, at another cost and waiting no longer than {@code maxWait}.
   */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Cost cost, Duration maxWait, Supplier<? extends CompletionStage<T>> job) {
    requireNonNull(job);
    return AsyncCall.start(acquireAsync(cost, maxWait), job);
  }

  static <T extends @Nullable Object, X extends Exception> T run(Permit permit, Job<T, X> job)
      throws X {
    T result;
    try {
      result = job.call();
    } catch (Throwable failure) {
      permit.failed(failure);
      throw failure;
    }
    JobResult.end(permit, result);
    return result;
  }

  // ---- permit first

  /**
   * Waits for a permit of cost 1.
   *
   * @return the permit, to be ended: see {@link Permit}
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if called by a callback of this limiter's own futures that would
   *     have to wait for itself
   */
  public Permit acquire() throws InterruptedException {
    return engine.acquire(seat, Cost.ONE, Clock.FOREVER);
  }

  /** As {@link #acquire()}, at another plain cost. */
  public Permit acquire(long cost) throws InterruptedException {
    return engine.acquire(seat, Cost.of(cost), Clock.FOREVER);
  }

  /** As {@link #acquire()}, at another cost. */
  public Permit acquire(Cost cost) throws InterruptedException {
    return engine.acquire(seat, engine.check(cost), Clock.FOREVER);
  }

  /**
   * As {@link #acquire()}, waiting on when interrupted: the thread is then still interrupted when
   * it returns, and has kept its place in the queue.
   *
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if called by a callback of this limiter's own futures that would
   *     have to wait for itself
   */
  public Permit acquireUninterruptibly() {
    return acquireUninterruptibly(Cost.ONE);
  }

  /** As {@link #acquireUninterruptibly()}, at another plain cost. */
  public Permit acquireUninterruptibly(long cost) {
    return acquireUninterruptibly(Cost.of(cost));
  }

  /** As {@link #acquireUninterruptibly()}, at another cost. */
  public Permit acquireUninterruptibly(Cost cost) {
    return engine.acquireUninterruptibly(seat, engine.check(cost));
  }

  /**
   * Returns a permit of cost 1 if there is one now and nobody is waiting for it.
   *
   * @throws CostTooLargeException if the limit can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire() {
    return optional(engine.tryNow(seat, Cost.ONE, Asking.TRY));
  }

  /** As {@link #tryAcquire()}, at another plain cost. */
  public Optional<Permit> tryAcquire(long cost) {
    return optional(engine.tryNow(seat, Cost.of(cost), Asking.TRY));
  }

  /** As {@link #tryAcquire()}, at another cost. */
  public Optional<Permit> tryAcquire(Cost cost) {
    return optional(engine.tryNow(seat, engine.check(cost), Asking.TRY));
  }

  /**
   * Returns a permit of the largest plain cost from 1 to {@code max} that may go now, or none: as
   * {@link #tryAcquire(long)} at that cost. It is for batches: {@link Permit#cost} says how much
   * may be taken from a queue and sent as one request.
   *
   * @throws IllegalArgumentException if {@code max} is less than 1
   * @throws CostTooLargeException if the limit can never let a cost of 1 through
   * @throws LimiterClosedException if the limiter is closed
   */
  @CheckReturnValue
  public Optional<Permit> tryAcquireUpTo(long max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1: " + max);
    }
    return Optional.ofNullable(engine.tryUpTo(seat, max));
  }

  /**
   * Returns a permit if there is one now and nobody is waiting for it, or null. It is for whoever
   * comes again or stands in line if there is none, as queues and stream operators do: unlike with
   * {@link #tryAcquire(Cost)}, nothing is refused, so no refusal is counted and no listener told.
   *
   * @throws CostTooLargeException if the limit can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public @Nullable Permit poll(Cost cost) {
    return engine.tryNow(seat, engine.check(cost), Asking.POLL);
  }

  /** As {@link #tryAcquire(Cost, Duration)}, at cost 1. */
  public Optional<Permit> tryAcquire(Duration maxWait) throws InterruptedException {
    return tryAcquire(Cost.ONE, maxWait);
  }

  /**
   * Waits for a permit for up to {@code maxWait}. If it is known that the wait would be longer, or
   * as many wait as may wait, the answer comes at once.
   *
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws CostTooLargeException if the limit can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire(Cost cost, Duration maxWait) throws InterruptedException {
    return Optional.ofNullable(engine.tryAcquire(seat, engine.check(cost), nanos(maxWait)));
  }

  /** As {@link #tryAcquire(Cost, Duration)}, at a plain cost. */
  public Optional<Permit> tryAcquire(long cost, Duration maxWait) throws InterruptedException {
    return tryAcquire(Cost.of(cost), maxWait);
  }

  /** Returns a permit of cost 1 to come: see {@link #acquireAsync(Cost)}. */
  public CompletableFuture<Permit> acquireAsync() {
    return acquireAsync(Cost.ONE);
  }

  /** Returns a permit to come, at a plain cost: see {@link #acquireAsync(Cost)}. */
  public CompletableFuture<Permit> acquireAsync(long cost) {
    return acquireAsync(Cost.of(cost));
  }

  /**
   * Returns a permit to come. It stands in the same line as threads do. Cancelling the future, or
   * completing it in any other way, gives up the place; if the permit has been granted by then,
   * {@code cancel} returns false.
   *
   * @return the permit, or a {@link RefusedException}; what depends on it runs on the limiter's
   *     executor, or with the caller if the permit is there at once
   */
  public CompletableFuture<Permit> acquireAsync(Cost cost) {
    return engine.acquireAsync(seat, engine.check(cost), Clock.FOREVER);
  }

  /** As {@link #acquireAsync(Cost, Duration)}, at cost 1. */
  public CompletableFuture<Permit> acquireAsync(Duration maxWait) {
    return acquireAsync(Cost.ONE, maxWait);
  }

  /**
   * As {@link #acquireAsync(Cost)}; fails with {@link WaitTooLongException} after {@code maxWait}.
   */
  public CompletableFuture<Permit> acquireAsync(Cost cost, Duration maxWait) {
    return engine.acquireAsync(seat, engine.check(cost), nanos(maxWait));
  }

  /** As {@link #acquireAsync(Cost, Duration)}, at a plain cost. */
  public CompletableFuture<Permit> acquireAsync(long cost, Duration maxWait) {
    return acquireAsync(Cost.of(cost), maxWait);
  }

  /**
   * Runs {@code action} with a permit on a thread of {@code executor} that takes the permit itself.
   * So the action begins when the permit says, however long tasks queue in the executor; this is
   * how to run tasks no faster than the limit. The caller never takes the permit, not even if there
   * is one at once, and runs the action only if {@code executor} makes it do so.
   *
   * <p>It stands in line for at least as long as the thread takes to come, so a limiter that lets
   * nobody wait refuses it. Where that is more than a millisecond from when it is called, others
   * may go before it. The action ends the permit. If it throws, the permit ends as {@link
   * Permit#failed} says. Where {@code executor} refuses its task, another thread is found.
   *
   * @return the place in line: cancelling it gives it up, and has no effect once there is a permit.
   *     It completes after the action, with the permit or with what the action threw, and fails
   *     with a {@link RefusedException} if no permit can be had
   */
  public CompletableFuture<Permit> acquireAsync(
      Cost cost, Executor executor, Consumer<? super Permit> action) {
    return engine.acquireAsync(
        seat, engine.check(cost), requireNonNull(executor), requireNonNull(action));
  }

  // ---- steering

  /**
   * Puts another limit in force; the limit that is in force already changes nothing. What was let
   * through counts, however many changes come in between and of whatever kind; open permits move
   * along, and waiters are rescheduled immediately; there is no free burst. Only debt, where costs
   * are paid later, gets no cheaper.
   *
   * <p><b>Promise.</b> Of the length of a window (or a spacing) that let through anything counted
   * in it, no interval across any number of changes holds more than the largest of what the limits
   * promise for that length that were in force in between. Between buckets that is true of every
   * length. Only the sum of the promises holds for lengths between two windows, for a change to a
   * longer limit when the last change is longer ago than any limit since the first reaches back,
   * and for a key that had been dropped in between. What is open under limits that need no ends is
   * unknown to a {@code concurrent} after them.
   */
  public void setLimit(Limit limit) {
    steered.setLimit(requireNonNull(limit));
  }

  /** As {@link #setLimit(Limit)}, given as text. */
  public void setLimit(String limit) {
    setLimit(Limits.parse(limit));
  }

  /** Lets nobody through until {@link #resume}. */
  public void pause() {
    steered.pauseFor(Clock.FOREVER);
  }

  /** Lets nobody through for {@code span}, unless paused for longer already. */
  public void pauseFor(Duration span) {
    steered.pauseFor(nanos(span));
  }

  /**
   * Notes that the peer has refused a request that was let through: it is counted and reported, and
   * nobody is let through for {@code pause}, unless paused for longer already.
   */
  public void peerRefused(Duration pause) {
    engine.peerRefused(seat, nanos(pause));
  }

  /**
   * Notes what the peer said of a limit of plain costs when it answered the request of {@code
   * permit}. If it has less left than this limiter thinks, others have taken it: no more than the
   * peer has left goes from now on, less what was let through after that request. What they took is
   * charged as if it had been let through and answered now, so it is given back as the limit's own
   * interval passes. Answers in any order never raise what is left.
   *
   * <p>It must be known what was let through since, and what the quota speaks of: it has no effect
   * if the limit needs no ends of permits (as {@code starts(10/1m)}), if the permit is another
   * limiter's, or if the limit has several terms of plain costs and neither the quota's window nor,
   * without one, its limit is that of just one of them. Named costs are left alone, as what was let
   * through since is often not settled yet; so is {@code concurrent}, as no answer says when others
   * end.
   *
   * @return how much others have taken that was not known before
   */
  public long peerCounted(Permit permit, Quota quota) {
    requireNonNull(quota);
    return engine.peerCounted(permit, quota);
  }

  /**
   * Notes what time it was by the peer's clock, to the second, as it answered the request of {@code
   * permit}: for limits that follow the calendar, {@code aligned(1200/1m)}. Said as soon as the
   * answer has begun to come in, it tells most; whatever it says is believed only if several agree.
   */
  public void peerDated(Permit permit, Instant date) {
    requireNonNull(date);
    engine.peerDated(permit, date);
  }

  /** Ends any pause. */
  public void resume() {
    steered.resume();
  }

  /**
   * Turns on or off that everything is let through at once and it is only recorded what the limit
   * would have done: see {@link Snapshot#wouldHaveWaited} and {@link Snapshot#waits}. Each request is
   * judged against what really went before it.
   */
  public void dryRun(boolean on) {
    steered.dryRun(on);
  }

  /**
   * Returns a lower bound of how long a request of plain cost {@code cost} would wait if it came
   * now, under the present limit: exact for limits of time alone while every request costs 1;
   * otherwise whatever is open counts as ending now. If somebody ahead leaves, or what is open
   * turns out unused, the wait may be less.
   *
   * @throws CostTooLargeException if the limit can never let it through
   */
  public Duration estimateWait(long cost) {
    return estimateWait(Cost.of(cost));
  }

  /** As {@link #estimateWait(long)}, for any cost. */
  public Duration estimateWait(Cost cost) {
    long nanos = engine.estimateWait(seat, engine.check(cost));
    if (nanos == Meter.NEVER) {
      throw new CostTooLargeException(name(), cost);
    }
    return Duration.ofNanos(nanos);
  }

  /** Returns the limiter's name: the text of its first limit unless it was given one. */
  public String name() {
    return steered.name();
  }

  /** Returns the limit in force. */
  public Limit limit() {
    return steered.limit();
  }

  /** Returns the state of this moment. */
  public Snapshot snapshot() {
    return steered.snapshot();
  }

  /**
   * Turns everybody away: those who wait, and whoever comes, with {@link LimiterClosedException}.
   * Permits that are open may still be ended. A state file is left to others.
   */
  @Override
  public void close() {
    steered.close();
  }

  /** Returns the name and the limit. */
  @Override
  public String toString() {
    return "Limiter[" + name() + ": " + limit() + "]";
  }

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private static final Optional<Permit> SHARED = Optional.of(PlainPermit.SHARED);

  static Optional<Permit> optional(@Nullable Permit permit) {
    return permit == PlainPermit.SHARED ? SHARED : Optional.ofNullable(permit);
  }

  static long nanos(Duration span) {
    if (span.isNegative()) {
      return 0;
    }
    return span.compareTo(LONGEST) < 0 ? span.toNanos() : Clock.FOREVER;
  }

  /** The options of a limiter; all have a default. */
  public static final class Builder {

    private Limit limit;
    private Time time = Time.system();
    private @Nullable Executor executor;
    private int maxWaiting = Integer.MAX_VALUE;
    private long spinNanos;
    private boolean stamped;
    private long lateNanos = Clock.FOREVER;
    private Function<? super Throwable, Outcome> classifier = FailureClassifier.standard();
    private @Nullable LimiterListener listener;
    private @Nullable Path state;
    private @Nullable BootClock machine;
    private final Map<String, Share> lanes = new LinkedHashMap<>();
    private @Nullable String name;

    private Builder(Limit limit) {
      this.limit = requireNonNull(limit);
    }

    Builder limit(Limit limit) {
      this.limit = limit;
      return this;
    }

    /** Names the limiter in messages and snapshots; its limit unless given. */
    public Builder name(String name) {
      this.name = requireNonNull(name);
      return this;
    }

    /** Sets the clock and the timer; {@link Time#system()} unless given. */
    public Builder time(Time time) {
      this.time = requireNonNull(time);
      return this;
    }

    /**
     * Sets where futures are completed and asynchronous jobs are started; {@link
     * CompletableFuture}'s own default unless given. {@code Runnable::run} is for callbacks that
     * never block.
     */
    public Builder executor(Executor executor) {
      this.executor = requireNonNull(executor);
      return this;
    }

    /**
     * Bounds how many may wait; further callers are refused with {@link WaitQueueFullException}.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public Builder maxWaiting(int max) {
      if (max < 0) {
        throw new IllegalArgumentException("maxWaiting must not be negative: " + max);
      }
      this.maxWaiting = max;
      return this;
    }

    /**
     * Has the last {@code span} of the wait of the first in line spent spinning: it goes on within
     * microseconds instead of some 70, at the price of that much CPU time per wait. A thread that
     * waits spins itself; for a future, a thread of the executor that completes it does. Virtual
     * threads never spin. Off unless given; 100 microseconds suffice for threads, 200 for futures.
     *
     * @throws IllegalArgumentException if {@code span} is negative or longer than 10 ms
     */
    public Builder spin(Duration span) {
      if (span.isNegative() || span.compareTo(Duration.ofMillis(10)) > 0) {
        throw new IllegalArgumentException("spin must be from 0 to 10 ms: " + span);
      }
      this.spinNanos = span.toNanos();
      return this;
    }

    /** Makes every permit know the instant of its release, at the price of an object each. */
    public Builder stamped(boolean stamped) {
      this.stamped = stamped;
      return this;
    }

    /**
     * Has requests charged again that are sent later than {@code bound} after their release, as
     * {@link Permit#sending} tells: by a process that stood still in between. Every permit then
     * knows the instant of its release, at the price of an object each. Off unless given.
     *
     * @throws IllegalArgumentException if {@code bound} is negative
     */
    public Builder late(Duration bound) {
      if (bound.isNegative()) {
        throw new IllegalArgumentException("late must not be negative: " + bound);
      }
      this.lateNanos = nanos(bound);
      return this;
    }

    /**
     * Keeps what is released in {@code file}, so that the next process goes on where this one
     * stops, even if it is killed: what the limit promises holds for both together. The file is
     * made if there is none; one that cannot be used is an error, never a fresh start.
     *
     * <p><b>Time</b> in between is that of the monotonic clock, as long as the machine is not
     * restarted (which only Linux tells); no change of the wall clock matters. After a restart it
     * is that of the wall clock, which must not have been set forward in between; one that was set
     * back counts as no time. If the limiter was not closed before the restart, or anything in the
     * file is wrong, all that the limit gives counts as released now. A time of one's own must go
     * on from process to process as the machine's does; only if it has gone back is that noticed,
     * and treated as a restart.
     *
     * <p><b>What is kept</b> is what the limit counts: each release on its own as long as the last
     * 8192 reach back as far as the limit does, beyond that to 1/8192 of how far the limit reaches.
     * A permit that is open when its process ends is lost. If the next process has another limit,
     * it takes over as {@link Limiter#setLimit} does. Not kept: what keys and reserved shares of
     * lanes used, what a peer said, pauses.
     *
     * <p>The file is in use until the limiter is closed, by one limiter only. On its own it is no
     * means to share a limit.
     */
    public Builder state(Path file) {
      this.state = requireNonNull(file);
      return this;
    }

    /** Sets what tells the time between processes, for tests. */
    Builder machine(BootClock machine) {
      this.machine = machine;
      return this;
    }

    /**
     * Sets how a permit ends whose job failed; {@link FailureClassifier#standard} unless given. A
     * program whose jobs throw exceptions of its own for answers names them: {@code
     * FailureClassifier.standard().answered(OrderRejected.class)}. A classifier that throws, or
     * returns null, makes the permit {@link Outcome#LOST}.
     */
    public Builder classifier(Function<? super Throwable, Outcome> classifier) {
      this.classifier = requireNonNull(classifier);
      return this;
    }

    /** Sets who is told what the limiter does. */
    public Builder listener(LimiterListener listener) {
      this.listener = requireNonNull(listener);
      return this;
    }

    /**
     * Adds a lane, in which calls of {@link Limiter#lane(String)} wait. Within a lane all go in the
     * order in which they came; {@link Share} says how lanes stand beside each other. Calls that
     * name no lane stand in the lane {@code "default"}, of weight 1 unless it is given here.
     */
    public Builder lane(String name, Share share) {
      lanes.put(requireNonNull(name), requireNonNull(share));
      return this;
    }

    /**
     * Returns the limiter.
     *
     * @throws StateFileException if its state file cannot be used
     * @throws IllegalArgumentException if lanes, or a state file, do not go with its limit
     */
    @CheckReturnValue
    public Limiter build() {
      var engine = new Engine(options());
      return new Limiter(engine, engine.lane(Options.DEFAULT_LANE), engine);
    }

    private Options options() {
      var all = new LinkedHashMap<>(lanes);
      all.putIfAbsent(Options.DEFAULT_LANE, Share.weight(1));
      return new Options(
          name == null ? limit.toString() : name,
          limit,
          time,
          executor,
          maxWaiting,
          spinNanos,
          stamped,
          lateNanos,
          classifier,
          listener,
          state,
          machine,
          all);
    }
  }
}
