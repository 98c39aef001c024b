package dev.pacegate.engine;

import static dev.pacegate.engine.Waiter.OVER;
import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.engine.cost.PlainCosts;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Parking;
import dev.pacegate.engine.visit.Spinner;
import dev.pacegate.engine.visit.TaskRunner;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.VisitStep;
import dev.pacegate.gate.Gate;
import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.result.HeldPermits;
import dev.pacegate.state.SavedState;
import dev.pacegate.thread.TimerThread;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The monitor around the {@link EngineState}. Visits enter one at a time, each with a reading of
 * the clock taken inside the gate; their results (actions, futures to complete, waiters to wake)
 * are carried out outside.
 */
public abstract class EngineMonitor
    implements OpenPermit.Owner,
        FutureCompleter.ThreadSender,
        CostCheck.InForce,
        Clock.Visits,
        Visit.Performer {

  /** How many futures a thread resumes that has come for something else: 50 us or so. */
  private static final int MOST_RESUMED = 32;

  public final String name;
  public final CostCheck costs;
  final List<Lane> lanes; // the default one first
  public final Time time;
  public final Clock clock;
  final Parking parking;
  private final TaskRunner runner;
  public final Reporter reporter;
  final boolean listens; // whether there is a listener
  final @Nullable SavedState saved;
  private boolean savedLeft;
  private final List<WeakReference<? extends KeyGroup>> groups =
      new ArrayList<>(0); // around this, which guards it
  public final Gate gate = new Gate();
  private @Nullable Supply supply; // guarded by the gate; there once permits come from outside
  public final EngineState state; // guarded by the gate
  final ThreadLocal<Boolean> completing =
      new ThreadLocal<>(); // while this thread completes futures: whether it is asked for more
  volatile boolean needsRepair; // an error came between: set anywhere, by a plain field write

  /**
   * @throws IllegalArgumentException if the limit does not support these lanes, or a state file
   * @throws dev.pacegate.StateFileException if the state file cannot be used
   */
  EngineMonitor(
      Options options, @Nullable Function<? super EngineMonitor, ? extends Succession> meters) {
    this.name = options.name();
    this.costs = new CostCheck(name, options.limit(), this);
    this.lanes = lanes(options);
    this.time = options.time();
    this.clock = new Clock(time, time.nanoTime(), this);
    this.parking = new Parking(time, clock, options.spinNanos());
    this.reporter = new Reporter(name, options.listener(), time);
    this.listens = reporter.listens();
    this.runner = new TaskRunner(options.executor(), reporter);
    this.saved = options.openState(clock.reading(0));
    Succession own = saved == null ? Succession.PLAIN : saved;
    this.state = state(options, meters == null ? own : meters.apply(this));
    gate.word = supply == null ? Gate.FREE : Gate.SLOW;
  }

  private static List<Lane> lanes(Options options) {
    int reserved = 0;
    for (var named : options.lanes().entrySet()) {
      reserved += named.getValue().reservedPercent();
    }
    if (reserved > 99) {
      throw new IllegalArgumentException(
          "reserved shares must leave something for all lanes: "
              + reserved
              + " percent of "
              + options.limit());
    }
    var made = new ArrayList<Lane>();
    for (var named : options.lanes().entrySet()) {
      boolean isDefault = named.getKey().equals(Options.DEFAULT_LANE);
      var lane =
          new Lane(named.getKey(), named.getValue(), options.limit(), options.time(), reserved > 0);
      made.add(isDefault ? 0 : made.size(), lane);
    }
    return List.copyOf(made);
  }

  private EngineState state(Options options, Succession succession) {
    var completer = new FutureCompleter(clock, this);
    var spinner = options.spinNanos() > 0 ? new Spinner(parking, runner, this) : null;
    var stats = new StatsCounter(reporter);
    try {
      return new EngineState(options, lanes, clock, this, completer, spinner, stats, succession);
    } catch (RuntimeException | Error e) {
      leaveSaved(SavedState::close);
      throw e;
    }
  }

  // ---- visiting

  @Override
  public void run(Consumer<Visit> step) {
    visit(
        visit -> {
          step.accept(visit);
          return OVER;
        });
  }

  /**
   * Makes a visit inside the gate, and carries out its actions outside. Whatever its step was, the
   * waiters that can go then are called.
   */
  public <R extends @Nullable Object> R visit(VisitStep<R> step) {
    Visit visit = null;
    boolean left = false;
    boolean performed = false;
    gate.enter();
    try {
      visit = new Visit(state.tick());
      if (needsRepair) {
        needsRepair = false;
        state.repair(visit);
      }
      R outcome = step.apply(visit);
      state.advance(visit);
      R answer = step.answer(outcome, visit);
      if (supply != null) {
        supply.collect(visit);
      }
      boolean quiet = supply == null && state.isQuiet(visit.now); // the next needs no visit
      gate.leave(quiet ? Gate.FREE : Gate.SLOW);
      left = true;
      visit.leave(this);
      performed = true;
      return answer;
    } finally {
      if (!performed) {
        needsRepair = true;
      }
      if (!left) {
        gate.word = Gate.SLOW;
        if (visit != null) {
          visit.leave(this);
        }
      }
    }
  }

  /** Returns what is asked at the end of each visit, made when needed. Called inside the gate. */
  public Supply supply(Supplier<? extends Supply> made) {
    if (supply == null) {
      supply = made.get();
    }
    return supply;
  }

  /** A failure of one action of a visit does not affect the others. */
  @Override
  public void perform(Runnable action) {
    try {
      action.run();
    } catch (Throwable failure) {
      needsRepair = true;
      reporter.failed("a timer", failure);
    }
  }

  /** Puts limits in force, inside the gate. */
  public void install(Pools.Shares next, Visit visit) {
    var treatment = PlainCosts.Treatment.by(next.whole());
    state.setLimit(next, visit);
    costs.changeWhole(treatment);
  }

  // ---- waiting

  void tell(Cost cost, boolean released, AcquireMode mode, long reading, long wait) {
    if (released) {
      reporter.tell(listener -> listener.onRelease(cost, reading, 0));
    } else if (mode == AcquireMode.TRY || wait == Meter.NEVER) {
      reporter.tell(listener -> listener.onRefusal(cost, wait == Meter.AT_EVENT ? 0 : wait));
    }
  }

  /**
   * Makes a waiter leave the queue if its thread runs a job whose permit must end first: it would
   * wait for itself.
   */
  boolean leavesItself(ThreadWaiter waiter) {
    if (HeldPermits.here().isEmpty()) {
      return false; // as of most threads: they pay no visit
    }
    List<OpenPermit> held = SelfWait.held(this);
    return !held.isEmpty()
        && visit(
            visit ->
                SelfWait.isCertain(state, waiter, held, visit.now) && state.quit(waiter, visit));
  }

  IllegalStateException waitsForItself(ThreadWaiter waiter) {
    return new IllegalStateException(
        "limiter "
            + name
            + ": this thread would wait for itself: its job holds a permit until it returns, and asks"
            + " for another one that cannot be had before, under "
            + limits(waiter.lane)
            + ". Ask before or after the job, bound the wait (maxWait), or raise the limit");
  }

  // ---- futures

  @Override
  public void completeAll(boolean here) {
    if (here) {
      completeAll();
    } else {
      runner.run(this::completeAll);
    }
  }

  @Override
  public void complete(FutureWaiter waiter) {
    runner.run(requireNonNull(waiter.own), () -> claim(waiter));
  }

  /** Collects the permit, or the refusal, of a future that has been called. */
  private void claim(FutureWaiter waiter) {
    if (visit(visit -> state.claim(waiter, visit))) {
      deliver(waiter);
    }
  }

  private void completeAll() {
    if (completing.get() == null) {
      complete(true, Integer.MAX_VALUE);
    } else {
      completing.set(true); // asked by a callback of this very thread, which completes it later
    }
  }

  @Override
  public void resumeSome() {
    if (TimerThread.isHere() || completing.get() != null) {
      runner.run(this::completeAll);
    } else if (complete(false, MOST_RESUMED)) {
      completeAll(); // the limiter's executor has asked this thread for it
    }
  }

  /**
   * Completes futures that are ready, one after the other: what their callbacks let go comes later.
   * Returns whether this thread has been asked to complete more meanwhile.
   *
   * @param any whether this thread may run what depends on them
   */
  private boolean complete(boolean any, int most) {
    completing.set(false);
    try {
      for (int left = most; left > 0; left--) {
        FutureWaiter next = visit(visit -> state.nextReady(any, visit));
        if (next == null) {
          return completing.get();
        }
        deliver(next);
      }
      run(state::leaveReady);
      return completing.get();
    } catch (Throwable failure) {
      needsRepair = true;
      reporter.failed("completing futures", failure);
      return false;
    } finally {
      completing.remove();
    }
  }

  private void deliver(FutureWaiter waiter) {
    try {
      Permit permit = waiter.permit;
      if (permit != null) {
        waiter.recipient.deliver(permit);
      } else {
        waiter.recipient.fail(exception(waiter));
      }
    } catch (Throwable failure) {
      reporter.failed("a callback", failure);
    }
  }

  RefusedException exception(Waiter waiter) {
    Refusal refusal = waiter.refusal == null ? Refusal.CLOSED : waiter.refusal;
    return refusal.exception(name, waiter.cost, waiter.atLeast, allowed(refusal, waiter));
  }

  /** Returns the bound that a refused request broke. No switch: its class might not load now. */
  private String allowed(Refusal refusal, Waiter waiter) {
    if (refusal == Refusal.WAIT_TOO_LONG) {
      return Durations.brief(waiter.deadline - waiter.arrivedAt);
    }
    if (refusal == Refusal.QUEUE_FULL) {
      return waiter.lane.mostWaiters(state.maxWaiting);
    }
    if (refusal == Refusal.UNAVAILABLE) {
      return String.valueOf(waiter.unavailable);
    }
    return refusal == Refusal.CLOSED ? "" : limits(waiter.lane);
  }

  /** Names the limits in force. Needs no gate: the text may be of just before or after a change. */
  String limits(Lane lane) {
    return lane.limits(limitOfAll());
  }

  @Override
  public Limit limitOfAll() {
    return state.pools.limit();
  }

  @Override
  public boolean isObserving() {
    return visit(visit -> state.queue.isObserving());
  }

  /** Runs work on the executor that takes longer than a timer's task should. */
  public void handOver(Runnable work) {
    runner.run(() -> perform(work));
  }

  // ---- keys

  /** Lets this steer the keys of a group, for as long as the program refers to it. */
  public synchronized void add(WeakReference<? extends KeyGroup> group) {
    groups.removeIf(each -> each.get() == null);
    groups.add(group);
  }

  synchronized List<KeyGroup> groups() {
    var present = new ArrayList<KeyGroup>();
    for (WeakReference<? extends KeyGroup> each : groups) {
      KeyGroup group = each.get();
      if (group != null) {
        present.add(group);
      }
    }
    return present;
  }

  // ---- the state file

  /** How a state file is closed. */
  @FunctionalInterface
  interface Leaving {
    void leave(SavedState state) throws IOException;
  }

  private synchronized boolean leavesFirst() {
    boolean first = !savedLeft;
    savedLeft = true;
    return first;
  }

  void leaveSaved(Leaving leaving) {
    if (saved != null && leavesFirst()) {
      try {
        leaving.leave(saved);
      } catch (IOException | UncheckedIOException failure) {
        reporter.failed("closing the state file", failure);
      }
    }
  }
}
