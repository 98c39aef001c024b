package dev.pacegate.model;

import dev.pacegate.model.ModelState.Errand;
import dev.pacegate.model.ModelState.Place;
import dev.pacegate.model.Scenario.Option;
import dev.pacegate.model.Step.Action;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The protocol of gate, line, parking and clock as a transition system: which steps a state allows,
 * and what each of them does.
 *
 * <p><b>Gate.</b> A word with the bits HELD and SLOW. A thread enters by setting HELD when it is
 * not set. An arrival that finds the word free knows that no thread waits and that nothing is
 * paused, and asks the meter alone. What happens inside is one step, for no other is inside;
 * entering and leaving are steps of their own, and so is each {@code unpark} after leaving.
 *
 * <p><b>Line.</b> Who must wait joins it and parks. Of those not called only the first, the
 * <i>watch</i>, may know a time; all others park without. {@code advance()} calls the watch for as
 * long as it can go together with all who are called already, and adds up their costs; then it
 * wakes the watch that is left if this one would sleep longer than it need. A visit calls at most
 * two threads besides its own: others that could go are left to those, whose visits call on. A
 * waiter that can go calls first; if it has called any, it unparks them, called itself, and takes
 * its permit in a second visit. One that gets its permit leaves all to the called, if there are
 * any. That covers a new watch, which has no time yet, and an old one whose time an answer or a
 * resume brought nearer. A called waiter comes back, reads the clock and takes its permit; if it is
 * not due after all, all calls are taken back. A waiter that gives up returns its part of the
 * called sum. Going on, giving up, closing and resuming advance the queue.
 *
 * <p><b>Parking.</b> As in {@code LockSupport}: unpark leaves one token, park takes it or blocks, a
 * park that ends for another reason leaves a token where it is, also for the next acquire. An
 * interrupt or a time-out is noticed when park returns, and makes it return at once if it came
 * before; hence both are steps of a thread about to park or parked, and need no memory.
 *
 * <p><b>Clock.</b> Ticks come at any moment, also between entering and deciding. The clock is read,
 * the permit stamped and the caller let go in the one step inside the gate. A wait that only an
 * event can end is {@link ModelState#EVENT}. So is the wait of a watch that can never go together
 * with those called: it changes when one of them goes on or gives up.
 *
 * <p><b>Death.</b> An error may end a thread that was called before it comes, or may keep it from
 * waking those that it has called. It leaves a mark behind; the next visit takes back all calls,
 * removes the dead and calls anew. While any thread is called, an alarm makes such a visit, which
 * calls all who can go.
 *
 * <p><b>News.</b> If the limit is fed, a permit must be there for each that goes, besides what the
 * limit says. At the end of each visit the source is asked for one if those who wait want more than
 * there are and it has not been asked. Then it tells, from outside: a visit that takes back all
 * calls, as what there is may have become less, and advances the queue. News that fail bring
 * nothing, and all else happens.
 *
 * <p><b>Not modelled.</b> Spinning for the gate: who finds it held has no step, and any thread may
 * be the next to enter. Memory order: steps are sequentially consistent. Futures and what completes
 * them, {@code tryAcquire}, a changed limit (for the queue it is what a resume is), other errors
 * between two steps, such as the death of one that was to tell the watch its time, what befalls a
 * thread after it was let go, arithmetic, and clocks that step back.
 */
final class Protocol {
  private final Scenario scenario;
  private final Judge judge;
  private final Set<Mutant> mutants;
  private final int threads;
  private final int[] costs;
  private int callsLeft; // of the step that is being done
  private boolean hurries; // its thread has got a permit

  Protocol(Scenario scenario, Set<Mutant> mutants) {
    this.scenario = scenario;
    judge = new Judge(scenario);
    this.mutants = EnumSet.noneOf(Mutant.class);
    this.mutants.addAll(mutants);
    threads = scenario.costs().size();
    costs = scenario.costs().stream().mapToInt(Integer::intValue).toArray();
  }

  ModelState first() {
    return ModelState.first(scenario);
  }

  Judge judge() {
    return judge;
  }

  private boolean is(Mutant mutant) {
    return mutants.contains(mutant);
  }

  // Which steps are possible.

  List<Step> steps(ModelState s) {
    List<Step> steps = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      addSteps(s, t, steps);
    }
    addSteps(s, ModelState.PAUSER, steps);
    if (s.armed && !s.isHeld() && ringMatters(s)) {
      steps.add(Step.of(Action.RING, 0));
    }
    addMishaps(s, steps);
    if (clockMatters(s)) {
      steps.add(Step.of(Action.TICK, 0));
    }
    return steps;
  }

  /** What may happen once to the permits of a limit that is fed. */
  private void addMishaps(ModelState s, List<Step> steps) {
    int teller = ModelState.PAUSER;
    boolean idle = s.place[teller] == Place.OUTSIDE;
    if (!scenario.has(Option.FED) || s.actual[ModelState.MISHAPS] == 0) {
      return;
    }
    if (scenario.has(Option.REVOKE) && idle && s.errand[teller] == Errand.NONE) {
      steps.add(Step.of(Action.REVOKE, teller));
    }
    if (scenario.has(Option.STUMBLE) && idle && s.errand[teller] == Errand.TELL) {
      steps.add(Step.of(Action.STUMBLE, teller));
    }
    if (scenario.has(Option.EXPIRE) && !s.isHeld() && s.actual[ModelState.FED] > 0) {
      steps.add(Step.of(Action.EXPIRE, teller));
    }
  }

  /** Returns whether the alarm would change anything but its own instant. */
  private boolean ringMatters(ModelState s) {
    ModelState before = ModelState.of(s.threadKey(), s.sharedKey());
    ModelState rung = ModelState.of(s.threadKey(), s.sharedKey());
    ring(rung);
    return rung.threadKey() != before.threadKey() || rung.sharedKey() != before.sharedKey();
  }

  private void addSteps(ModelState s, int t, List<Step> steps) {
    if (mayDie(s, t)) {
      steps.add(Step.of(Action.DIE, t));
    }
    switch (s.place[t]) {
      case OUTSIDE -> {
        if (s.errand[t] != Errand.NONE && !s.isHeld()) {
          steps.add(Step.of(tearsEntry(s, t) ? Action.SEE_FREE : Action.ENTER, t));
        }
      }
      case TORN -> steps.add(Step.of(Action.ENTER, t));
      case INSIDE -> steps.add(Step.of(Action.DECIDE, t));
      case LEAVING -> steps.add(Step.of(Action.LEAVE, t));
      case WAKING -> {
        for (int target = 0; target < threads; target++) {
          if ((s.duties[t] & 1 << target) != 0) {
            steps.add(new Step(Action.UNPARK, t, target));
          }
        }
      }
      case PARKING -> {
        steps.add(Step.of(Action.PARK, t));
        addWaysToGiveUp(t, steps);
      }
      case PARKED -> {
        if (s.hasToken(t)) {
          steps.add(Step.of(Action.WAKE, t));
        }
        if (s.until[t] == 0) {
          steps.add(Step.of(Action.WAKE_IN_TIME, t));
        }
        if (s.spurious > 0) {
          steps.add(Step.of(Action.WAKE_FOR_NOTHING, t));
        }
        addWaysToGiveUp(t, steps);
      }
      case DEAD -> {}
    }
  }

  /** A thread that was called may die on its way, or on the way out, before it wakes others. */
  private boolean mayDie(ModelState s, int t) {
    boolean comes = s.place[t] == Place.OUTSIDE && s.isCalled(t);
    boolean goes = s.place[t] == Place.WAKING && (s.duties[t] & s.called) != 0;
    return scenario.has(Option.DIE) && !s.died && (comes || goes);
  }

  private void addWaysToGiveUp(int t, List<Step> steps) {
    if (scenario.has(Option.INTERRUPT)) {
      steps.add(Step.of(Action.INTERRUPT, t));
    }
    if (scenario.has(Option.TIME_OUT)) {
      steps.add(Step.of(Action.TIME_OUT, t));
    }
  }

  private boolean tearsEntry(ModelState s, int t) {
    return is(Mutant.ENTERS_WITHOUT_COMPARE_AND_SET)
        && s.errand[t] == Errand.ARRIVE
        && s.word == ModelState.FREE;
  }

  /** Returns whether a tick would change anything. */
  private boolean clockMatters(ModelState s) {
    if (scenario.has(Option.EDGE) && s.ticks < 2) {
      return true;
    }
    for (int age = 0; age < scenario.interval(); age++) {
      if (s.recorded[age] > 0 || s.actual[age] > 0) {
        return true;
      }
    }
    for (int t = 0; t < threads; t++) {
      if (s.isTimed(t) || readingAges(s, t)) {
        return true;
      }
    }
    return false;
  }

  // What a step does.

  /** Returns the state after {@code step}, leaving {@code s} for the caller to forget. */
  ModelState after(ModelState s, Step step) {
    int t = step.thread();
    switch (step.action()) {
      case TICK -> tick(s);
      case SEE_FREE -> s.place[t] = Place.TORN;
      case ENTER -> enter(s, t);
      case DECIDE -> {
        decide(s, t);
        s.place[t] = Place.LEAVING;
      }
      case LEAVE -> leave(s, t);
      case UNPARK -> {
        unpark(s, step.target());
        s.duties[t] &= ~(1 << step.target());
        if (s.duties[t] == 0) {
          goOut(s, t);
        }
      }
      case PARK -> {
        if (s.hasToken(t)) {
          wake(s, t, Errand.LOOK);
          s.tokens &= ~(1 << t);
        } else {
          s.place[t] = Place.PARKED;
        }
      }
      case WAKE -> {
        wake(s, t, Errand.LOOK);
        s.tokens &= ~(1 << t);
      }
      case WAKE_IN_TIME -> wake(s, t, Errand.LOOK);
      case WAKE_FOR_NOTHING -> {
        wake(s, t, Errand.LOOK);
        s.spurious--;
      }
      case INTERRUPT -> wake(s, t, Errand.QUIT);
      case TIME_OUT -> wake(s, t, Errand.LATE);
      case DIE -> die(s, t);
      case RING -> ring(s);
      case REVOKE -> stumble(s, Errand.REVOKE);
      case STUMBLE -> stumble(s, Errand.STUMBLE);
      case EXPIRE -> {
        s.actual[ModelState.MISHAPS]--;
        setPermits(s, 0);
      }
    }
    return s;
  }

  private static void stumble(ModelState s, Errand errand) {
    s.actual[ModelState.MISHAPS]--;
    s.errand[ModelState.PAUSER] = errand;
  }

  private static void setPermits(ModelState s, int permits) {
    s.recorded[ModelState.FED] = permits;
    s.actual[ModelState.FED] = permits;
  }

  private void die(ModelState s, int t) {
    s.died = true;
    s.needsRepair = !is(Mutant.DIES_UNNOTICED);
    if (s.place[t] == Place.WAKING) {
      s.duties[t] = 0;
      goOut(s, t);
    } else {
      s.place[t] = Place.DEAD;
    }
  }

  /** A visit of the timer's thread, and the wake-ups after it. */
  private void ring(ModelState s) {
    callsLeft = threads;
    hurries = false;
    s.armed = false;
    int watch = s.watch();
    if (!is(Mutant.ALARM_REPAIRS_NOTHING)) {
      mend(s);
    }
    int busy = s.duties[ModelState.PAUSER];
    s.duties[ModelState.PAUSER] = 0;
    advance(s, ModelState.PAUSER, watch);
    for (int t = 0; t < threads; t++) {
      if ((s.duties[ModelState.PAUSER] & 1 << t) != 0) {
        unpark(s, t);
      }
    }
    s.duties[ModelState.PAUSER] = busy;
    setAlarm(s, false);
    askForPermits(s, Errand.NONE);
    boolean quiet = s.isLineEmpty() && !s.isPaused() && !scenario.has(Option.FED);
    s.word = quiet ? ModelState.FREE : ModelState.SLOW;
  }

  /** Removes the dead, and takes back all calls. */
  private void mend(ModelState s) {
    if (!s.needsRepair) {
      return;
    }
    s.needsRepair = false;
    s.called = 0;
    s.calledSum = 0;
    for (int t = 0; t < threads; t++) {
      if (s.place[t] == Place.DEAD) {
        s.remove(t);
      }
    }
  }

  private void setAlarm(ModelState s, boolean rest) {
    boolean set = rest || (s.called != 0 && !is(Mutant.SETS_THE_ALARM_ONLY_FOR_A_REST));
    s.armed |= set && scenario.has(Option.DIE) && !is(Mutant.SETS_NO_ALARM);
  }

  private void tick(ModelState s) {
    for (int age = scenario.interval() - 1; age >= 0; age--) {
      s.recorded[age] = age > 0 ? s.recorded[age - 1] : 0;
      s.actual[age] = age > 0 ? s.actual[age - 1] : 0;
    }
    for (int t = 0; t < threads; t++) {
      if (s.isTimed(t)) {
        s.until[t]--;
      }
      if (readingAges(s, t)) {
        s.reading[t]++;
      }
    }
    if (scenario.has(Option.EDGE) && s.ticks < 2) {
      s.ticks++;
    }
  }

  /** A reading ages only if it is taken on the way to the gate instead of inside. */
  private boolean readingAges(ModelState s, int t) {
    return is(Mutant.READS_THE_CLOCK_BEFORE_THE_GATE)
        && (s.place[t] == Place.OUTSIDE || s.place[t] == Place.INSIDE)
        && s.errand[t] != Errand.NONE
        && s.reading[t] < scenario.interval();
  }

  private void enter(ModelState s, int t) {
    boolean free = s.word == ModelState.FREE || s.place[t] == Place.TORN;
    s.word |= ModelState.HELD;
    if (free && s.errand[t] == Errand.ARRIVE) {
      s.errand[t] = Errand.RUSH;
    }
    s.place[t] = Place.INSIDE;
  }

  private void leave(ModelState s, int t) {
    boolean slow = !s.isLineEmpty() && !is(Mutant.LEAVES_FREE_WITH_WAITERS);
    slow |= s.isPaused() && !is(Mutant.LEAVES_FREE_WHEN_PAUSED);
    slow |= scenario.has(Option.FED);
    if (!is(Mutant.LEAVES_THE_GATE_HELD)) {
      s.word = slow ? ModelState.SLOW : ModelState.FREE;
    }
    if (s.duties[t] == 0) {
      goOut(s, t);
    } else {
      s.place[t] = Place.WAKING;
    }
  }

  private void goOut(ModelState s, int t) {
    s.place[t] = s.errand[t] == Errand.LOOK ? Place.PARKING : Place.OUTSIDE;
    if (s.isDone(t)) {
      s.tokens &= ~(1 << t);
    }
  }

  private void unpark(ModelState s, int target) {
    boolean lost = is(Mutant.DROPS_EARLY_TOKENS) && s.place[target] != Place.PARKED;
    if (!lost && !s.isDone(target)) {
      s.tokens |= 1 << target;
    }
  }

  private static void wake(ModelState s, int t, Errand errand) {
    s.place[t] = Place.OUTSIDE;
    s.errand[t] = errand;
  }

  // Inside the gate.

  private void decide(ModelState s, int t) {
    callsLeft = scenario.has(Option.ONE_CALL) ? 1 : 2;
    hurries = false;
    int watch = s.watch();
    boolean heals = scenario.has(Option.HEAL) || s.needsRepair;
    mend(s);
    if (heals && s.errand[t] != Errand.RUSH) {
      advance(s, t, watch);
      s.duties[t] &= ~(1 << t);
    }
    Errand business = s.errand[t];
    boolean advances =
        switch (s.errand[t]) {
          case RUSH -> meterWait(s, t, costs[t]) == 0 ? release(s, t) : join(s, t);
          case ARRIVE -> mayPass(s, t) ? release(s, t) : join(s, t);
          case LOOK -> mayGo(s, t) ? wakeFirst(s, t, watch) : stay(s, t);
          case LATE -> mayGo(s, t) ? wakeFirst(s, t, watch) : timeOut(s, t);
          case TAKE -> mayTake(s, t) ? release(s, t) : stay(s, t);
          case QUIT -> interrupt(s, t);
          case CLOSE -> close(s, t);
          case PAUSE -> pause(s, t);
          case RESUME -> resume(s, t);
          case TELL, STUMBLE, REVOKE -> hear(s, t);
          case NONE -> throw new IllegalStateException("no business inside");
        };
    if (advances) {
      advance(s, t, watch);
    }
    askForPermits(s, business);
    s.reading[t] = 0;
  }

  /**
   * An arrival passes if everybody in the queue is called and the meter can carry it besides them.
   */
  private boolean mayPass(ModelState s, int t) {
    if (is(Mutant.BARGES)) {
      return wait(s, t, costs[t]) == 0;
    }
    int ahead = is(Mutant.PASSES_THE_CALLED) ? 0 : s.calledSum;
    boolean first = s.watch() < 0 || is(Mutant.PASSES_A_BIG_ONE);
    return first && wait(s, t, ahead + costs[t]) == 0;
  }

  /** A waiter goes if it is called, or is the watch and can go together with the called. */
  private boolean mayGo(ModelState s, int t) {
    if (is(Mutant.TAKES_WAKING_FOR_A_CALL)) {
      return true;
    }
    if (!s.isCalled(t)) {
      return s.watch() == t && wait(s, t, s.calledSum + costs[t]) == 0;
    }
    if (is(Mutant.RELEASES_ON_BEHALF)) {
      return true;
    }
    boolean due = wait(s, t, costs[t]) == 0;
    if (!due) {
      judge.calledInVain(s, t);
    }
    return due;
  }

  private boolean mayTake(ModelState s, int t) {
    return mayGo(s, t) || is(Mutant.TAKES_WITHOUT_LOOKING_AGAIN);
  }

  // The outcomes; each says whether the queue is to be advanced.

  /**
   * Calls others; if it has called any, the waiter is called, and comes back once they are woken.
   */
  private boolean wakeFirst(ModelState s, int t, int watch) {
    int calledBefore = s.called | 1 << t;
    if (!is(Mutant.HANDS_NOTHING_ON) || !s.isCalled(t)) {
      if (!s.isCalled(t)) {
        s.called |= 1 << t;
        s.calledSum += costs[t];
      }
      advance(s, t, watch);
    }
    if (s.called == calledBefore) {
      return release(s, t);
    }
    s.errand[t] = is(Mutant.PARKS_BEFORE_IT_TAKES) ? Errand.LOOK : Errand.TAKE;
    return false;
  }

  private boolean release(ModelState s, int t) {
    judge.release(s, t);
    hurries = true;
    boolean wasCalled = s.isCalled(t);
    if (!(s.isCalled(t) && is(Mutant.RELEASES_ON_BEHALF))) {
      charge(s, t, t);
    }
    giveBackCall(s, t);
    s.remove(t);
    if (scenario.tracked()) {
      s.errand[t] = Errand.CLOSE;
    } else {
      s.actual[0] += costs[t];
      finish(s, t);
    }
    boolean handsOn = !wasCalled || !is(Mutant.HANDS_NOTHING_ON);
    return handsOn && !is(Mutant.RELEASES_WITHOUT_ADVANCING);
  }

  private boolean join(ModelState s, int t) {
    s.append(t);
    return stay(s, t);
  }

  /** A called waiter that is not due takes all calls back; only the watch learns a time. */
  private boolean stay(ModelState s, int t) {
    if (s.isCalled(t) && !is(Mutant.STAYS_CALLED_WHEN_NOT_DUE)) {
      int uncalled = is(Mutant.UNCALLS_ONLY_ITSELF) ? 1 << t : s.called;
      s.calledSum = uncalled == s.called ? 0 : s.calledSum - costs[t];
      s.called &= ~uncalled;
    }
    boolean timed = s.watch() == t && !is(Mutant.PARKS_THE_WATCH_WITHOUT_A_TIME);
    s.until[t] = timed ? wait(s, t, s.calledSum + costs[t]) : ModelState.EVENT;
    s.errand[t] = Errand.LOOK;
    if (is(Mutant.WAKES_THE_WATCH_AT_EVERY_LOOK) && s.watch() >= 0) {
      s.duties[t] |= 1 << s.watch();
    }
    return false;
  }

  private boolean timeOut(ModelState s, int t) {
    quit(s, t);
    return !is(Mutant.TIMES_OUT_WITHOUT_ADVANCING);
  }

  private boolean interrupt(ModelState s, int t) {
    boolean handsOn = !s.isCalled(t) || !is(Mutant.IS_INTERRUPTED_AND_HANDS_NOTHING_ON);
    quit(s, t);
    return handsOn && !is(Mutant.IS_INTERRUPTED_WITHOUT_ADVANCING);
  }

  private void quit(ModelState s, int t) {
    if (!is(Mutant.LEAVES_ITS_CALLED_COST_BEHIND)) {
      giveBackCall(s, t);
    }
    s.remove(t);
    finish(s, t);
  }

  private boolean close(ModelState s, int t) {
    s.open -= costs[t];
    if (scenario.interval() > 0) {
      s.recorded[0] += costs[t];
      s.actual[0] += costs[t];
    }
    finish(s, t);
    return !is(Mutant.CLOSES_WITHOUT_ADVANCING);
  }

  private static boolean pause(ModelState s, int t) {
    s.errand[t] = Errand.RESUME;
    return false;
  }

  private boolean resume(ModelState s, int t) {
    s.errand[t] = Errand.NONE;
    return !is(Mutant.RESUMES_WITHOUT_ADVANCING);
  }

  /** News have come: there may be more permits, or fewer. */
  private boolean hear(ModelState s, int t) {
    int permits = s.recorded[ModelState.FED];
    switch (s.errand[t]) {
      case TELL -> setPermits(s, permits + 1);
      case REVOKE -> setPermits(s, 0);
      default -> setPermits(s, permits);
    }
    s.errand[t] = Errand.NONE;
    if (!is(Mutant.NEWS_LEAVE_THE_CALLED_CALLED)) {
      s.called = 0;
      s.calledSum = 0;
    }
    return !is(Mutant.NEWS_DO_NOT_ADVANCE);
  }

  /** Asks the source for a permit, if more are wanted than there are. */
  private void askForPermits(ModelState s, Errand business) {
    boolean asked = s.errand[ModelState.PAUSER] != Errand.NONE;
    if (!scenario.has(Option.FED) || asked || losesTheErrand(business)) {
      return;
    }
    int wanted = 0;
    for (int i = 0; i < s.ahead(-1); i++) {
      wanted += costs[s.line[i]];
    }
    if (wanted > s.recorded[ModelState.FED]) {
      s.errand[ModelState.PAUSER] = Errand.TELL;
    }
  }

  private boolean losesTheErrand(Errand business) {
    return switch (business) {
      case STUMBLE -> is(Mutant.NEWS_THAT_FAIL_LOSE_THE_ERRAND);
      case TELL, REVOKE -> is(Mutant.NEWS_ASK_FOR_NO_ERRAND);
      case LOOK -> is(Mutant.A_LOOK_ASKS_FOR_NO_ERRAND);
      default -> false;
    };
  }

  /** The acquire is over; on to the next one, if any. */
  private static void finish(ModelState s, int t) {
    s.left[t]--;
    s.errand[t] = s.left[t] > 0 ? Errand.ARRIVE : Errand.NONE;
  }

  // The line.

  /** Calls the waiters that can go, and wakes the watch if it would sleep longer than it need. */
  private void advance(ModelState s, int by, int watchBefore) {
    int watch = s.watch();
    while (watch >= 0 && wait(s, by, ahead(s) + costs[watch]) == 0) {
      if (watch != by && ((hurries && s.called != 0) || --callsLeft < 0)) {
        setAlarm(s, true);
        return; // left to those that have been called
      }
      call(s, by, watch);
      watch = s.watch();
    }
    setAlarm(s, false);
    if (watch < 0 || wait(s, by, s.calledSum + costs[watch]) >= s.until[watch]) {
      return;
    }
    boolean isNew = watch != watchBefore;
    if (!is(isNew ? Mutant.LETS_A_NEW_WATCH_SLEEP : Mutant.LETS_THE_OLD_WATCH_SLEEP)) {
      s.duties[by] |= 1 << watch;
    }
  }

  private int ahead(ModelState s) {
    return is(Mutant.CALLS_WITHOUT_ADDING_UP) ? 0 : s.calledSum;
  }

  private void call(ModelState s, int by, int watch) {
    s.called |= 1 << watch;
    if (is(Mutant.RELEASES_ON_BEHALF)) {
      charge(s, by, watch);
    } else {
      s.calledSum += costs[watch];
    }
    if (!is(Mutant.CALLS_WITHOUT_UNPARKING)) {
      s.duties[by] |= 1 << watch;
    }
  }

  private void giveBackCall(ModelState s, int t) {
    if (s.isCalled(t) && !is(Mutant.RELEASES_ON_BEHALF)) {
      s.calledSum -= costs[t];
    }
  }

  // The meter.

  /** Returns the ticks until {@code cost} may go if nothing else happens, or EVENT. */
  private int wait(ModelState s, int by, int cost) {
    return s.isPaused() ? ModelState.EVENT : meterWait(s, by, cost);
  }

  private int meterWait(ModelState s, int by, int cost) {
    if (scenario.has(Option.FED) && s.recorded[ModelState.FED] < cost) {
      return ModelState.EVENT;
    }
    for (int wait = 0; wait <= scenario.interval() + 1; wait++) {
      int spent = s.open + stamped(s, wait - now(s, by));
      if (spent + cost <= scenario.limit() && !scenario.isEdge(s.ticks + wait)) {
        return wait;
      }
    }
    return ModelState.EVENT;
  }

  /** Returns the cost of the stamps that still count so many ticks later. */
  private int stamped(ModelState s, int later) {
    int sum = 0;
    for (int age = 0; age < scenario.interval() && age + later < scenario.interval(); age++) {
      sum += s.recorded[age];
    }
    return sum;
  }

  /** How long ago {@code by} read the clock; a reading older than the last stamp is that stamp. */
  private int now(ModelState s, int by) {
    int age = 0;
    while (age < s.reading[by] && (age >= scenario.interval() || s.recorded[age] == 0)) {
      age++;
    }
    return age;
  }

  private void charge(ModelState s, int by, int t) {
    if (scenario.has(Option.FED)) {
      setPermits(s, s.recorded[ModelState.FED] - costs[t]);
    }
    if (scenario.tracked()) {
      s.open += costs[t];
    } else if (now(s, by) < scenario.interval()) {
      s.recorded[now(s, by)] += costs[t];
    }
  }
}
