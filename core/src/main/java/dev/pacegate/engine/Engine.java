package dev.pacegate.engine;

import static dev.pacegate.engine.EngineState.TAKES_A_VISIT;
import static dev.pacegate.engine.Waiter.AT_ONCE;
import static dev.pacegate.engine.Waiter.OVER;
import static dev.pacegate.engine.visit.Clock.FOREVER;
import static java.util.Objects.requireNonNull;

import dev.pacegate.Bottleneck;
import dev.pacegate.CostTooLargeException;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.Snapshot;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.engine.report.Obstacle;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.VisitStep;
import dev.pacegate.gate.Gate;
import dev.pacegate.history.ShiftedTime;
import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.result.FailureEvidence;
import dev.pacegate.result.HeldPermits;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a limiter: callers enter the gate, read the clock inside it, and wait outside.
 *
 * <p>While no caller waits, asking and ending take one short stay inside the gate; everything else
 * is a {@link #visit}.
 */
public final class Engine extends EngineMonitor implements LimiterControl, FutureWaiter.Departure {

  static {
    initialiseWhatRefusalsNeed();
  }

  /**
   * Loads the classes of refusals early: a static initialiser that runs out of stack leaves its
   * class unusable for good, and the first refusal of a process may come on a nearly exhausted
   * stack.
   */
  private static void initialiseWhatRefusalsNeed() {
    HeldPermits.here();
    Waiter.State.values();
    WaitQueue.LaneTurn.values();
    FailureEvidence.values();
    for (Refusal refusal : Refusal.values()) {
      refusal.exception("", Cost.ONE, 0, "");
    }
  }

  /** Sentinel: the gate was not free, so nothing has been decided. */
  private static final Permit GATE_NOT_FREE = new PlainPermit(0);

  /** A visit that only repairs what an error left undone. No lambda: see {@link WaiterStep}. */
  private static final VisitStep<Long> NOTHING =
      new VisitStep<>() {
        @Override
        public Long apply(Visit visit) {
          return OVER;
        }
      };

  private final long lateNanos;
  private final Function<? super Throwable, Outcome> classifier;

  /**
   * @throws IllegalArgumentException if the limit does not support these lanes, or a state file
   * @throws dev.pacegate.StateFileException if the state file cannot be used
   */
  public Engine(Options options) {
    this(options, null);
  }

  /**
   * As the other one, for a limit whose meters come from elsewhere.
   *
   * @param meters returns where from, for the engine that is being made
   */
  public Engine(
      Options options, @Nullable Function<? super EngineMonitor, ? extends Succession> meters) {
    super(options, meters);
    this.lateNanos = options.lateNanos();
    this.classifier = options.classifier();
    reporter.warnOf("limit", options.limit());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Lane lane(String lane) {
    for (Lane candidate : lanes) {
      if (candidate.standing.name().equals(lane)) {
        return candidate;
      }
    }
    List<String> known = lanes.stream().map(each -> each.standing.name()).toList();
    throw new IllegalArgumentException(
        "limiter " + name + " has no lane \"" + lane + "\"; its lanes are " + known);
  }

  @Override
  public long reading(long instant) {
    return clock.reading(instant);
  }

  // ---- asking

  /** Returns a permit if one is available now without overtaking a waiter; otherwise null. */
  public @Nullable Permit tryNow(Seat seat, Cost cost, AcquireMode mode) {
    try (Lane lane = seat.tryHold()) {
      return lane == null ? null : tryNow(lane, cost, mode);
    }
  }

  /** As {@link #tryNow(Seat, Cost, AcquireMode)}, for a lane that the caller holds. */
  @Nullable Permit tryNow(Lane lane, Cost cost, AcquireMode mode) {
    Permit permit = decide(lane, cost, mode);
    if (permit != GATE_NOT_FREE) {
      return permit;
    }
    var waiter = new ThreadWaiter(lane, cost);
    visit(new WaiterStep(state, waiter, mode, 0));
    return waiter.isRefusedForNow() ? null : outcome(waiter);
  }

  /** As tryNow, for the largest plain cost up to {@code max} that may go now. */
  public @Nullable Permit tryUpTo(Seat seat, long max) {
    try (Lane lane = seat.tryHold()) {
      if (lane == null) {
        return null;
      }
      Waiter waiter = visit(visit -> state.askUpTo(lane, max, visit));
      return waiter.isRefusedForNow() ? null : outcome(waiter);
    }
  }

  /**
   * Waits at most {@code maxWait} nanoseconds for a permit.
   *
   * @throws RefusedException if there is none
   */
  public Permit acquire(Seat seat, Cost cost, long maxWait) throws InterruptedException {
    try (Lane lane = seat.hold()) {
      Permit permit = decideUnlessInterrupted(lane, cost);
      return permit != null ? permit : outcome(wait(new ThreadWaiter(lane, cost), maxWait));
    }
  }

  /**
   * As {@link #acquire}, but goes on waiting when interrupted; the thread then stays interrupted.
   */
  public Permit acquireUninterruptibly(Seat seat, Cost cost) {
    try (Lane lane = seat.hold()) {
      Permit permit = decide(lane, cost, AcquireMode.WAIT);
      return permit != null && permit != GATE_NOT_FREE ? permit : waitOn(lane, cost);
    }
  }

  private Permit waitOn(Lane lane, Cost cost) {
    var waiter = new ThreadWaiter(lane, cost, true);
    try {
      return outcome(wait(waiter, FOREVER));
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    } finally {
      waiter.interruptAgain();
    }
  }

  /**
   * As {@link #acquire}, but returns null if the wait is too long, the queue is full, or there are
   * too many keys.
   */
  public @Nullable Permit tryAcquire(Seat seat, Cost cost, long maxWait)
      throws InterruptedException {
    try (Lane lane = seat.tryHold()) {
      return lane == null ? null : tryAcquire(lane, cost, maxWait);
    }
  }

  private @Nullable Permit tryAcquire(Lane lane, Cost cost, long maxWait)
      throws InterruptedException {
    Permit permit = decideUnlessInterrupted(lane, cost);
    if (permit != null) {
      return permit;
    }
    Waiter waiter = wait(new ThreadWaiter(lane, cost), maxWait);
    boolean justNotNow = waiter.isRefusedForNow() || waiter.refusal == Refusal.QUEUE_FULL;
    return justNotNow ? null : outcome(waiter);
  }

  /** Returns a future permit; a refusal fails the future. */
  public CompletableFuture<Permit> acquireAsync(Seat seat, Cost cost, long maxWait) {
    return acquireAsync(seat, cost, maxWait, false);
  }

  /** As {@link #acquireAsync}; {@code resume} gets the outcome, and only schedules what goes on. */
  public CompletableFuture<Permit> acquireAsync(
      Seat seat,
      Cost cost,
      long maxWait,
      BiConsumer<? super @Nullable Permit, ? super @Nullable Throwable> resume) {
    CompletableFuture<Permit> place = acquireAsync(seat, cost, maxWait, true);
    var unused =
        place.whenComplete(
            (permit, refused) -> {
              try {
                resume.accept(permit, refused);
              } catch (Throwable failure) {
                reporter.failed("resuming a request", failure);
                if (permit != null) {
                  permit.failed(failure);
                }
              }
            });
    return place;
  }

  private CompletableFuture<Permit> acquireAsync(
      Seat seat, Cost cost, long maxWait, boolean onlySchedules) {
    try (Lane lane = seat.hold()) {
      Permit permit = decide(lane, cost, AcquireMode.WAIT);
      return permit == null || permit == GATE_NOT_FREE
          ? join(new PermitFuture(this, lane, cost, onlySchedules), maxWait)
          : CompletableFuture.completedFuture(permit);
    } catch (TooManyKeysException | CostTooLargeException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  /** Returns a future permit that a thread of {@code own} collects: see {@link FutureWaiter}. */
  public CompletableFuture<Permit> acquireAsync(
      Seat seat, Cost cost, Executor own, Consumer<? super Permit> action) {
    try (Lane lane = seat.hold()) {
      return join(new PermitFuture(this, lane, cost, own, action), FOREVER);
    } catch (TooManyKeysException tooMany) {
      return CompletableFuture.failedFuture(tooMany);
    }
  }

  private CompletableFuture<Permit> join(PermitFuture future, long maxWait) {
    FutureWaiter waiter = future.waiter;
    boolean failed = true;
    long until;
    try {
      until = visit(new WaiterStep(state, waiter, AcquireMode.WAIT, maxWait));
      failed = false;
    } finally {
      if (failed) {
        waiter.deserted = true; // here, as field writes need no stack
        needsRepair = true;
        desert(waiter);
      }
    }
    if (until == OVER) {
      return waiter.permit != null
          ? CompletableFuture.completedFuture(waiter.permit)
          : CompletableFuture.failedFuture(exception(waiter));
    }
    return future.asFuture();
  }

  private @Nullable Permit decideUnlessInterrupted(Lane lane, Cost cost)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Permit permit = decide(lane, cost, AcquireMode.WAIT);
    return permit == GATE_NOT_FREE ? null : permit;
  }

  /**
   * The fast path while no caller waits; {@link #GATE_NOT_FREE} if the gate says there may be one.
   *
   * <p>Between entering the gate and the try block there is no call that could need more stack.
   *
   * <p>A poll does not read the clock if the result does not depend on it. Streams poll, and often
   * under no limit; checking that for other requests, too, would cost each a nanosecond.
   */
  private @Nullable Permit decide(Lane lane, Cost cost, AcquireMode mode) {
    if (!gate.tryEnter()) {
      return GATE_NOT_FREE;
    }
    Permit permit = null;
    long wait;
    long now;
    boolean left = false;
    try {
      boolean timeless = mode == AcquireMode.POLL && state.needsNoClock(lane, cost) && !listens;
      now = timeless ? 0 : state.tick();
      wait = state.nanosUntil(lane, now, cost);
      if (wait == 0) {
        permit = state.release(lane, now, cost);
      } else if (wait > 0) {
        wait = state.refuse(lane, now, wait, cost, mode);
      }
      gate.leave(Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
    if (wait == TAKES_A_VISIT) {
      return GATE_NOT_FREE;
    }
    if (listens) {
      tell(cost, permit != null, mode, clock.reading(now), wait);
    }
    if (wait == Meter.NEVER) {
      throw new CostTooLargeException(name, cost, limits(lane));
    }
    return permit;
  }

  private ThreadWaiter wait(ThreadWaiter waiter, long maxWait) throws InterruptedException {
    AcquireMode mode = completing.get() == null ? AcquireMode.WAIT : AcquireMode.TRY;
    var step = new WaiterStep(state, waiter, mode, maxWait);
    boolean failed = true;
    try {
      long until = visit(step);
      while (until != OVER) {
        if (maxWait == FOREVER && leavesItself(waiter)) {
          failed = false;
          throw waitsForItself(waiter);
        }
        if (until != AT_ONCE && !waiter.wasWoken()) {
          parking.park(this, until);
        }
        if (waiter.leavesWhenInterrupted()) {
          visit(visit -> state.quit(waiter, visit));
          failed = false;
          throw new InterruptedException();
        }
        until = visit(step);
      }
      failed = false;
    } finally {
      if (failed) {
        waiter.deserted = true; // here, as field writes need no stack
        needsRepair = true;
        desert(waiter);
      }
    }
    if (mode == AcquireMode.TRY && wouldWait(waiter, maxWait)) {
      throw new IllegalStateException(
          "limiter " + name + ": a callback of its own futures must not wait for this limiter");
    }
    return waiter;
  }

  private static boolean wouldWait(Waiter refused, long maxWait) {
    return refused.refusal == Refusal.WAIT_TOO_LONG && maxWait > 0 && refused.atLeast <= maxWait;
  }

  /** Makes a deserted waiter leave the queue, and gives back its permit. */
  private void desert(Waiter waiter) {
    try {
      visit(NOTHING);
    } finally {
      if (waiter.permit != null) {
        waiter.permit.notSent();
      }
    }
  }

  private Permit outcome(Waiter waiter) {
    Permit permit = waiter.permit;
    if (permit == null) {
      throw exception(waiter);
    }
    return permit;
  }

  // ---- ending

  @Override
  public void end(OpenPermit permit, Outcome outcome) {
    if (permit.lane.mustBeToldOfEnds() || !gate.tryEnter()) {
      run(
          visit -> {
            boolean ends = !permit.ended;
            state.end(permit, visit.now, outcome);
            permit.lane.mayRest(visit);
            if (ends && outcome == Outcome.LOST) {
              visit.add(() -> lost(permit, visit.now));
            }
          });
      return;
    }
    boolean left = false;
    boolean roused = false;
    boolean lost = false;
    long now = 0;
    try {
      if (outcome != Outcome.ANSWERED || !state.endUndated(permit)) {
        lost = outcome == Outcome.LOST && !permit.ended;
        now = state.tick();
        roused = state.end(permit, now, outcome);
      }
      gate.leave(roused ? Gate.SLOW : Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
    if (roused) {
      run(permit.lane::mayRest);
    }
    if (lost) {
      lost(permit, now);
    }
  }

  private void lost(OpenPermit permit, long now) {
    reporter.recordLost(permit.cost, now - permit.startedAt, false);
  }

  @Override
  public void fail(OpenPermit permit, Throwable failure) {
    end(permit, outcome(failure));
  }

  /** Classifies a failure; if the classifier throws or returns null, the outcome is unknown. */
  private Outcome outcome(Throwable failure) {
    try {
      return requireNonNull(classifier.apply(failure), "the classifier returned null");
    } catch (Throwable ofTheClassifier) {
      if (ofTheClassifier != failure) {
        failure.addSuppressed(ofTheClassifier);
      }
      return Outcome.LOST;
    }
  }

  @Override
  public void settle(OpenPermit permit, Cost actual) {
    Cost checked = costs.checkSettled(permit.lane, actual);
    settle(permit, charged -> checked);
  }

  @Override
  public void settle(OpenPermit permit, long actual) {
    Cost plain = costs.checkSettled(permit.lane, Cost.of(actual));
    settle(permit, charged -> charged.withAmount(plain.amount()));
  }

  private void settle(OpenPermit permit, UnaryOperator<Cost> correction) {
    try (Lane lane = permit.lane.hold()) {
      if (!visit(visit -> state.settle(permit, lane, correction, visit))) {
        throw new IllegalStateException("the permit has ended; settle it before: " + permit);
      }
    }
  }

  @Override
  public Duration sending(OpenPermit permit) {
    long age = Math.max(0, clock.now() - permit.startedAt);
    if (age > lateNanos || (age > 0 && !permit.needsNoEnd)) {
      try (Lane lane = permit.lane.hold()) {
        run(visit -> state.sending(permit, lane, visit));
      }
    }
    return Duration.ofNanos(age);
  }

  @Override
  public boolean giveUp(FutureWaiter waiter) {
    return visit(
        visit -> {
          state.quit(waiter, visit);
          return waiter.isUndecided();
        });
  }

  /** Cancels futures. Those that wait here leave the queue together. */
  public void cancelAll(Collection<? extends Future<Permit>> futures) {
    new LeavingTogether(this, futures).leave();
  }

  // ---- control

  @Override
  public Limit limit() {
    return visit(visit -> state.pools.limit());
  }

  @Override
  public List<Limit> limits() {
    return List.of(limit());
  }

  @Override
  public void setLimit(Limit next) {
    costs.know(next);
    state.pools.whole.succession().setLimit(limit(), next, this::putInForce);
  }

  void putInForce(Limit next) {
    Pools.Shares shares = state.pools.shares(next);
    Limit before =
        visit(
            visit -> {
              Limit replaced = state.pools.limit();
              install(shares, visit);
              return replaced;
            });
    reporter.recordChange("limit", before, next);
  }

  @Override
  public void pauseFor(long nanos) {
    run(visit -> state.queue.pauseUntil(Clock.later(visit.now, nanos)));
    reporter.recordPause("program", nanos);
  }

  /** Ends any pause, those of single keys included. */
  @Override
  public void resume() {
    run(visit -> state.resume());
    groups().forEach(KeyGroup::resumeKeys); // outside the gate
  }

  @Override
  public void dryRun(boolean on) {
    run(visit -> state.queue.dryRun(on));
  }

  /** Refuses all callers, and releases the state file. */
  @Override
  public void close() {
    run(state::close);
    leaveSaved(open -> open.close(clock.now()));
  }

  /** Returns a lower bound of the wait of {@code cost}. */
  public long estimateWait(Seat seat, Cost cost) {
    try (Lane lane = seat.hold()) {
      long nanos = visit(visit -> state.atLeast(lane, cost, visit.now));
      if (nanos == Meter.NEVER) {
        throw new CostTooLargeException(name, cost, limits(lane));
      }
      return nanos;
    }
  }

  /** Returns what a request of {@code cost} would wait for; null if it would go at once. */
  public @Nullable Bottleneck bottleneck(Seat seat, Cost cost) {
    try (Lane lane = seat.hold()) {
      Obstacle obstacle = visit(visit -> state.bottleneck(lane, cost, visit));
      return obstacle == null
          ? null
          : new Bottleneck(
              Optional.ofNullable(obstacle.term()),
              Duration.ofNanos(estimateWait(lane, cost)),
              obstacle.text(time));
    }
  }

  @Override
  public Snapshot snapshot() {
    List<KeyGroup> keys = groups();
    return visit(visit -> state.snapshot(visit, keys));
  }

  // ---- keys

  /** Returns a new pool in the state it would have had if made at {@code began}. */
  public Pool newPool(Limit limit, long began, Succession succession) {
    var timeOfDay = new ShiftedTime(time);
    timeOfDay.goBack(clock.now() - began);
    var pool = new Pool(limit, began, time, timeOfDay, succession);
    timeOfDay.goBack(0);
    return pool;
  }
}
