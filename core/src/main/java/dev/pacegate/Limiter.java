package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.context.ContextPropagator;
import dev.pacegate.engine.AcquireMode;
import dev.pacegate.engine.Engine;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.LimiterControl;
import dev.pacegate.engine.Options;
import dev.pacegate.engine.PlainPermit;
import dev.pacegate.engine.Seat;
import dev.pacegate.engine.feedback.PeerReport;
import dev.pacegate.engine.keys.KeyGroups;
import dev.pacegate.engine.keys.KeyLanes;
import dev.pacegate.engine.keys.KeySeat;
import dev.pacegate.engine.source.WholeFeed;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.result.AsyncCall;
import dev.pacegate.result.HeldPermits;
import dev.pacegate.result.JobResult;
import dev.pacegate.state.BootClock;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
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
 * Optional<Permit> permit = api.tryAcquire();           // returns immediately
 * CompletableFuture<Permit> later = api.acquireAsync(); // no thread waits
 * }</pre>
 *
 * <p><b>Order.</b> All waiters of a lane, threads and futures alike, are in one queue and go first
 * in, first out; there is one lane unless more are {@linkplain Builder#lane added}. Within a lane
 * no caller overtakes a waiter, not even by {@code tryAcquire}, with one exception: a request whose
 * {@linkplain #acquireAsync(Cost, Executor, Consumer) own executor} is late does not hold up
 * others. A large request in front holds up small ones behind it.
 *
 * <p><b>Cost.</b> A request is charged when it is released. A waiter that is interrupted, cancelled
 * or timed out leaves the queue and has cost nothing. A changed limit, a pause and the end of a
 * permit reschedule all waiters immediately. Every verb that takes a plain cost above 1 throws
 * {@link IllegalArgumentException} at the call if no limit {@linkplain #requireCounted counts} it.
 *
 * <p><b>Release.</b> A permit is stamped with the clock read by the thread that goes on: the
 * waiting thread, or the one that completes the future.
 *
 * <p>A negative duration counts as zero; no duration is too long. Thread-safe. A waiting thread,
 * platform or virtual, is parked and holds no lock.
 */
public final class Limiter implements AutoCloseable {

  private final Engine engine;
  private final Seat seat;
  private final LimiterControl control;
  private final @Nullable ContextPropagator context; // the default if null

  private Limiter(
      Engine engine, Seat seat, LimiterControl control, @Nullable ContextPropagator context) {
    this.engine = engine;
    this.seat = seat;
    this.control = control;
    this.context = context;
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
   * Returns a view of this limiter whose calls wait in the lane of that name. All else is shared:
   * closing one closes the other.
   *
   * @throws IllegalArgumentException if there is no such lane; the message lists the lanes there
   *     are
   * @throws UnsupportedOperationException if this is the limiter of a key
   */
  @CheckReturnValue
  public Limiter lane(String name) {
    return new Limiter(engine, control.lane(requireNonNull(name)), control, context);
  }

  /**
   * Returns a lane for each key, each of which keeps {@code perKey} besides this limiter's limit.
   *
   * @throws IllegalArgumentException if this is itself the limiter of a key
   */
  <K> KeyLanes<K> keys(
      Limit perKey, int maxKeys, int maxWaitingPerKey, @Nullable MeterSource source) {
    if (!(seat instanceof Lane sibling)) {
      throw new IllegalArgumentException(
          "within takes a limiter that is not itself the limiter of a key: "
              + this
              + "; for keys within keys, write within(keyed, key -> group)");
    }
    engine.costs.know(perKey);
    return new KeyLanes<>(
        engine, sibling, perKey, maxKeys, maxWaitingPerKey, source, KeyGroups.none());
  }

  /**
   * Returns a limiter whose calls wait in the lane of a key, and which pauses and changes that key.
   */
  Limiter ofKey(KeySeat<?> key) {
    return new Limiter(engine, key, key, context);
  }

  // ---- job first

  /**
   * Waits for a permit of cost 1, runs {@code job}, and ends the permit as {@link
   * FailureClassifier} classifies the outcome. If the job returns a {@link CompletionStage}, this
   * returns it at once and the permit ends when the stage does, as for {@link
   * #callAsync(Supplier)}.
   *
   * @throws InterruptedException if interrupted while waiting; nothing has been charged
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if the job returns any other {@link java.util.concurrent.Future},
   *     or a publisher of {@link java.util.concurrent.Flow} or of Reactive Streams: its request may
   *     still be under way, so the permit is lost. The message names the method to use. Also if the
   *     thread would wait for itself: see {@link #acquire()}
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
   * As {@link #call(Job)}, waiting at most {@code maxWait}.
   *
   * @throws WaitTooLongException if the wait would be longer: at once if that is known
   */
  public <T extends @Nullable Object, X extends Exception> T call(Duration maxWait, Job<T, X> job)
      throws X, InterruptedException {
    return call(Cost.ONE, maxWait, job);
  }

  /**
   * As {@link #call(Job)}, at another cost and waiting at most {@code maxWait}.
   *
   * @throws WaitTooLongException if the wait would be longer: at once if that is known
   */
  public <T extends @Nullable Object, X extends Exception> T call(
      Cost cost, Duration maxWait, Job<T, X> job) throws X, InterruptedException {
    requireNonNull(job);
    return run(engine.acquire(seat, engine.costs.check(seat, cost), nanos(maxWait)), job);
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
   * As {@link #run(Task)}, waiting at most {@code maxWait}.
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

  /** Returns a callable that {@linkplain #call(Callable) calls} {@code job} with a permit. */
  @CheckReturnValue
  public <T extends @Nullable Object> Callable<T> decorateCallable(Callable<? extends T> job) {
    requireNonNull(job);
    return () -> call(job);
  }

  /**
   * Returns a supplier that {@linkplain #call(Supplier) calls} {@code job} with a permit. A thread
   * that is interrupted while it waits gets a {@link java.util.concurrent.CompletionException}
   * whose cause is the {@link InterruptedException}, and stays interrupted.
   */
  @CheckReturnValue
  public <T extends @Nullable Object> Supplier<T> decorateSupplier(Supplier<? extends T> job) {
    requireNonNull(job);
    Job<T, InterruptedException> paced = () -> call(job);
    return paced;
  }

  /**
   * Returns a runnable that {@linkplain #run(Runnable) runs} {@code job} with a permit. Interrupts
   * are reported as by {@link #decorateSupplier}.
   */
  @CheckReturnValue
  public Runnable decorateRunnable(Runnable job) {
    requireNonNull(job);
    Task<InterruptedException> paced = () -> run(job);
    return paced;
  }

  /**
   * Returns a function that applies {@code job} with a permit each time. Interrupts are reported as
   * by {@link #decorateSupplier}.
   */
  @CheckReturnValue
  public <A extends @Nullable Object, T extends @Nullable Object> Function<A, T> decorateFunction(
      Function<? super A, ? extends T> job) {
    requireNonNull(job);
    return argument -> this.<T>decorateSupplier(() -> job.apply(argument)).get();
  }

  /**
   * Runs an asynchronous job as soon as there is a permit of cost 1. The permit ends when the job's
   * stage does, as the outcome is classified.
   *
   * <p>The job starts on the calling thread if there is a permit at once, otherwise on the
   * limiter's executor, with the {@linkplain Builder#context context} of the caller. Cancelling the
   * future returned leaves the queue, or cancels the job's stage.
   *
   * @return the job's result; fails with a {@link RefusedException} if no permit can be had. If the
   *     job's stage throws instead of taking a callback, it fails with that, and the permit is lost
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
    return start(acquireAsync(cost), job);
  }

  /** As {@link #callAsync(Supplier)}, waiting at most {@code maxWait}. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Duration maxWait, Supplier<? extends CompletionStage<T>> job) {
    return callAsync(Cost.ONE, maxWait, job);
  }

  /** As {@link #callAsync(Supplier)}, at another cost and waiting at most {@code maxWait}. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Cost cost, Duration maxWait, Supplier<? extends CompletionStage<T>> job) {
    requireNonNull(job);
    return start(acquireAsync(cost, maxWait), job);
  }

  private <T extends @Nullable Object> CompletableFuture<T> start(
      CompletableFuture<Permit> place, Supplier<? extends CompletionStage<T>> job) {
    // The first look for the default takes long: most programs never need it.
    ContextPropagator carrier = place.isDone() ? ContextPropagator.none() : context();
    return AsyncCall.start(place, carrier, job);
  }

  static <T extends @Nullable Object, X extends Exception> T run(Permit permit, Job<T, X> job)
      throws X {
    T result;
    try {
      // To ask it of its class is faster than to find that it need not be held.
      result = permit instanceof PlainPermit ? job.call() : HeldPermits.call(permit, job);
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
   * @return the permit, which the caller must end: see {@link Permit}
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if the thread would wait for itself: if a callback of this
   *     limiter's own futures calls it and would have to wait, or a job of {@code call}, {@code
   *     run}, {@code callAsync}, an executor or a throttler, whose own permit leaves too little of
   *     the limit until the job has returned. Only what is certain is told, and only of a wait
   *     without a bound
   */
  public Permit acquire() throws InterruptedException {
    return engine.acquire(seat, Cost.ONE, Clock.FOREVER);
  }

  /**
   * As {@link #acquire()}, at another plain cost.
   *
   * @throws IllegalArgumentException if {@code cost} is negative, or above 1 and no limit
   *     {@linkplain #requireCounted counts} it
   * @throws CostTooLargeException if the limit can never let the cost through
   */
  public Permit acquire(long cost) throws InterruptedException {
    return engine.acquire(seat, engine.costs.check(seat, Cost.of(cost)), Clock.FOREVER);
  }

  /**
   * As {@link #acquire()}, at another cost.
   *
   * @throws IllegalArgumentException if {@code cost} is not the cost of one call, or no limit
   *     {@linkplain #requireCounted counts} its plain amount
   * @throws CostTooLargeException if the limit can never let the cost through
   */
  public Permit acquire(Cost cost) throws InterruptedException {
    return engine.acquire(seat, engine.costs.check(seat, cost), Clock.FOREVER);
  }

  /**
   * As {@link #acquire()}, but goes on waiting when interrupted. The thread keeps its place in the
   * queue and is still interrupted when the method returns.
   *
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if the thread would wait for itself: see {@link #acquire()}
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
    return engine.acquireUninterruptibly(seat, engine.costs.check(seat, cost));
  }

  /**
   * Returns a permit of cost 1 if one is available now and no caller is waiting for it; empty
   * otherwise. Never waits.
   *
   * @throws CostTooLargeException if the limit can never let the cost through; also if it lets it
   *     through only after a wait in the queue, as a bucket does with more than its burst
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire() {
    return optional(engine.tryNow(seat, Cost.ONE, AcquireMode.TRY));
  }

  /** As {@link #tryAcquire()}, at another plain cost. */
  public Optional<Permit> tryAcquire(long cost) {
    return optional(engine.tryNow(seat, engine.costs.check(seat, Cost.of(cost)), AcquireMode.TRY));
  }

  /** As {@link #tryAcquire()}, at another cost. */
  public Optional<Permit> tryAcquire(Cost cost) {
    return optional(engine.tryNow(seat, engine.costs.check(seat, cost), AcquireMode.TRY));
  }

  /**
   * Returns a permit of the largest plain cost from 1 to {@code max} that may go now, as {@link
   * #tryAcquire(long)} does at that cost; empty if there is none. For batches: {@link Permit#cost}
   * says how many items to take from a queue and send as one request.
   *
   * @throws IllegalArgumentException if {@code max} is less than 1, or above 1 and no limit
   *     {@linkplain #requireCounted counts} it
   * @throws CostTooLargeException if the limit can never let a cost of 1 through
   * @throws LimiterClosedException if the limiter is closed
   */
  @CheckReturnValue
  public Optional<Permit> tryAcquireUpTo(long max) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1: " + max);
    }
    engine.costs.check(seat, Cost.of(max));
    return Optional.ofNullable(engine.tryUpTo(seat, max));
  }

  /**
   * Returns a permit if one is available now and no caller is waiting for it; null otherwise. For
   * callers that will ask again or queue, such as stream operators: unlike {@link
   * #tryAcquire(Cost)}, this refuses nothing, so no refusal is counted or reported to a listener.
   *
   * @throws CostTooLargeException if the limit can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public @Nullable Permit poll(Cost cost) {
    return engine.tryNow(seat, engine.costs.check(seat, cost), AcquireMode.POLL);
  }

  /** As {@link #tryAcquire(Cost, Duration)}, at cost 1. */
  public Optional<Permit> tryAcquire(Duration maxWait) throws InterruptedException {
    return tryAcquire(Cost.ONE, maxWait);
  }

  /**
   * Waits at most {@code maxWait} for a permit. Returns empty at once if the wait is known to be
   * longer, or if the wait queue is full.
   *
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws CostTooLargeException if the limit can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire(Cost cost, Duration maxWait) throws InterruptedException {
    return Optional.ofNullable(
        engine.tryAcquire(seat, engine.costs.check(seat, cost), nanos(maxWait)));
  }

  /** As {@link #tryAcquire(Cost, Duration)}, at a plain cost. */
  public Optional<Permit> tryAcquire(long cost, Duration maxWait) throws InterruptedException {
    return tryAcquire(Cost.of(cost), maxWait);
  }

  /** Returns a future permit of cost 1: see {@link #acquireAsync(Cost)}. */
  public CompletableFuture<Permit> acquireAsync() {
    return acquireAsync(Cost.ONE);
  }

  /** Returns a future permit of a plain cost: see {@link #acquireAsync(Cost)}. */
  public CompletableFuture<Permit> acquireAsync(long cost) {
    return acquireAsync(Cost.of(cost));
  }

  /**
   * Returns a future permit, which waits in the same queue as threads do. Cancelling the future, or
   * completing it in any other way, leaves the queue; once the permit is granted, {@code cancel}
   * returns false.
   *
   * @return the permit, or a {@link RefusedException}. Dependent stages run on the limiter's
   *     executor, or on the calling thread if the permit is there at once
   */
  public CompletableFuture<Permit> acquireAsync(Cost cost) {
    return engine.acquireAsync(seat, engine.costs.check(seat, cost), Clock.FOREVER);
  }

  /** As {@link #acquireAsync(Cost, Duration)}, at cost 1. */
  public CompletableFuture<Permit> acquireAsync(Duration maxWait) {
    return acquireAsync(Cost.ONE, maxWait);
  }

  /**
   * As {@link #acquireAsync(Cost)}; fails with {@link WaitTooLongException} after {@code maxWait}.
   */
  public CompletableFuture<Permit> acquireAsync(Cost cost, Duration maxWait) {
    return engine.acquireAsync(seat, engine.costs.check(seat, cost), nanos(maxWait));
  }

  /** As {@link #acquireAsync(Cost, Duration)}, at a plain cost. */
  public CompletableFuture<Permit> acquireAsync(long cost, Duration maxWait) {
    return acquireAsync(Cost.of(cost), maxWait);
  }

  /**
   * As {@link #acquireAsync(Cost, Duration)}, for code that goes on elsewhere, as a coroutine or an
   * event loop does. {@code resume} gets the permit or the refusal and only schedules what goes on.
   * So any thread may call it: this one, if the permit is there at once; one that ends another
   * permit, which saves the time in which a thread wakes up; one that cancels the future. The
   * thread of the system's timer does not. {@code resume} must not block, and not run what has
   * waited.
   *
   * <p>If it throws, the permit ends as {@linkplain Permit#failed failed}, and the exception is
   * logged. Those that wait are resumed in the order in which they get their permits, except after
   * an error or a stall of a thread.
   *
   * @return the future, whose cancellation leaves the queue; {@code resume} then gets the {@link
   *     java.util.concurrent.CancellationException}
   */
  public CompletableFuture<Permit> acquireAsync(
      Cost cost,
      Duration maxWait,
      BiConsumer<? super @Nullable Permit, ? super @Nullable Throwable> resume) {
    requireNonNull(resume);
    return engine.acquireAsync(seat, engine.costs.check(seat, cost), nanos(maxWait), resume);
  }

  /**
   * Runs {@code action} with a permit on a thread of {@code executor}, which takes the permit
   * itself. So the action begins at the instant of release, however long tasks queue in the
   * executor: use this to run tasks no faster than the limit. The calling thread never takes the
   * permit, and runs the action only if {@code executor} runs its tasks on the caller. When time
   * lets the request go, the timer's thread calls {@code executor}: give one that does not block
   * it, nor run tasks on it, or all limiters wait for that.
   *
   * <p>The request waits in the queue at least until the executor's thread has come, so a limiter
   * with {@code maxWaiting(0)} refuses it. If that thread comes more than a millisecond after the
   * permit is due, other requests may go first. The action ends the permit; if it throws, the
   * permit ends as {@link Permit#failed} says. If {@code executor} rejects its task, the limiter
   * uses another thread.
   *
   * @return a future that stands for the place in the queue: cancelling it leaves the queue, and
   *     has no effect once the permit is granted. It completes after the action, with the permit or
   *     with the action's exception, and fails with a {@link RefusedException} if no permit can be
   *     had
   */
  public CompletableFuture<Permit> acquireAsync(
      Cost cost, Executor executor, Consumer<? super Permit> action) {
    return engine.acquireAsync(
        seat, engine.costs.check(seat, cost), requireNonNull(executor), requireNonNull(action));
  }

  /**
   * Cancels futures of this limiter, as {@code cancel(false)} of each does, but many times faster:
   * those that wait leave the queue together, the last that came first, so that none gets a permit
   * because others of its lane have left. Dependent stages run on the calling thread.
   *
   * <p>Futures of other limiters are cancelled first, one by one. If one is null, or its {@code
   * cancel} throws, that is thrown, and none of this limiter's is cancelled.
   */
  public void cancelAll(Collection<? extends Future<Permit>> futures) {
    engine.cancelAll(futures);
  }

  /**
   * Returns {@code cost} if this limiter takes requests of it. Every verb checks this at the call,
   * before anything is charged or queued; call it in code that is given a cost now and asks for the
   * permit later, such as a queue.
   *
   * <p>A plain amount above 1 must be counted by a term of a limit that the request must keep: of
   * {@link #limits()}. It is counted by {@code 10/1m}, but not by {@code spacing(1s)} and {@code
   * concurrent(4)}, which count calls, nor by {@code 90000/1m of tokens}. Exceptions:
   *
   * <ul>
   *   <li>Limits that promise nothing, as {@code unlimited}, take every cost if the request must
   *       keep no others.
   *   <li>In a {@linkplain #dryRun dry run} every cost passes; the first that is not counted is
   *       logged.
   *   <li>Once a limit of this limiter or of its keys that took such costs has been replaced by one
   *       that does not, by {@link #setLimit}, a reload or a {@linkplain Builder#source source},
   *       they pass, as a running program must not fail; the first is logged.
   * </ul>
   *
   * <p>Names that no limit counts are logged once each. {@link Permit#settle(Cost)} logs an amount
   * that is not counted, once, instead of throwing.
   *
   * @throws IllegalArgumentException if no limit counts its plain amount; the message names the
   *     cost, what is counted, and what to write instead. Or if it is not the cost of one call
   */
  public Cost requireCounted(Cost cost) {
    return engine.costs.check(seat, cost);
  }

  // ---- control

  /**
   * Puts another limit in force; does nothing if it equals the one in force.
   *
   * <ul>
   *   <li>Requests released before the change still count, whatever limits come in between.
   *   <li>Open permits count under the new limit.
   *   <li>Waiting requests are rescheduled immediately. There is no free burst.
   *   <li>Debt under {@code pay=later} keeps its price: a faster limit does not make it cheaper.
   * </ul>
   *
   * <p><b>Promise.</b> Take an interval exactly as long as a window, a spacing or a {@code fixed}
   * window of a limit that released a request in it. Consider the limits in force from the first
   * request of the interval to the last. Choose a quantity that each of them limits: calls, the
   * plain cost or a named cost, of starts or of requests as the peer counts them. The interval
   * holds at most as much of it as the least strict of these limits promises for that length,
   * however often the limit changed. Between two buckets or two {@code warmup} limits, this holds
   * for intervals of any length.
   *
   * <p><b>Not promised.</b>
   *
   * <ul>
   *   <li>Intervals longer than one limit's window and shorter than another's.
   *   <li>A change to a limit with a longer interval, for requests that were released longer ago
   *       than the interval of any limit in force until then.
   *   <li>The requests of a key that was dropped before the change.
   *   <li>A {@code concurrent} limit counts no request that was left open by a limit that does not
   *       need to know how requests end.
   * </ul>
   *
   * @throws IllegalArgumentException if the limit does not support this limiter's lanes or its
   *     state file, or if it is of a kind of your own whose meter contradicts its promises. The
   *     limit in force then stays.
   */
  public void setLimit(Limit limit) {
    control.setLimit(requireNonNull(limit));
  }

  /**
   * As {@link #setLimit(Limit)}, given as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public void setLimit(String limit) {
    setLimit(Limits.parse(limit));
  }

  /** Lets no request through until {@link #resume}. */
  public void pause() {
    control.pauseFor(Clock.FOREVER);
  }

  /** Lets no request through for {@code span}; has no effect if already paused for longer. */
  public void pauseFor(Duration span) {
    control.pauseFor(nanos(span));
  }

  /**
   * Records that the peer refused a request that was let through: counts and reports it, and lets
   * no request through for {@code pause}, unless already paused for longer. Other processes that
   * share a {@linkplain Builder#source source} do not pause.
   */
  public void peerRefused(Duration pause) {
    PeerReport.refused(engine, seat, nanos(pause));
  }

  /**
   * Applies what the peer's answer to the request of {@code permit} says, all of it at once: a
   * refusal, then quotas, then the date. Call it for each answer, before its permit ends. No answer
   * ever lets more through, in whatever order answers come in.
   *
   * <p><b>A refusal or an overload</b> is counted and reported, and pauses: for as long as it asks;
   * otherwise until a used-up quota is reset; otherwise for the pause of {@code backoff}. A stated
   * wait of zero counts as none. All pauses obey {@code backoff.longest}. A shorter pause never
   * cuts a longer one. A pause of more than five seconds is logged and {@link
   * LimiterListener#onPeerPause reported}.
   *
   * <p><b>If {@code backoff} learns</b>, the pause of refusals that state none doubles with each in
   * a row, and a {@linkplain PeerVerdict#REFUSED refusal} lowers the <i>working rate</i>: from then
   * on requests also go evenly at the rate that the peer has accepted. It rises again by intervals
   * without a refusal, never above the limit: see {@link Snapshot#workingRate}. A limit that bounds
   * no rate, such as {@code concurrent(4)}, learns nothing, nor does a term whose interval, or the
   * intervals that it takes to let ten through, are more than ten minutes, nor does a refusal whose
   * used-up quotas are about other terms. Of several terms each has a rate, the slowest is in
   * force, and a refusal lowers that of one: the one that a used-up quota names; else the shortest
   * that has an interval as long as the stated wait and is not slowed down already; else the
   * longest.
   *
   * <p><b>A quota</b> of which the peer has less left than this limiter counts tells what other
   * clients took:
   *
   * <ul>
   *   <li>That is charged as if released and answered now, so it is given back as the limit's own
   *       interval passes. Requests whose answers overtake each other are not counted twice. A
   *       change of the limit soon after another may forget it until the next answer.
   *   <li>Where the quota has a limit but no window, or the limit's interval is longer than ten
   *       minutes, a used-up quota that states its reset pauses until then instead, for the limit's
   *       longest interval at most, but a minute to ten.
   *   <li>It concerns the term that has its window or, if it states none, its limit; one that names
   *       neither concerns the only term, if the request was accepted. It is ignored if there is no
   *       such term, or several. A quota of a named cost concerns the terms of that cost.
   *   <li>While a working rate is in force, a quota of plain costs charges nothing; but if the
   *       refusal has stated a limit and the quota states another, the rate rises sooner.
   *   <li>It is ignored if a {@linkplain Builder#source source} counts the limit, as the peer
   *       counts what all processes send; if the permit knows no {@linkplain Permit#releasedAt
   *       instant}, as most do not under {@code starts(10/1m)}; or if another limiter granted the
   *       permit. {@code concurrent} is left alone, as no answer says when other clients' requests
   *       end.
   * </ul>
   *
   * <p><b>The date</b>, to the second, is for limits that follow the calendar, such as {@code
   * aligned(1200/1m)}. It is most precise if heard as soon as the answer begins to arrive, and has
   * an effect only if several agree.
   *
   * <p>Of a key, only that key pauses and learns. Other processes that share a source do not pause.
   *
   * @return how much others have taken that was not known before, in units of what the quotas count
   */
  public long heard(Permit permit, PeerAnswer answer, Backoff backoff) {
    requireNonNull(permit);
    requireNonNull(answer);
    return PeerReport.heard(engine, seat, permit, answer, requireNonNull(backoff));
  }

  /** Ends any pause; of the limiter of all keys, also those of single keys. */
  public void resume() {
    control.resume();
  }

  /**
   * Turns dry-run mode on or off. While it is on, every request is let through at once, and the
   * limiter only records what the limit would have done: see {@link Snapshot#wouldHaveWaited} and
   * {@link Snapshot#waits}. Each request is judged against what was really released before it. A
   * cost that no limit {@linkplain #requireCounted counts} is logged once, and is an error when the
   * dry run is over.
   *
   * @throws UnsupportedOperationException if this is the limiter of a key
   */
  public void dryRun(boolean on) {
    control.dryRun(on);
  }

  /**
   * Returns a lower bound of the wait of a request of plain cost {@code cost} that came now, under
   * the present limit. It is exact for limits of time alone while every request costs 1; otherwise
   * it assumes that every open permit ends now. The wait may be shorter if a waiter ahead leaves,
   * or if an open permit ends as not sent. In a {@linkplain #dryRun dry run} it is the wait that
   * the limit would ask for.
   *
   * @throws CostTooLargeException if the limit can never let it through, also in a dry run, in
   *     which it would go at once
   */
  public Duration estimateWait(long cost) {
    return estimateWait(Cost.of(cost));
  }

  /** As {@link #estimateWait(long)}, for any cost. */
  public Duration estimateWait(Cost cost) {
    return Duration.ofNanos(engine.estimateWait(seat, engine.costs.check(seat, cost)));
  }

  /**
   * Returns what a request of plain cost 1 that came now would wait for: the term of the limit that
   * binds, a pause, or what else holds it up, with the reason in words. Empty if it would go at
   * once, as any does in a {@linkplain #dryRun dry run}. For messages and for people: it takes
   * longer than {@link #estimateWait}.
   */
  public Optional<Bottleneck> bottleneck() {
    return bottleneck(Cost.ONE);
  }

  /**
   * As {@link #bottleneck()}, for any cost.
   *
   * @throws CostTooLargeException if the limit can never let it through, unless this is a dry run
   */
  public Optional<Bottleneck> bottleneck(Cost cost) {
    return Optional.ofNullable(engine.bottleneck(seat, engine.costs.check(seat, cost)));
  }

  /** Returns the limiter's name: the one it was given, or the text of its first limit. */
  public String name() {
    return control.name();
  }

  /**
   * Returns the clock and the timer of this limiter: what {@link Builder#time} has set. For code
   * that waits beside it and must do so in the same time, such as an adapter.
   */
  public Time time() {
    return engine.time;
  }

  /**
   * Returns what carries the context of callers: what {@link Builder#context} has set, or the
   * default. For code that runs jobs of callers after a wait, such as an adapter.
   */
  public ContextPropagator context() {
    ContextPropagator given = context;
    return given == null ? ContextPropagator.standard() : given;
  }

  /** Returns the limit in force. */
  public Limit limit() {
    return control.limit();
  }

  /**
   * Returns all limits in force that a request of this limiter must keep: {@link #limit}, and for
   * the limiter of a key also the limit of all keys, {@code unlimited} if there is none. For code
   * that must refuse a limit which it cannot keep, such as an adapter that does not know when a
   * request is answered.
   *
   * @return one or two limits; immutable
   */
  public List<Limit> limits() {
    return control.limits();
  }

  /** Returns the limiter's state at this moment. */
  public Snapshot snapshot() {
    return control.snapshot();
  }

  /**
   * Refuses all waiters and all later callers with {@link LimiterClosedException}. Open permits may
   * still be ended. The state file is released.
   */
  @Override
  public void close() {
    control.close();
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

  /** Sets the options of a limiter. Every option has a default. Not thread-safe. */
  public static final class Builder {

    private Limit limit;
    private Time time = Time.system();
    private @Nullable Executor executor;
    private @Nullable ContextPropagator context;
    private int maxWaiting = Integer.MAX_VALUE;
    private long spinNanos;
    private boolean stamped;
    private long lateNanos = Clock.FOREVER;
    private Function<? super Throwable, Outcome> classifier = FailureClassifier.standard();
    private @Nullable LimiterListener listener;
    private @Nullable Path state;
    private @Nullable BootClock machine;
    private @Nullable MeterSource source;
    private final Map<String, Share> lanes = new LinkedHashMap<>();
    private @Nullable String name;

    private Builder(Limit limit) {
      this.limit = requireNonNull(limit);
    }

    Builder limit(Limit limit) {
      this.limit = limit;
      return this;
    }

    /** Names the limiter in messages and snapshots. Default: the text of its limit. */
    public Builder name(String name) {
      this.name = requireNonNull(name);
      return this;
    }

    /** Sets the clock and the timer. Default: {@link Time#system()}. */
    public Builder time(Time time) {
      this.time = requireNonNull(time);
      return this;
    }

    /**
     * Sets the executor that completes futures and starts asynchronous jobs. Default: daemon
     * threads that all limiters share; each ends when it has had no work for ten seconds. Give
     * {@code Runnable::run} only if callbacks never block.
     */
    public Builder executor(Executor executor) {
      this.executor = requireNonNull(executor);
      return this;
    }

    /**
     * Sets what carries the context of a caller, such as its thread-locals, to the thread on which
     * its job runs. Default: {@link ContextPropagator#standard}, which uses Micrometer's
     * context-propagation if it is on the class path.
     *
     * <p>It is used by {@code callAsync} if the job must wait, by a {@link
     * dev.pacegate.dispatch.ThrottledExecutorService} for each task, by a {@link
     * dev.pacegate.dispatch.Throttler} for each message, which its target gets in the context of
     * the sender, and by paced clients. Lanes and keys have the same. Blocking verbs do not need
     * it: their jobs run on the caller's thread. Stages that depend on the future of {@code
     * acquireAsync}, and its action, run in the context of the thread that completes it.
     */
    public Builder context(ContextPropagator propagator) {
      this.context = requireNonNull(propagator);
      return this;
    }

    /**
     * Bounds how many may wait; further callers are refused with {@link WaitQueueFullException}.
     * Default: unbounded.
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
     * Makes the first waiter spin for the last {@code span} of its wait. It goes on within
     * microseconds instead of some 70, and uses that much CPU time per wait. A waiting thread spins
     * itself; for a future, the executor's thread that completes it does. Virtual threads never
     * spin. Default: off. 100 microseconds suffice for threads, 200 for futures.
     *
     * @throws IllegalArgumentException if {@code span} is negative or longer than 10 ms
     */
    public Builder spin(Duration span) {
      if (span.isNegative() || span.compareTo(Duration.ofMillis(10)) > 0) {
        throw new IllegalArgumentException(
            "spin must be from 0s to 10ms: " + Durations.decimal(span));
      }
      this.spinNanos = span.toNanos();
      return this;
    }

    /** Makes every permit know the instant of its release, which allocates an object each. */
    public Builder stamped(boolean stamped) {
      this.stamped = stamped;
      return this;
    }

    /**
     * Charges a request again that is sent later than {@code bound} after its release, as {@link
     * Permit#sending} reports, because the process stood still in between. Every permit then knows
     * the instant of its release, which allocates an object each. Default: off.
     *
     * @throws IllegalArgumentException if {@code bound} is negative
     */
    public Builder late(Duration bound) {
      if (bound.isNegative()) {
        throw new IllegalArgumentException(
            "late must not be negative: " + Durations.decimal(bound));
      }
      this.lateNanos = nanos(bound);
      return this;
    }

    /**
     * Keeps a log of releases in {@code file}, so that the next process continues where this one
     * stops, even if it is killed: the limit's promise holds for both together. The file is created
     * if it does not exist. One that cannot be used is an error, never a fresh start.
     *
     * <p><b>Time</b> between two processes is that of the monotonic clock unless the machine was
     * restarted (only Linux tells), and setting the wall clock does not matter. Across a restart it
     * is that of the wall clock, which must not have been set forward; if it was set back, no time
     * has passed. If the limiter was not closed before the restart, or the file is damaged, all
     * that the limit gives counts as released now. A {@link #time} of your own must go on from
     * process to process as the machine's does; only a step back is noticed, and treated as a
     * restart.
     *
     * <p><b>What is kept</b> is what the limit counts: each of the last 8192 releases if these
     * reach back as far as the limit does; otherwise releases merged to 1/8192 of the limit's
     * reach. A permit that is open when its process ends is lost. If the next process has another
     * limit, it takes over as by {@link Limiter#setLimit}. Not kept: usage of keys and of reserved
     * shares, feedback from the peer, pauses.
     *
     * <p>One limiter uses the file until it is closed. The file alone cannot share a limit between
     * processes that run at the same time. An empty file, or one whose making was cut off by the
     * end of its process, counts as none.
     *
     * @throws IllegalArgumentException if {@code file} is empty
     */
    public Builder state(Path file) {
      if (file.toString().isEmpty()) {
        throw new IllegalArgumentException("the state file must have a name: \"\"");
      }
      this.state = file;
      return this;
    }

    /** Sets the clock between processes, for tests. */
    Builder machine(BootClock machine) {
      this.machine = machine;
      return this;
    }

    /**
     * Sets how a permit ends whose job failed. Default: {@link FailureClassifier#standard}. If your
     * jobs throw exceptions of your own for answers, name them: {@code
     * FailureClassifier.standard().answered(OrderRejected.class)}. If the classifier throws or
     * returns null, the permit is {@link Outcome#LOST}.
     */
    public Builder classifier(Function<? super Throwable, Outcome> classifier) {
      this.classifier = requireNonNull(classifier);
      return this;
    }

    /** Sets a listener that receives the limiter's events. Default: none. */
    public Builder listener(LimiterListener listener) {
      this.listener = requireNonNull(listener);
      return this;
    }

    /**
     * Takes permits from {@code source}, which counts the limit for several processes, such as in a
     * store that they share. All verbs work as ever; the order of requests is that of this limiter.
     *
     * <p><b>Of this process alone</b> are the queue and pauses: {@link Limiter#heard} pauses this
     * limiter, not those of other processes, and ignores quotas, as the peer counts what all
     * processes send. {@code tryAcquire} takes permits that the source has given already, and lets
     * it know that more are wanted. {@link Limiter#setLimit} offers the limit to the source, which
     * may put it in force later.
     *
     * <p>A state file and lanes with reserved shares are refused, and what the source cannot count.
     * Default: none, all is counted here.
     */
    public Builder source(MeterSource source) {
      this.source = requireNonNull(source);
      return this;
    }

    /**
     * Adds a lane, in which calls of {@link Limiter#lane(String)} wait. Within a lane requests go
     * first in, first out; {@link Share} says how lanes share the limit. Calls that name no lane
     * wait in the lane {@code "default"}, of weight 1 unless given here.
     */
    public Builder lane(String name, Share share) {
      lanes.put(requireNonNull(name), requireNonNull(share));
      return this;
    }

    /**
     * Returns the limiter.
     *
     * @throws StateFileException if its state file cannot be used
     * @throws IllegalArgumentException if its limit or its {@link #source} does not support lanes
     *     with these shares, or a state file, or the source does not support its limit
     */
    @CheckReturnValue
    public Limiter build() {
      Engine engine = source == null ? new Engine(options()) : WholeFeed.engine(options(), source);
      return new Limiter(engine, engine.lane(Options.DEFAULT_LANE), engine, context);
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
