package dev.pacegate;

import static dev.pacegate.Waiter.FOREVER;

import dev.pacegate.Waiter.State;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.End;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The machinery of a {@link Limiter}: a gate around a meter, one line of waiters, a clock. */
/*
 * Nothing is charged until it is released. Whoever asks enters the gate, reads the clock there, and
 * either takes a permit or joins the line. Only the first in line who has not been called (the watch)
 * looks at the clock. When it is due, it goes, and everybody behind it who can go together with it is
 * called: each comes back through the gate and takes a permit of its own, stamped with its own
 * reading of the clock. Whoever leaves the line simply leaves; there is nothing to pay back.
 *
 * Every visit to the gate while somebody waits ends with `advance`, so that a change of any kind (a
 * release, an end, a departure, another limit, a pause) needs no rule of its own.
 *
 * Inside the gate nobody waits and no user code runs. What remains to be done outside, the visit
 * leaves as Duties.
 *
 * Instants are nanoseconds since the limiter was made, so none is negative, and FOREVER is one.
 */
final class Admission {

  /** No wait at all: not even joining the line. */
  private static final long NO_WAIT = -1;

  /** In place of a permit: nothing has been decided. */
  private static final Permit GATE_NOT_FREE = new StampedPermit(0, 0);

  /** The answer of a visit after which a waiter need not look again. */
  private static final long DONE = -1;

  /** For the futures of those whose executor refuses. */
  private static final Executor FALLBACK = new CompletableFuture<Void>().defaultExecutor();

  private final String name;
  private final Time time;
  private final long origin;
  private final Executor executor;
  private final int maxWaiting;
  private final long spinNanos;
  private final boolean stamped;
  private final Reporter reporter;

  private final Gate gate = new Gate();

  // Everything below is guarded by the gate.
  private Limit limit;
  private Meter meter;
  private boolean tracks;
  private boolean impatient; // whether the meter minds how long permits stay open
  private long last;
  private final Line line = new Line();
  private final OpenPermits open = new OpenPermits();
  private final ArrayDeque<FutureWaiter> ready = new ArrayDeque<>();
  private boolean draining;
  private @Nullable Thread drainer;
  private @Nullable Alarm alarm;
  private long pausedUntil; // FOREVER until resumed
  private boolean observing;
  private boolean closed;
  private volatile boolean shaken; // an error came between: set anywhere, by a plain field write
  private long granted;
  private long refused;
  private long cancelled;
  private long heldBack;
  private final WaitHistogram.Counter waits = new WaitHistogram.Counter();

  Admission(Limiter.Builder options) {
    this.limit = options.limit;
    this.name = options.name();
    this.time = options.time;
    this.executor = options.executor;
    this.maxWaiting = options.maxWaiting;
    this.spinNanos = time == Time.system() ? options.spinNanos : 0;
    this.stamped = options.stamped;
    this.reporter = new Reporter(name, options.listener);
    this.origin = time.nanoTime();
    this.meter = limit.newMeter(0);
    install(limit, meter);
  }

  String name() {
    return name;
  }

  /** Returns an instant of the limiter's clock. */
  long instant(long sinceOrigin) {
    return origin + sinceOrigin;
  }

  // ---- asking

  /** Returns a permit if one can be had at once without overtaking anybody, or null. */
  @Nullable Permit tryNow(Cost cost) {
    boolean inspects = impatient;
    Permit permit = decide(cost, inspects ? 0 : 1);
    if (permit != GATE_NOT_FREE && (permit != null || !inspects)) {
      return permit;
    }
    var asking = new ThreadWaiter(cost);
    visit(
        duties -> {
          advance(duties);
          return ask(asking, NO_WAIT, duties);
        });
    return asking.refusal == Refusal.WAIT_TOO_LONG ? null : outcome(asking);
  }

  /**
   * Waits for a permit for up to {@code maxWait} nanoseconds.
   *
   * @throws RefusedException if there is none
   */
  Permit acquire(Cost cost, long maxWait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Permit permit = decide(cost, 0);
    if (permit != null && permit != GATE_NOT_FREE) {
      return permit;
    }
    return outcome(wait(cost, maxWait));
  }

