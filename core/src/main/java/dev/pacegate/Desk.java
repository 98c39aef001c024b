package dev.pacegate;

import static dev.pacegate.Waiter.FOREVER;

import dev.pacegate.Waiter.State;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.End;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Meter;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What goes on inside the gate: who is let through, who waits, who is called.
 *
 * <p>Every method is for whoever holds the gate. Nobody waits here and no user code runs; what is
 * to be done outside is left as {@link Duties}. Instants are nanoseconds since the limiter was
 * made, so none is negative, and {@link Waiter#FOREVER} is one.
 */
/*
 * Nothing is charged until it is released. Whoever asks either takes a permit or joins the line. Only
 * the first in line who has not been called (the watch) looks at the clock. When it is due, it goes,
 * and everybody behind it who can go together with it is called: each comes back and takes a permit of
 * its own, stamped with its own reading of the clock. Whoever leaves the line simply leaves; there is
 * nothing to pay back.
 *
 * Everything that happens while somebody waits (a release, an end, a departure, another limit, a
 * pause) ends with `advance`, so it needs no rule of its own.
 */
final class Desk {

  /** No wait at all: not even joining the line. */
  static final long NO_WAIT = -1;

  /** In place of the instant until which to park: there is nothing more to wait for. */
  static final long DONE = -1;

  private static final long STALL_NANOS = 1_000_000;

  private static final int MOST_DOUBLINGS = 10;

  private final Admission admission;
  private final int maxWaiting;
  private final boolean stamped;
  private final Tally tally;

  private Limit limit;
  private Meter meter;
  private boolean tracks;
  private boolean impatient; // whether the meter minds how long permits stay open
  private long last;
  private final Line line = new Line();
  private final OpenPermits open = new OpenPermits();
  private final ArrayDeque<FutureWaiter> ready = new ArrayDeque<>();
  private boolean draining;
  private int stalls; // in a row: looks at the drainers that found no progress
  private @Nullable Alarm rescue;
  private @Nullable Alarm alarm;
  private long pausedUntil; // FOREVER until resumed
  private boolean observing;
  private boolean closed;

  Desk(Admission admission, Limiter.Builder options, Reporter reporter) {
    this.admission = admission;
    this.maxWaiting = options.maxWaiting;
    this.stamped = options.stamped;
    this.tally = new Tally(reporter);
    this.limit = options.limit;
    this.meter = limit.newMeter(0);
    install(limit, meter);
  }

  private void install(Limit next, Meter successor) {
    limit = next;
    meter = successor;
    tracks = meter.tracks();
    impatient = meter.warnAfter() < Meter.NEVER || meter.abandonAfter() < Meter.NEVER;
  }

  /** Returns the instant of {@code reading}, or of an earlier one if the clock has stepped back. */
  long now(long reading) {
    if (reading > last) {
      last = reading;
    }
    return last;
  }

  /** Returns whether nothing here needs looking after. */
  boolean isQuiet(long now) {
    return line.isEmpty() && pausedUntil <= now && !observing && !closed;
  }

  /** Returns whether the meter minds how long permits stay open. May be asked without the gate. */
  boolean isImpatient() {
    return impatient;
  }

  // ---- asking while all is quiet

  /** Returns how long a request that comes now must wait, given that nobody waits. */
  long nanosUntil(long now, Cost cost) {
    return meter.nanosUntil(now, now, cost);
  }

  /** Lets a request through that has not waited. */
  Permit release(long now, Cost cost) {
    return release(now, now, cost, 0);
  }

  void refuse(int refusals) {
    tally.refused(refusals);
  }

  // ---- asking

  /** Lets through at once, or refuses, or puts in line; returns until when to park. */
  long ask(Waiter waiter, long maxWait, Duties duties) {
    long now = duties.now;
    duties.awake = waiter;
    waiter.arrivedAt = now;
    waiter.since = now;
    if (waiter.goesAtOnce() && mayPassBy(waiter.cost, now)) {
      waiter.permit = release(now, now, waiter.cost, 0);
      tally.tellReleased(waiter, admission.instant(now), duties);
      return DONE;
    }
    Refusal refusal = refusal(waiter, maxWait, now);
    if (refusal != null) {
      waiter.refusal = refusal;
      tally.tellRefused(waiter, duties);
      return DONE;
    }
    waiter.deadline = later(now, maxWait);
    line.add(waiter, now);
    advance(duties);
    return waiter.state == State.DONE ? DONE : parksUntil(waiter, now);
  }

  /** As {@link #ask}, with an appointment at the deadline. */
  long askAsync(FutureWaiter waiter, long maxWait, Duties duties) {
    long until = ask(waiter, maxWait, duties);
    if (until != DONE && waiter.deadline != FOREVER) {
      Alarm timeout = admission.alarm(waiter.deadline, self -> admission.onTimeout(waiter));
      waiter.timeout = timeout;
      duties.start(timeout);
    }
    return until;
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

  /**
   * Returns a lower bound of the wait of {@code cost} behind all in line; NEVER if it cannot pass.
   */
  long atLeast(Cost cost, long now) {
    Waiter first = line.first();
    long since = first == null ? now : first.since;
    long pause = pausedUntil == FOREVER ? 0 : Math.max(0, pausedUntil - now);
    return Math.max(pause, meter.atLeast(since, now, line.all(), cost));
  }

  // ---- waiting

  /** A thread that waits has come to look: it takes its permit, or leaves, or parks again. */
  long look(ThreadWaiter waiter, Duties duties) {
    duties.awake = waiter;
    if (waiter.state == State.DONE) {
      return DONE; // turned away while it slept
    }
    decideOn(waiter, duties);
    return waiter.state == State.DONE ? DONE : parksUntil(waiter, duties.now);
  }

  /** Lets a waiter that looks take its permit, or leave if it is out of time. */
  private void decideOn(Waiter waiter, Duties duties) {
    if (waiter.state == State.WAITING && duties.now >= waiter.deadline) {
      advance(duties); // it may go with those before it, who are late
    }
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
    tally.tellReleased(waiter, admission.instant(now), duties);
  }

  /** Leaves the line; false if it was not, or no longer, in it. */
  boolean quit(Waiter waiter, Duties duties) {
    if (waiter.state == State.DONE) {
      return false;
    }
    remove(waiter, duties);
    tally.tellLeft(waiter, duties);
    advance(duties);
    return true;
  }

  /** The deadline of a future has come. One that has been called is left to the drainer. */
  void timeOut(FutureWaiter waiter, Duties duties) {
    advance(duties);
    if (waiter.state == State.WAITING) {
      giveUpWaiting(waiter, duties);
      waiter.summon(duties);
      advance(duties);
    }
  }

  private void giveUpWaiting(Waiter waiter, Duties duties) {
    remove(waiter, duties);
    waiter.atLeast = atLeast(waiter.cost, duties.now);
    waiter.refusal = Refusal.WAIT_TOO_LONG;
    tally.tellLeft(waiter, duties);
  }

  private void turnAway(Waiter waiter, Refusal refusal, Duties duties) {
    remove(waiter, duties);
    waiter.refusal = refusal;
    waiter.summon(duties);
    tally.tellLeft(waiter, duties);
  }

  private void remove(Waiter waiter, Duties duties) {
    line.remove(waiter, duties.now);
    if (waiter instanceof FutureWaiter future && future.timeout != null) {
      duties.cancel(future.timeout);
    }
  }

  // ---- moving on

  /**
   * Calls everybody who can go now, together with those called already, and sees to it that the
   * first who cannot will look again in time.
   */
  void advance(Duties duties) {
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
      duties.cancel(alarm);
      alarm = null;
    }
    if (!ready.isEmpty()) {
      if (!draining) {
        draining = true;
        duties.drain();
      }
      watchDrainer(duties);
    }
  }

  /**
   * A drainer may never come, or be held up by a callback that blocks; those behind it are then
   * looked after by another.
   */
  private void watchDrainer(Duties duties) {
    if (rescue == null) {
      long patience = STALL_NANOS << Math.min(stalls, MOST_DOUBLINGS);
      rescue = admission.alarm(later(duties.now, patience), admission::onStall);
      duties.start(rescue);
    }
  }

  void rescues(Alarm rung, Duties duties) {
    if (rung != rescue) {
      return;
    }
    rescue = null;
    if (!ready.isEmpty()) {
      if (++stalls > 1) { // nobody has come since the last look
        duties.drain();
      }
      watchDrainer(duties);
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

  /** The watch is roused whenever its time has come nearer, for whatever reason. */
  private void lookAgain(Waiter watch, long due, Duties duties) {
    long at = Math.min(due, nextInspection());
    if (at < watch.looksAt) {
      watch.looksAt = at;
      watch.rouse(duties);
    }
  }

  /** Makes an appointment for the watch, a future, in place of the last one. */
  void setAlarm(long instant, Duties duties) {
    if (alarm != null) {
      duties.cancel(alarm);
    }
    alarm = admission.alarm(instant, admission::onAlarm);
    duties.start(alarm);
  }

  void rings(Alarm rung, Duties duties) {
    if (rung == alarm) {
      alarm = null;
      Waiter watch = line.watch();
      if (watch != null) {
        watch.looksAt = FOREVER;
      }
    }
    advance(duties);
  }

  /** Puts a future up for completion. */
  void queue(FutureWaiter waiter) {
    if (!waiter.queued) {
      ready.add(waiter);
      waiter.queued = true;
    }
  }

  /** Stamps the next future that can go; null, and no longer draining, if there is none. */
  @Nullable FutureWaiter nextReady(Duties duties) {
    stalls = 0;
    for (FutureWaiter w = ready.poll(); w != null; w = ready.poll()) {
      w.queued = false;
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
    if (rescue != null) {
      duties.cancel(rescue);
      rescue = null;
    }
    return null;
  }

  /** A future has been come for; returns whether it is to be completed now. */
  boolean claim(FutureWaiter waiter, Duties duties) {
    if (waiter.state != State.DONE) {
      decideOn(waiter, duties);
    }
    boolean over = waiter.permit != null || waiter.refusal != null;
    boolean first = over && !waiter.claimed;
    waiter.claimed |= over;
    return first;
  }

  /**
   * Puts right what an error left undone, inside a visit or after it: those it befell leave the
   * line, those who had been called are called again, and so is the drainer. (If the old one is
   * still at work there are two for a while, which does no harm.)
   */
  void mend(Duties duties) {
    draining = false;
    line.uncall();
    for (Waiter w = line.first(); w != null; ) {
      Waiter next = w.next;
      if (w.deserted) {
        remove(w, duties);
        tally.tellLeft(w, duties);
      }
      w = next;
    }
    advance(duties);
  }

  // ---- permits

  private Permit release(long since, long now, Cost cost, long waited) {
    Permit permit = issue(cost, now, waited);
    if (observing) {
      judge(since, now, cost);
    }
    meter.release(since, now, cost);
    tally.granted(observing ? 0 : waited);
    if (tracks) {
      open.add((OpenPermit) permit);
    }
    return permit;
  }

  private Permit issue(Cost cost, long now, long waited) {
    if (tracks) {
      return new OpenPermit(admission, cost, now, waited);
    }
    return stamped || waited > 0
        ? new StampedPermit(admission.instant(now), waited)
        : SharedPermit.INSTANCE;
  }

  /** Notes what would have become of a request that only observing lets through. */
  private void judge(long since, long now, Cost cost) {
    long wait = meter.nanosUntil(since, now, cost);
    if (wait > 0) {
      tally.heldBack(wait);
    }
  }

  void end(OpenPermit permit, End end, long now) {
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
      tally.tellOverdue(p, duties);
    }
    for (OpenPermit p = open.oldest();
        p != null && now - p.startedAt >= meter.abandonAfter();
        p = open.oldest()) {
      end(p, End.LOST, now);
      tally.tellAbandoned(p, duties);
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

  // ---- steering

  Limit limit() {
    return limit;
  }

  void setLimit(Limit next, Duties duties) {
    Meter successor = next.newMeter(duties.now).succeed(duties.now, meter);
    if (successor.tracks()) {
      open.forEach(permit -> successor.adopt(permit.startedAt, permit.cost));
    }
    install(next, successor);
    line.uncall();
    advance(duties);
  }

  /** Lets nobody through for another {@code nanos}, or until resumed if they are FOREVER. */
  void pauseFor(long nanos, Duties duties) {
    pausedUntil = Math.max(pausedUntil, later(duties.now, nanos));
    line.uncall();
    advance(duties);
  }

  void resume(Duties duties) {
    pausedUntil = 0;
    advance(duties);
  }

  void observeOnly(boolean on, Duties duties) {
    observing = on;
    line.uncall();
    advance(duties);
  }

  void close(Duties duties) {
    closed = true;
    for (Waiter w = line.first(); w != null; w = line.first()) {
      turnAway(w, Refusal.CLOSED, duties);
    }
    advance(duties);
  }

  Snapshot snapshot(Duties duties) {
    advance(duties); // to notice leaks
    long now = duties.now;
    OpenPermit oldest = open.oldest();
    return new Snapshot(
        admission.name(),
        limit,
        tally.granted(),
        tally.refused(),
        tally.cancelled(),
        tally.heldBack(),
        line.size(),
        open.size(),
        Duration.ofNanos(oldest == null ? 0 : now - oldest.startedAt),
        pausedUntil > now,
        tally.waits(),
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

  private static long later(long instant, long span) {
    long sum = instant + span;
    return sum < 0 ? FOREVER : sum;
  }
}
