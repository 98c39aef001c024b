package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;
import static dev.pacegate.engine.EngineState.DONE;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.RefusedException;
import dev.pacegate.Share;
import dev.pacegate.Snapshot;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.gate.Gate;
import dev.pacegate.history.ShiftedTime;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.SavedState;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What goes on outside the gate: callers enter it with a reading of the clock taken inside, wait
 * outside, and carry out what their visit to the {@link EngineState} leaves to be done.
 *
 * <p>While nobody waits, asking and ending are one short stay inside; everything else is a {@link
 * #visit}.
 */
public final class Engine {

  /** In place of a permit: nothing has been decided. */
  private static final Permit GATE_NOT_FREE = new WaitedPermit(0);

  /** For the futures of those whose executor refuses. */
  private static final Executor FALLBACK = new CompletableFuture<Void>().defaultExecutor();

  private final String name;
  private final CostNames names;
  private final List<Lane> lanes; // the default one first
  private final Time time;
  private final long origin;
  private final Executor executor;
  private final long spinNanos;
  private final long lateNanos;
  private final Reporter reporter;
  private final SafeClassifier classifier;
  private final @Nullable SavedState state;
  private final AtomicBoolean stateLeft = new AtomicBoolean();
  private final Gate gate = new Gate();
  private final EngineState desk; // guarded by the gate
  private final ThreadLocal<Boolean> draining = new ThreadLocal<>(); // set while this thread does
  private volatile boolean shaken; // an error came between: set anywhere, by a plain field write

  /**
   * @throws IllegalArgumentException if lanes, or a state file, do not go with the limit
   * @throws dev.pacegate.StateFileException if the state file cannot be used
   */
  public Engine(Options options) {
    this.name = options.name();
    this.names = new CostNames(options.limit(), name);
    this.lanes = lanes(options);
    this.time = options.time();
    this.executor = options.executor();
    this.spinNanos = time == Time.system() ? options.spinNanos() : 0;
    this.lateNanos = options.lateNanos();
    this.reporter = new Reporter(name, options.listener(), time);
    this.classifier = new SafeClassifier(options.classifier());
    this.origin = time.nanoTime();
    this.state = options.openState(origin);
    this.desk = desk(options);
  }

  private static List<Lane> lanes(Options options) {
    Collection<Share> shares = options.lanes().values();
    int reserved = shares.stream().mapToInt(Share::reservedPercent).sum();
    if (reserved > 99) {
      throw new IllegalArgumentException(
          "reserved shares must leave something to all: "
              + reserved
              + " percent of "
              + options.limit());
    }
    var made = new ArrayList<Lane>();
    options
        .lanes()
        .forEach((lane, share) -> made.add(new Lane(lane, share, options, reserved > 0)));
    int first = List.copyOf(options.lanes().keySet()).indexOf(Options.DEFAULT_LANE);
    Collections.swap(made, 0, first);
    return List.copyOf(made);
  }

  private EngineState desk(Options options) {
    try {
      return new EngineState(this, options, lanes, reporter, state);
    } catch (RuntimeException | Error e) {
      leaveState(SavedState::close);
      throw e;
    }
  }

  public String name() {
    return name;
  }

  /**
   * Returns the lane of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public Lane lane(String name) {
    for (Lane candidate : lanes) {
      if (candidate.standing.name().equals(name)) {
        return candidate;
      }
    }
    List<String> known = lanes.stream().map(lane -> lane.standing.name()).toList();
    throw new IllegalArgumentException(
        "limiter " + this.name + " has no lane \"" + name + "\", only " + known);
  }

  /** Notes which names of costs {@code limit} counts. */
  public void knowNames(Limit limit) {
    names.add(limit);
  }

  /**
   * Returns {@code cost}.
   *
   * @throws IllegalArgumentException if it is a sum of requests, or of none
   */
  public Cost check(Cost cost) {
    return names.check(cost);
  }

  /** Returns an instant of the limiter's clock. */
  long instant(long sinceOrigin) {
    return origin + sinceOrigin;
  }

  // ---- asking

  /** Returns a permit if one can be had at once without overtaking anybody, or null. */
  public @Nullable Permit tryNow(Seat seat, Cost cost) {
    return tryNow(seat, cost, false);
  }

  /** As {@link #tryNow}, but null is no refusal: nobody is told, and nothing is counted. */
  public @Nullable Permit poll(Seat seat, Cost cost) {
    return tryNow(seat, cost, true);
  }

  private @Nullable Permit tryNow(Seat seat, Cost cost, boolean polls) {
    Lane lane = seat.tryHold();
    if (lane == null) {
      return null;
    }
    try {
      return tryNow(lane, cost, polls);
    } finally {
      lane.letGo();
    }
  }

  private @Nullable Permit tryNow(Lane lane, Cost cost, boolean polls) {
    Permit permit = decide(lane, cost, polls ? 0 : 1, polls);
    if (permit != GATE_NOT_FREE) {
      return permit;
    }
    var asking = new ThreadWaiter(lane, cost);
    visit(
        duties -> {
          desk.advance(duties);
          return desk.ask(asking, polls ? EngineState.NO_WAIT_YET : EngineState.NO_WAIT, duties);
        });
    return asking.refusal == Refusal.WAIT_TOO_LONG ? null : outcome(asking);
  }

  /**
   * Waits for a permit for up to {@code maxWait} nanoseconds.
   *
   * @throws RefusedException if there is none
   */
  public Permit acquire(Seat seat, Cost cost, long maxWait) throws InterruptedException {
    Lane lane = seat.hold();
    try {
      Permit permit = decideUnlessInterrupted(lane, cost);
      return permit != null ? permit : outcome(wait(lane, cost, maxWait));
    } finally {
      lane.letGo();
    }
  }

  /**
   * As {@link #acquire}, but answers with null where the wait is too long, the line is full, or
   * there are too many keys.
   */
  public @Nullable Permit tryAcquire(Seat seat, Cost cost, long maxWait)
      throws InterruptedException {
    Lane lane = seat.tryHold();
    if (lane == null) {
      return null;
    }
    try {
      return tryAcquire(lane, cost, maxWait);
    } finally {
      lane.letGo();
    }
  }

  private @Nullable Permit tryAcquire(Lane lane, Cost cost, long maxWait)
      throws InterruptedException {
    Permit permit = decideUnlessInterrupted(lane, cost);
    if (permit != null) {
      return permit;
    }
    Waiter waiter = wait(lane, cost, maxWait);
    boolean justNotNow =
        waiter.refusal == Refusal.WAIT_TOO_LONG || waiter.refusal == Refusal.LINE_FULL;
    return justNotNow ? null : outcome(waiter);
  }

  /** Returns a permit to come; refusals are failures of the future. */
  public CompletableFuture<Permit> acquireAsync(Seat seat, Cost cost, long maxWait) {
    Lane lane = null;
    try {
      lane = seat.hold();
      Permit permit = decide(lane, cost, 0, false);
      return permit == null || permit == GATE_NOT_FREE
          ? join(new PermitFuture(this, lane, cost, null, null), maxWait)
          : CompletableFuture.completedFuture(permit);
    } catch (TooManyKeysException | CostTooLargeException refused) {
      return CompletableFuture.failedFuture(refused);
    } finally {
      letGo(lane);
    }
  }

  private static void letGo(@Nullable Lane lane) {
    if (lane != null) {
      lane.letGo();
    }
  }

  /**
   * Returns a permit to come, for which a thread of {@code own} comes: see {@link FutureWaiter}.
   */
  public CompletableFuture<Permit> acquireAsync(
      Seat seat, Cost cost, Executor own, Consumer<? super Permit> action) {
    Lane lane = null;
    try {
      lane = seat.hold();
      return join(new PermitFuture(this, lane, cost, own, action), FOREVER);
    } catch (TooManyKeysException tooMany) {
      return CompletableFuture.failedFuture(tooMany);
    } finally {
      letGo(lane);
    }
  }

  private CompletableFuture<Permit> join(PermitFuture future, long maxWait) {
    FutureWaiter waiter = future.waiter;
    boolean failed = true;
    long until;
    try {
      until = visit(duties -> desk.askAsync(waiter, maxWait, duties));
      failed = false;
    } finally {
      if (failed) {
        desert(waiter);
      }
    }
    if (until == DONE) {
      return waiter.permit != null
          ? CompletableFuture.completedFuture(waiter.permit)
          : CompletableFuture.failedFuture(exception(waiter));
    }
    return future;
  }

  private @Nullable Permit decideUnlessInterrupted(Lane lane, Cost cost)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Permit permit = decide(lane, cost, 0, false);
    return permit == GATE_NOT_FREE ? null : permit;
  }

  /**
   * The whole of asking while nobody waits; {@link #GATE_NOT_FREE} if that may not be so.
   *
   * <p>Between entering the gate and the try block there is no call that could need more stack.
   *
   * @param polls then a clock that nothing depends on is not read. Streams poll, and pass through
   *     what is unlimited; to look whether it is would cost all others a nanosecond
   */
  private @Nullable Permit decide(Lane lane, Cost cost, int refusals, boolean polls) {
    if (!gate.tryEnter()) {
      return GATE_NOT_FREE;
    }
    Permit permit = null;
    long wait;
    long now;
    boolean left = false;
    try {
      now = polls && desk.needsNoClock(lane, cost) && !reporter.listens() ? 0 : now();
      wait = desk.nanosUntil(lane, now, cost);
      if (wait == 0) {
        permit = desk.release(lane, now, cost);
      } else if (wait > 0) {
        wait = desk.refuse(lane, now, wait, refusals);
      }
      gate.leave(Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
    if (wait == EngineState.UNKNOWN) {
      return GATE_NOT_FREE;
    }
    if (reporter.listens()) {
      tell(cost, permit != null, refusals, instant(now), wait);
    }
    if (wait == Meter.NEVER) {
      throw tooLarge(cost, refusals);
    }
    return permit;
  }

  /** Such a request is refused by whatever verb it comes. */
  private CostTooLargeException tooLarge(Cost cost, int refusals) {
    run(duties -> desk.refuse(1 - refusals));
    return new CostTooLargeException(name, cost);
  }

  private void tell(Cost cost, boolean released, int refusals, long instant, long wait) {
    if (released) {
      reporter.released(cost, instant, 0);
    } else if (refusals > 0 || wait == Meter.NEVER) {
      reporter.refused(cost, wait == Meter.AT_EVENT ? 0 : wait);
    }
  }

  private ThreadWaiter wait(Lane lane, Cost cost, long maxWait) throws InterruptedException {
    var waiter = new ThreadWaiter(lane, cost);
    boolean drains = draining.get() != null;
    boolean failed = true;
    try {
      long until =
          visit(duties -> desk.ask(waiter, drains ? EngineState.NO_WAIT : maxWait, duties));
      while (until != DONE) {
        park(until);
        if (Thread.interrupted()) {
          visit(duties -> desk.quit(waiter, duties));
          failed = false;
          throw new InterruptedException();
        }
        until = visit(duties -> desk.look(waiter, duties));
      }
      failed = false;
    } finally {
      if (failed) {
        desert(waiter);
      }
    }
    if (drains && waiter.refusal == Refusal.WAIT_TOO_LONG && wouldWait(waiter, maxWait)) {
      throw new IllegalStateException(
          "limiter " + name + ": a callback of its own futures must not wait for it");
    }
    return waiter;
  }

  private static boolean wouldWait(Waiter refused, long maxWait) {
    return maxWait > 0 && refused.atLeast <= maxWait;
  }

  /** What is most needed comes first and is a field write, which no lack of stack prevents. */
  private void desert(Waiter waiter) {
    waiter.deserted = true;
    shaken = true;
    visit(duties -> DONE);
    if (waiter.permit != null) {
      waiter.permit.notSent();
    }
  }

  private Permit outcome(Waiter waiter) {
    Permit permit = waiter.permit;
    if (permit == null) {
      throw exception(waiter);
    }
    return permit;
  }

  private RefusedException exception(Waiter waiter) {
    Refusal refusal = waiter.refusal == null ? Refusal.CLOSED : waiter.refusal;
    return refusal.exception(name, waiter.cost, waiter.atLeast);
  }

  private void park(long until) {
    if (until == FOREVER) {
      LockSupport.park(this);
    } else if (spinNanos > 0 && !Threads.isVirtual(Thread.currentThread())) {
      LockSupport.parkNanos(this, instant(until) - spinNanos - time.nanoTime());
      spin(instant(until));
    } else {
      time.parkUntil(this, instant(until));
    }
  }

  /** Spins through the tail of a wait, unless it was woken long before. */
  private void spin(long until) {
    for (long left = until - time.nanoTime();
        left > 0 && left <= spinNanos && !Thread.currentThread().isInterrupted();
        left = until - time.nanoTime()) {
      Thread.onSpinWait();
    }
  }

  // ---- ending

  Outcome endOf(Throwable failure) {
    return classifier.endOf(failure);
  }

  /** Corrects what a permit was charged. */
  void settle(OpenPermit permit, Cost actual) {
    Cost checked = names.check(actual);
    settle(permit, charged -> checked);
  }

  /** Corrects the plain cost that a permit was charged. */
  void settle(OpenPermit permit, long actual) {
    Cost plain = Cost.of(actual);
    settle(permit, charged -> charged.withAmount(plain.amount()));
  }

  private void settle(OpenPermit permit, UnaryOperator<Cost> correction) {
    Lane lane = permit.lane.hold();
    try {
      if (!visit(duties -> desk.settle(permit, lane, correction, duties))) {
        throw new IllegalStateException("the permit has ended: settle before: " + permit);
      }
    } finally {
      lane.letGo();
    }
  }

  /** Charges a request again that is sent late; returns how long ago it was let through. */
  Duration sending(OpenPermit permit) {
    long age = Math.max(0, time.nanoTime() - origin - permit.startedAt);
    if (age > lateNanos) {
      Lane lane = permit.lane.hold();
      try {
        run(duties -> desk.startsLate(permit, lane, duties));
      } finally {
        lane.letGo();
      }
    }
    return Duration.ofNanos(age);
  }

  void end(OpenPermit permit, Outcome end) {
    if (permit.lane.mustBeToldOfEnds() || !gate.tryEnter()) {
      run(
          duties -> {
            desk.end(permit, end, duties.now);
            desk.ended(permit, duties);
          });
      return;
    }
    boolean left = false;
    boolean roused = true;
    try {
      roused = desk.end(permit, end, now());
      gate.leave(roused ? Gate.SLOW : Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
    if (roused) {
      run(duties -> desk.ended(permit, duties));
    }
  }

  /** Gives up a place in line; false if it has been given up, or taken, already. */
  boolean giveUp(FutureWaiter waiter) {
    return visit(duties -> desk.quit(waiter, duties));
  }

  // ---- steering

  public Limit limit() {
    return visit(duties -> desk.limit());
  }

  /**
   * Puts another limit in force.
   *
   * @throws IllegalArgumentException if lanes cannot have the shares of it that they should, or a
   *     state file cannot keep it
   */
  public void setLimit(Limit next) {
    if (state != null) {
      SavedState.check(next);
    }
    Pools.Shares shares = desk.shares(next);
    run(duties -> desk.setLimit(shares, duties));
  }

  public void pauseFor(long nanos) {
    run(duties -> desk.pauseFor(nanos, duties));
  }

  /** Takes in that the peer has refused a request; a key there is no room for has none to come. */
  public void peerRefused(Seat seat, long pause) {
    Lane lane = seat.tryHold();
    if (lane == null) {
      return;
    }
    try {
      run(duties -> desk.peerRefused(lane, pause, duties));
    } finally {
      lane.letGo();
    }
  }

  /** Returns what others are found to have taken; 0 for permits that do not know their place. */
  public long peerCounted(Permit permit, Quota quota) {
    return permit instanceof OpenPermit open && open.isOf(this)
        ? visit(duties -> desk.peerCounted(open, quota, duties))
        : 0;
  }

  public void peerDated(Permit permit, Instant date) {
    if (permit instanceof OpenPermit open && open.isOf(this)) {
      run(duties -> desk.peerDated(open, date, duties));
    }
  }

  public void resume() {
    run(desk::resume);
  }

  public void observeOnly(boolean on) {
    run(duties -> desk.observeOnly(on, duties));
  }

  public void close() {
    run(desk::close);
    leaveState(open -> open.close(sinceOrigin()));
  }

  /** How a state file is left to others. */
  @FunctionalInterface
  private interface Leaving {
    void leave(SavedState state) throws IOException;
  }

  private void leaveState(Leaving leaving) {
    if (state != null && !stateLeft.getAndSet(true)) {
      try {
        leaving.leave(state);
      } catch (IOException failure) {
        reporter.failed("closing the state file", failure);
      }
    }
  }

  /** Returns a lower bound of the wait of {@code cost}, NEVER if it cannot pass. */
  public long estimateWait(Seat seat, Cost cost) {
    Lane lane = seat.hold();
    try {
      return visit(duties -> desk.atLeast(lane, cost, duties.now));
    } finally {
      lane.letGo();
    }
  }

  public Snapshot snapshot() {
    return visit(desk::snapshot);
  }

  // ---- keys

  /** Returns this instant. */
  long sinceOrigin() {
    return time.nanoTime() - origin;
  }

  /** Returns a pool as it would be had it been made at {@code began}. */
  Pool newPool(Limit limit, long began) {
    var timeOfDay = new ShiftedTime(time);
    timeOfDay.goBack(sinceOrigin() - began);
    var pool = new Pool(limit, began, timeOfDay);
    timeOfDay.goBack(0);
    return pool;
  }

  /** Does what takes longer than a task of a timer should. */
  void handOver(Runnable work) {
    handOver(executor, () -> perform(work));
  }

  // ---- visiting

  /** Reads the clock. Inside the gate: a reading taken before could be old when it is recorded. */
  private long now() {
    return desk.now(time.nanoTime() - origin);
  }

  void run(Consumer<Visit> step) {
    visit(
        duties -> {
          step.accept(duties);
          return DONE;
        });
  }

  /** Visits the desk, and does outside what the visit leaves to be done. */
  <R extends @Nullable Object> R visit(Function<Visit, R> step) {
    Visit duties = null;
    boolean left = false;
    boolean performed = false;
    gate.enter();
    try {
      duties = new Visit(this, desk, now());
      if (shaken) {
        shaken = false;
        desk.mend(duties);
      }
      R answer = step.apply(duties);
      gate.leave(desk.isQuiet(duties.now) ? Gate.FREE : Gate.SLOW);
      left = true;
      duties.perform();
      performed = true;
      return answer;
    } finally {
      if (!performed) {
        shaken = true;
      }
      if (!left) {
        gate.word = Gate.SLOW;
        if (duties != null) {
          duties.perform();
        }
      }
    }
  }

  /** Does what a visit left to be done; what fails harms nothing else. */
  void perform(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      shaken = true;
      reporter.failed("a timer", failure);
    }
  }

  // ---- appointments

  Alarm alarm(long sinceOrigin, Consumer<Alarm> task) {
    return new Alarm(time, instant(sinceOrigin), task);
  }

  /** Returns an appointment for a future that is the watch of its lane, when it is to look. */
  Alarm alarm(FutureWaiter watch) {
    Lane lane = watch.lane;
    Alarm alarm = alarm(watch.looksAt, rung -> onAlarm(lane, rung));
    if (spinNanos > 0 && watch.looksAt != FOREVER) {
      long until = instant(watch.looksAt);
      Executor spinner = watch.own == null ? executor : watch.own;
      alarm.before(spinNanos, () -> handOver(spinner, () -> spin(alarm, watch, until)));
    }
    return alarm;
  }

  private void onAlarm(Lane lane, Alarm rung) {
    run(duties -> desk.rings(lane, rung, duties));
  }

  /**
   * Comes before an alarm rings, spins until it is time, and looks in its place. If no thread comes
   * for this, or not in time, the alarm rings.
   */
  private void spin(Alarm alarm, FutureWaiter watch, long until) {
    if (Threads.isVirtual(Thread.currentThread())) {
      return;
    }
    while (until - time.nanoTime() > 0) {
      if (alarm.isCancelled() || Thread.currentThread().isInterrupted()) {
        return;
      }
      Thread.onSpinWait();
    }
    run(
        duties -> {
          desk.rings(watch.lane, alarm, duties);
          if (watch.own == null) {
            duties.drainHere();
          }
        });
    alarm.cancel();
  }

  void onTimeout(FutureWaiter waiter) {
    run(duties -> desk.timeOut(waiter, duties));
  }

  // ---- futures

  void onLate(Alarm rung) {
    run(duties -> desk.looksForLate(rung, duties));
  }

  void onStall(Alarm rung) {
    run(duties -> desk.rescues(rung, duties));
  }

  /** Completes futures on the limiter's executor, or elsewhere if that refuses. */
  void startDraining() {
    handOver(executor, this::drain);
  }

  /** Has {@code work} done elsewhere; here, if it must be, as that is better than never. */
  void handOver(Executor to, Runnable work) {
    if (!accepts(to, work) && !accepts(FALLBACK, work)) {
      work.run();
    }
  }

  private boolean accepts(Executor executor, Runnable work) {
    try {
      executor.execute(work);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    } catch (Throwable failure) {
      reporter.failed("the executor", failure);
      return false;
    }
  }

  /** Takes the permit, or the refusal, that a future has been called for. */
  void claim(FutureWaiter waiter) {
    if (visit(duties -> desk.claim(waiter, duties))) {
      deliver(waiter);
    }
  }

  void drain() {
    if (draining.get() != null) {
      return; // asked for by a callback of this very thread, which will see to it
    }
    draining.set(true);
    try {
      for (FutureWaiter next = visit(desk::nextReady);
          next != null;
          next = visit(desk::nextReady)) {
        deliver(next);
      }
    } catch (Throwable failure) {
      shaken = true;
      reporter.failed("completing futures", failure);
    } finally {
      draining.remove();
    }
  }

  private void deliver(FutureWaiter waiter) {
    try {
      Permit permit = waiter.permit;
      if (permit != null) {
        waiter.future.deliver(permit);
      } else {
        waiter.future.fail(exception(waiter));
      }
    } catch (Throwable failure) {
      reporter.failed("a callback", failure);
    }
  }
}