  /** As {@link #acquire}, but answers with null where the wait is too long or the line is full. */
  @Nullable Permit tryAcquire(Cost cost, long maxWait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Permit permit = decide(cost, 0);
    if (permit != null && permit != GATE_NOT_FREE) {
      return permit;
    }
    Waiter waiter = wait(cost, maxWait);
    boolean justNotNow =
        waiter.refusal == Refusal.WAIT_TOO_LONG || waiter.refusal == Refusal.LINE_FULL;
    return justNotNow ? null : outcome(waiter);
  }

  /** Returns a permit to come; refusals are failures of the future. */
  CompletableFuture<Permit> acquireAsync(Cost cost, long maxWait) {
    try {
      Permit permit = decide(cost, 0);
      if (permit != null && permit != GATE_NOT_FREE) {
        return CompletableFuture.completedFuture(permit);
      }
    } catch (CostTooLargeException never) {
      return CompletableFuture.failedFuture(never);
    }
    var future = new PermitFuture(this, cost);
    FutureWaiter waiter = future.waiter;
    boolean failed = true;
    long until;
    try {
      until = visit(duties -> joinAsync(waiter, maxWait, duties));
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

  /**
   * The whole of asking while nobody waits; {@link #GATE_NOT_FREE} if that may not be so.
   *
   * <p>Between entering the gate and the try block there is no call that could need more stack.
   */
  private @Nullable Permit decide(Cost cost, int refusals) {
    if (!gate.tryEnter()) {
      return GATE_NOT_FREE;
    }
    Permit permit = null;
    long wait;
    long now;
    boolean left = false;
    try {
      now = now();
      wait = meter.nanosUntil(now, now, cost);
      if (wait == 0) {
        permit = release(now, now, cost, 0);
      } else {
        refused += refusals;
      }
      gate.leave(Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
    if (wait == Meter.NEVER) {
      throw new CostTooLargeException(name, cost);
    }
    if (reporter.listens()) {
      tell(cost, permit != null, refusals, instant(now), wait);
    }
    return permit;
  }

  private void tell(Cost cost, boolean released, int refusals, long instant, long wait) {
    if (released) {
      reporter.released(cost, instant, 0);
    } else if (refusals > 0) {
      reporter.refused(cost, wait == Meter.AT_EVENT ? 0 : wait);
    }
  }

  private ThreadWaiter wait(Cost cost, long maxWait) throws InterruptedException {
    var waiter = new ThreadWaiter(cost);
    boolean drains = drainer == Thread.currentThread();
    boolean failed = true;
    try {
      long until = visit(duties -> ask(waiter, drains ? NO_WAIT : maxWait, duties));
      while (until != DONE) {
        park(until);
        if (Thread.interrupted()) {
          visit(duties -> quit(waiter, duties));
          failed = false;
          throw new InterruptedException();
        }
        until = visit(duties -> look(waiter, duties));
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

  /** What is most needed comes first and is a field write, which no lack of stack prevents. */
  private void desert(Waiter waiter) {
    waiter.deserted = true;
    shaken = true;
    visit(duties -> DONE);
    if (waiter.permit != null) {
      waiter.permit.unused();
    }
  }

  private static boolean wouldWait(Waiter refused, long maxWait) {
    return maxWait > 0 && refused.atLeast <= maxWait;
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
      while (instant(until) - time.nanoTime() > 0
          && instant(until) - time.nanoTime() <= spinNanos
          && !Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
    } else {
      time.parkUntil(this, instant(until));
    }
  }

  // ---- other verbs

  void end(OpenPermit permit, End end) {
    if (!gate.tryEnter()) {
      visit(
          duties -> {
            endNow(permit, end, duties.now);
            advance(duties);
            return DONE;
          });
      return;
    }
    boolean left = false;
    try {
      endNow(permit, end, now());
      gate.leave(Gate.FREE);
      left = true;
    } finally {
      if (!left) {
        gate.word = Gate.SLOW;
      }
    }
  }

  /** Gives up a place in line; false if it has been given up, or taken, already. */
  boolean giveUp(FutureWaiter waiter) {
    return visit(duties -> quit(waiter, duties)) != DONE;
  }

  Limit limit() {
    return visit(duties -> limit);
  }

  void setLimit(Limit next) {
    visit(
        duties -> {
          Meter successor = next.newMeter(duties.now).succeed(duties.now, meter);
          if (successor.tracks()) {
            open.forEach(permit -> successor.adopt(permit.startedAt, permit.cost));
          }
          install(next, successor);
          line.uncall();
          advance(duties);
          return DONE;
        });
  }

  private void install(Limit next, Meter successor) {
    limit = next;
    meter = successor;
    tracks = meter.tracks();
    impatient = meter.warnAfter() < Meter.NEVER || meter.abandonAfter() < Meter.NEVER;
  }

  /** Lets nobody through for another {@code nanos}, or until resumed if they are FOREVER. */
  void pauseFor(long nanos) {
    visit(
        duties -> {
          pausedUntil = Math.max(pausedUntil, later(duties.now, nanos));
          line.uncall();
          advance(duties);
          return DONE;
        });
  }

  void resume() {
    visit(
        duties -> {
          pausedUntil = 0;
          advance(duties);
          return DONE;
        });
  }

  void observeOnly(boolean on) {
    visit(
        duties -> {
          observing = on;
          line.uncall();
          advance(duties);
          return DONE;
        });
  }

  void close() {
    visit(
        duties -> {
          closed = true;
          for (Waiter w = line.first(); w != null; w = line.first()) {
            turnAway(w, Refusal.CLOSED, duties);
          }
          advance(duties);
          return DONE;
        });
  }

  /** Returns a lower bound of the wait of {@code cost}, NEVER if it cannot pass. */
  long estimateWait(Cost cost) {
    return visit(duties -> atLeast(cost, duties.now));
  }

  Snapshot snapshot() {
    return visit(duties -> snapshot(duties.now));
  }

  private Snapshot snapshot(long now) {
    OpenPermit oldest = open.oldest();
    return new Snapshot(
        name,
        limit,
        granted,
        refused,
        cancelled,
        heldBack,
        line.size(),
        open.size(),
        Duration.ofNanos(oldest == null ? 0 : now - oldest.startedAt),
        pausedUntil > now,
        waits.of(granted),
        most());
  }

  private List<Snapshot.Most> most() {
    var most = new ArrayList<Snapshot.Most>();
    Iterator<Promise> promises = limit.promises().iterator();
    meter.most(
        count -> {
          if (promises.hasNext()) {
            most.add(new Snapshot.Most(promises.next(), count));
          }
        });
    return most;
  }

  // ---- inside the gate

  /** Visits the gate, and does outside what the visit leaves to be done. */
  private <R extends @Nullable Object> R visit(Function<Duties, R> step) {
    Duties duties = null;
    boolean left = false;
    boolean performed = false;
    gate.enter();
    try {
      duties = new Duties(this, now());
      if (shaken) {
        mend(duties);
      }
      R answer = step.apply(duties);
      gate.leave(isQuiet(duties.now) ? Gate.FREE : Gate.SLOW);
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

  /**
   * Puts right what an error left undone, inside a visit or after it: those it befell leave the
   * line, those who had been called are called again, and so is the drainer. (If the old one is
   * still at work there are two for a while, which does no harm.)
   */
  private void mend(Duties duties) {
    shaken = false;
    draining = false;
    drainer = null;
    line.uncall();
    for (Waiter w = line.first(); w != null; ) {
      Waiter next = w.next;
      if (w.deserted) {
        remove(w, duties);
        tellLeft(w, duties);
      }
      w = next;
    }
    advance(duties);
  }

  private boolean isQuiet(long now) {
    return line.isEmpty() && pausedUntil <= now && !observing && !closed;
  }

  private long now() {
    long reading = time.nanoTime() - origin;
    if (reading > last) {
      last = reading;
    }
    return last;
  }

  /** Lets through at once, or refuses, or puts in line; returns until when to park. */
  private long ask(Waiter waiter, long maxWait, Duties duties) {
    long now = duties.now;
    duties.awake = waiter;
    waiter.arrivedAt = now;
    waiter.since = now;
    if (mayPassBy(waiter.cost, now)) {
      waiter.permit = release(now, now, waiter.cost, 0);
      tellReleased(waiter, duties);
      return DONE;
    }
    Refusal refusal = refusal(waiter, maxWait, now);
    if (refusal != null) {
      waiter.refusal = refusal;
      refused++;
      tellRefused(waiter, duties);
      return DONE;
    }
    waiter.deadline = later(now, maxWait);
    line.add(waiter, now);
    advance(duties);
    return parksUntil(waiter, now);
  }

  /** Whoever comes may pass if all in line have been called, and it can go together with them. */
  private boolean mayPassBy(Cost cost, long now) {
    return !closed && line.watch() == null && untilDue(now, now, line.called().plus(cost)) == 0;
  }

  private @Nullable Refusal refusal(Waiter waiter, long maxWait, long now) {
    if (closed) {
      return Refusal.CLOSED;
    }
    waiter.atLeast = atLeast(waiter.cost, now);
    if (waiter.atLeast == Meter.NEVER) {
      return Refusal.COST_TOO_LARGE;
    }
    if (waiter.atLeast > maxWait) {
      return Refusal.WAIT_TOO_LONG;
    }
    return line.size() >= maxWaiting ? Refusal.LINE_FULL : null;
  }

  private long atLeast(Cost cost, long now) {
    Waiter first = line.first();
    long since = first == null ? now : first.since;
    long pause = pausedUntil == FOREVER ? 0 : Math.max(0, pausedUntil - now);
    return Math.max(pause, meter.atLeast(since, now, line.all(), cost));
  }

  private long joinAsync(FutureWaiter waiter, long maxWait, Duties duties) {
    long until = ask(waiter, maxWait, duties);
    if (until != DONE && waiter.deadline != FOREVER) {
      var timeout = new Alarm(instant(waiter.deadline), self -> onTimeout(waiter));
      waiter.timeout = timeout;
      duties.add(() -> timeout.start(time));
    }
    return until;
  }

  /** A thread that waits has come to look: it takes its permit, or leaves, or parks again. */
  private long look(ThreadWaiter waiter, Duties duties) {
    duties.awake = waiter;
    if (waiter.state == State.DONE) {
      return DONE; // turned away while it slept
    }
    decideOn(waiter, duties);
    return waiter.state == State.DONE ? DONE : parksUntil(waiter, duties.now);
  }

  /** Lets a waiter that looks take its permit, or leave if it is out of time. */
  private void decideOn(Waiter waiter, Duties duties) {
    if (isDue(waiter, duties.now)) {
      take(waiter, duties);
    } else {
      wasNotDue(waiter);
      if (duties.now >= waiter.deadline) {
        giveUpWaiting(waiter, duties);
      }
    }
    advance(duties);
  }

  private boolean isDue(Waiter waiter, long now) {
    if (waiter.state == State.CALLED) {
      return untilDue(waiter.since, now, waiter.cost) == 0;
    }
    return waiter == line.watch()
        && untilDue(waiter.since, now, line.called().plus(waiter.cost)) == 0;
  }

  /** Called, and yet not due: then nobody behind it is. As the watch it will look again. */
  private void wasNotDue(Waiter waiter) {
    if (waiter.state == State.CALLED) {
      line.uncall();
    } else if (waiter == line.watch()) {
      waiter.looksAt = FOREVER;
    }
  }

  private static long parksUntil(Waiter waiter, long now) {
    return waiter.state == State.CALLED ? now : Math.min(waiter.looksAt, waiter.deadline);
  }

  private void take(Waiter waiter, Duties duties) {
    long now = duties.now;
    waiter.permit = release(waiter.since, now, waiter.cost, now - waiter.arrivedAt);
    remove(waiter, duties);
    tellReleased(waiter, duties);
  }

  private void giveUpWaiting(Waiter waiter, Duties duties) {
    remove(waiter, duties);
    waiter.atLeast = atLeast(waiter.cost, duties.now);
    waiter.refusal = Refusal.WAIT_TOO_LONG;
    tellLeft(waiter, duties);
  }

  /** Leaves the line; DONE if it was not, or no longer, in it. */
  private long quit(Waiter waiter, Duties duties) {
    if (waiter.state == State.DONE) {
      return DONE;
    }
    remove(waiter, duties);
    tellLeft(waiter, duties);
    advance(duties);
    return duties.now;
  }

  private void turnAway(Waiter waiter, Refusal refusal, Duties duties) {
    remove(waiter, duties);
    waiter.refusal = refusal;
    waiter.summon(duties);
    tellLeft(waiter, duties);
  }

  private void remove(Waiter waiter, Duties duties) {
    line.remove(waiter, duties.now);
    if (waiter instanceof FutureWaiter future && future.timeout != null) {
      duties.add(future.timeout::cancel);
    }
  }

  /**
   * Calls everybody who can go now, together with those called already, and sees to it that the
   * first who cannot will look again in time.
   */
  private void advance(Duties duties) {
    long now = duties.now;
    if (impatient) {
      inspect(duties);
    }
    for (Waiter watch = line.watch(); watch != null; watch = line.watch()) {
      long wait = untilDue(watch.since, now, line.called().plus(watch.cost));
      if (wait == 0) {
        watch.summon(duties);
        line.call(watch, now);
      } else if (wait == Meter.NEVER && line.called().calls() == 0) {
        turnAway(watch, Refusal.COST_TOO_LARGE, duties);
      } else {
        lookAgain(watch, wait >= Meter.AT_EVENT ? FOREVER : later(now, wait), duties);
        break;
      }
    }
    if (alarm != null && !(line.watch() instanceof FutureWaiter)) {
      duties.add(alarm::cancel);
      alarm = null;
    }
    if (!draining && !ready.isEmpty()) {
      draining = true;
      duties.drain();
    }
  }

  /** The wait of a request that has been first in line from {@code since}, pauses included. */
  private long untilDue(long since, long now, Cost cost) {
    if (observing) {
      return 0;
    }
    long wait = meter.nanosUntil(since, now, cost);
    if (pausedUntil <= now) {
      return wait;
    }
    return Math.max(wait, pausedUntil == FOREVER ? Meter.AT_EVENT : pausedUntil - now);
  }

  private void lookAgain(Waiter watch, long due, Duties duties) {
    long at = Math.min(due, nextInspection());
    if (at < watch.looksAt) {
      watch.looksAt = at;
      watch.rouse(duties);
    }
  }

  private Permit release(long since, long now, Cost cost, long waited) {
    Permit permit = issue(cost, now, waited);
    if (observing) {
      judge(since, now, cost);
    }
    meter.release(since, now, cost);
    granted++;
    if (waited > 0) {
      waits.add(waited);
    }
    if (tracks) {
      open.add((OpenPermit) permit);
    }
    return permit;
  }

  private Permit issue(Cost cost, long now, long waited) {
    if (tracks) {
      return new OpenPermit(this, cost, now, waited);
    }
    return stamped || waited > 0 ? new StampedPermit(instant(now), waited) : SharedPermit.INSTANCE;
  }

  /** Notes what would have become of a request that only observing lets through. */
  private void judge(long since, long now, Cost cost) {
    long wait = meter.nanosUntil(since, now, cost);
    if (wait > 0) {
      heldBack++;
    }
    if (wait > 0 && wait < Meter.AT_EVENT) {
      waits.add(wait);
    }
  }

  private void endNow(OpenPermit permit, End end, long now) {
    if (permit.ended) {
      return;
    }
    permit.ended = true;
    open.remove(permit);
    if (tracks) {
      meter.end(permit.startedAt, now, permit.cost, end);
    }
  }

  /** Warns about permits that have been open for too long, and gives up those that are to be. */
  private void inspect(Duties duties) {
    long now = duties.now;
    for (OpenPermit p = open.unwarned();
        p != null && now - p.startedAt >= meter.warnAfter();
        p = open.unwarned()) {
      open.warned(p);
      Cost cost = p.cost;
      long age = now - p.startedAt;
      duties.add(() -> reporter.overdue(cost, age));
    }
    for (OpenPermit p = open.oldest();
        p != null && now - p.startedAt >= meter.abandonAfter();
        p = open.oldest()) {
      endNow(p, End.LOST, now);
      Cost cost = p.cost;
      long age = now - p.startedAt;
      duties.add(() -> reporter.abandoned(cost, age));
    }
  }

  private long nextInspection() {
    if (!impatient) {
      return FOREVER;
    }
    OpenPermit unwarned = open.unwarned();
    OpenPermit oldest = open.oldest();
    long warning = unwarned == null ? FOREVER : later(unwarned.startedAt, meter.warnAfter());
    long giveUp = oldest == null ? FOREVER : later(oldest.startedAt, meter.abandonAfter());
    return Math.min(warning, giveUp);
  }

  private static long later(long instant, long span) {
    long sum = instant + span;
    return sum < 0 ? FOREVER : sum;
  }

  // ---- futures

  /** Puts a future up for completion. Inside the gate. */
  void queue(FutureWaiter waiter) {
    ready.add(waiter);
  }

  /** Replaces the appointment at which the watch, a future, is looked after. Inside the gate. */
  void setAlarm(long instant, Duties duties) {
    Alarm old = alarm;
    if (old != null) {
      duties.add(old::cancel);
    }
    var next = new Alarm(instant(instant), this::onAlarm);
    alarm = next;
    duties.add(() -> next.start(time));
  }

  private void onAlarm(Alarm rung) {
    visit(
        duties -> {
          Waiter watch = line.watch();
          if (rung == alarm) {
            alarm = null;
            if (watch != null) {
              watch.looksAt = FOREVER;
            }
          }
          advance(duties);
          return DONE;
        });
  }

  private void onTimeout(FutureWaiter waiter) {
    visit(
        duties -> {
          advance(duties);
          if (waiter.state == State.WAITING) {
            giveUpWaiting(waiter, duties);
            waiter.summon(duties);
            advance(duties);
          }
          return DONE;
        });
  }

  /** Completes futures on the limiter's executor; one drainer at a time. Outside the gate. */
  void startDraining() {
    if (!handOver(executor) && !handOver(FALLBACK)) {
      drain(); // better here than never
    }
  }

  private boolean handOver(Executor to) {
    try {
      to.execute(this::drain);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    } catch (Throwable failure) {
      reporter.failed("the executor", failure);
      return false;
    }
  }

  private void drain() {
    try {
      for (FutureWaiter next = visit(this::nextReady);
          next != null;
          next = visit(this::nextReady)) {
        deliver(next);
      }
    } catch (Throwable failure) {
      shaken = true;
      reporter.failed("completing futures", failure);
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

  /** Stamps the next future that can go; null, and no longer draining, if there is none. */
  private @Nullable FutureWaiter nextReady(Duties duties) {
    drainer = Thread.currentThread();
    for (FutureWaiter w = ready.poll(); w != null; w = ready.poll()) {
      if (w.state != State.DONE) {
        decideOn(w, duties);
        if (w.state == State.DONE) {
          return w;
        }
      } else if (w.refusal != null) {
        return w;
      }
    }
    draining = false;
    drainer = null;
    return null;
  }

  // ---- telling the listener

  private void tellReleased(Waiter waiter, Duties duties) {
    if (reporter.listens()) {
      long instant = instant(duties.now);
      long waited = duties.now - waiter.arrivedAt;
      duties.add(() -> reporter.released(waiter.cost, instant, waited));
    }
  }

  private void tellRefused(Waiter waiter, Duties duties) {
    if (reporter.listens()) {
      duties.add(() -> reporter.refused(waiter.cost, waiter.atLeast));
    }
  }

  private void tellLeft(Waiter waiter, Duties duties) {
    cancelled++;
    if (reporter.listens()) {
      long waited = duties.now - waiter.arrivedAt;
      duties.add(() -> reporter.left(waiter.cost, waited));
    }
  }
}
