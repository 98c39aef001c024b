package dev.pacegate.engine;

import dev.pacegate.engine.visit.Clock;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Succession;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The meter of one limit, and the sum of the costs of waiters that were called to draw from it.
 * Guarded by the gate.
 */
public final class Pool {

  private static final long MINUTE = 60_000_000_000L;

  private final Succession succession;
  private final InstantSource timeOfDay;
  private final long began; // when it was made
  private Limit limit;
  private Meter meter;
  private @Nullable PermitAges ages; // once the limit has changed
  private boolean tracks;
  private boolean remembersLosses; // a lost request is spent for longer than an answered one
  private boolean countsSendings; // a request is over some time after it is sent
  private boolean followsCalendar; // so the peer's clock matters
  private boolean changed;
  private Cost called = Cost.none();
  private long released; // number of requests
  private long beyondOne; // what they cost in all, less one for each
  private long pausedUntil; // besides any pause of the limiter; FOREVER until resumed
  private boolean hasLoss; // a request was lost since the losses were last read
  private long quietUntil; // until when not to report losses again
  private Pacing pacing = Pacing.NONE;

  Pool(Limit limit, long began, InstantSource timeOfDay, Succession succession) {
    this(limit, began, timeOfDay, timeOfDay, succession);
  }

  /** As the other one, with the time of day that its first meter reads. */
  Pool(
      Limit limit,
      long began,
      InstantSource timeOfDay,
      InstantSource firstTimeOfDay,
      Succession succession) {
    this.began = began;
    this.limit = limit;
    this.timeOfDay = timeOfDay;
    this.succession = succession;
    this.meter = succession.first(limit, began, firstTimeOfDay);
    this.tracks = meter.tracks();
    this.remembersLosses = limit.unansweredNanos() > 0;
    this.countsSendings = countsSendings(limit);
    this.followsCalendar = followsCalendar(limit);
  }

  public Limit limit() {
    return limit;
  }

  /**
   * Returns whether {@code other} equals the limit in force; if so, keeps that object from now on.
   */
  public boolean has(Limit other) {
    boolean same = limit == other || limit.equals(other);
    limit = same ? other : limit;
    return same;
  }

  public Meter meter() {
    return meter;
  }

  /** Returns where its meters come from. */
  public Succession succession() {
    return succession;
  }

  /** Returns whether the meter must be told how permits end. */
  public boolean tracks() {
    return tracks;
  }

  /** Returns the ages at which open permits are inspected. */
  PermitAges ages() {
    return ages == null ? PermitAges.of(limit, meter) : ages;
  }

  boolean countsSendings() {
    return countsSendings;
  }

  /** No stream: it would load much for the first permit. */
  private static boolean countsSendings(Limit limit) {
    for (Promise promise : limit.promises()) {
      if (promise instanceof Promise.Counted) {
        return true;
      }
    }
    return false;
  }

  boolean followsCalendar() {
    return followsCalendar;
  }

  private static boolean followsCalendar(Limit limit) {
    for (Promise promise : limit.promises()) {
      if (promise.followsCalendar()) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether to record ends of open permits: they matter now, or may after a change. */
  boolean mindsEnds() {
    return tracks || changed;
  }

  /** Returns the sum of the costs of called waiters. */
  Cost called() {
    return called;
  }

  /**
   * Returns the wait of {@code cost} alone or, {@code behindCalled}, together with all called
   * waiters.
   */
  long nanosUntil(boolean behindCalled, long since, long now, Cost cost) {
    return untilBehind(behindCalled ? called : Cost.none(), since, now, cost);
  }

  /** Returns the wait of {@code cost} behind requests of the sum {@code ahead}. */
  long untilBehind(Cost ahead, long since, long now, Cost cost) {
    long pause = Math.max(pause(now), pacing.nanosUntil(now, ahead));
    if (ahead.calls() == 0) {
      return Math.max(pause, meter.nanosUntil(since, now, cost));
    }
    // A sum that may go as one may be too much for one request after another: if the last one is
    // paid later, none goes behind it.
    long together = meter.nanosUntil(since, now, ahead.plus(cost));
    return Math.max(pause, Math.max(together, meter.atLeast(since, now, ahead, cost)));
  }

  long atLeast(long since, long now, Cost ahead, Cost cost) {
    long pause = pausedUntil == Clock.FOREVER ? 0 : pause(now);
    long least = Math.max(pause, pacing.atLeast(now));
    return Math.max(least, meter.atLeast(since, now, ahead, cost));
  }

  /** Charges a release. */
  void release(long since, long now, Cost cost) {
    released++;
    beyondOne = plus(beyondOne, cost.amount() - 1);
    meter.release(since, now, cost);
    pacing.release(now, cost);
  }

  /** Returns what makes requests go evenly, if anything does. */
  public Pacing pacing() {
    return pacing;
  }

  public void paceBy(Pacing other) {
    pacing = other;
  }

  /** Records how a permit ended. */
  void end(long startedAt, long now, Cost cost, Outcome outcome) {
    hasLoss |= outcome == Outcome.LOST && remembersLosses;
    meter.end(startedAt, now, cost, outcome);
  }

  /** Returns whether a request was lost since losses were last reported. */
  boolean hasUntoldLoss(long now) {
    return hasLoss && now >= quietUntil;
  }

  /**
   * Returns how much of the limit of {@code cost} lost requests spend, if it is more than half, and
   * at most once a minute; otherwise null.
   */
  @Nullable Losses tellLosses(long now, Cost cost) {
    hasLoss = false;
    Losses losses = meter.losses(now, cost);
    if (!losses.areMost()) {
      return null;
    }
    quietUntil = Clock.later(now, MINUTE);
    return losses;
  }

  /** Returns how much of the limit lost requests spend. */
  long spentByLost(long now) {
    return meter.losses(now, Cost.ONE).lost();
  }

  public InstantSource timeOfDay() {
    return timeOfDay;
  }

  /** Returns how many requests were released. */
  long released() {
    return released;
  }

  /**
   * Returns what {@code granted} requests have cost in all: those that were released here, and
   * others of one unit each.
   */
  long units(long granted) {
    return plus(beyondOne, granted);
  }

  /** Adds; a sum that is too large stays at the largest number. */
  private static long plus(long sum, long more) {
    long added = sum + more;
    return more > 0 && added < sum ? Long.MAX_VALUE : added;
  }

  /** Lets no request through before {@code instant}. */
  public void pauseUntil(long instant) {
    pausedUntil = Math.max(pausedUntil, instant);
  }

  void resume() {
    pausedUntil = 0;
    pacing.resumed();
  }

  public boolean isPaused(long now) {
    return pausedUntil > now;
  }

  long pause(long now) {
    if (pausedUntil <= now) {
      return 0;
    }
    return pausedUntil == Clock.FOREVER
        ? Meter.AT_EVENT
        : Math.min(pausedUntil - now, Meter.LONGEST);
  }

  /** Returns the nanoseconds until this pool allows as much as a fresh one. */
  public long restsIn(long now) {
    return Math.max(Math.max(pause(now), pacing.restsIn(now)), meter.restsIn(now));
  }

  void call(Cost cost) {
    called = called.plus(cost);
  }

  /** Subtracts; false if the sum has saturated and cannot be taken apart. */
  boolean uncall(Cost cost) {
    if (called.isSaturated()) {
      return false;
    }
    assert called.calls() >= cost.calls() && called.amount() >= cost.amount()
        : "more calls are taken back than were made";
    called = called.minus(cost);
    return true;
  }

  void uncallAll() {
    called = Cost.none();
  }

  /** Returns the meter of {@code next} that would take over at {@code now}. */
  Meter successor(Limit next, long now, List<OpenRequest> open) {
    return succession.successor(new Takeover(limit, meter, began, next, now, timeOfDay, open));
  }

  /** Returns a meter of the limit that knows nothing, to try out. */
  Meter freshMeter(long now) {
    return limit.withoutInitialState().newMeter(now, timeOfDay);
  }

  /**
   * Returns what puts {@code next} in force. Asks it, its meter and its promises before, as they
   * may be the program's and fail: nothing has changed then.
   */
  Runnable installation(Limit next, Meter successor, long now) {
    Runnable paced = pacing.changing(next, now);
    PermitAges nextAges = PermitAges.of(next, successor);
    boolean nextTracks = successor.tracks();
    boolean remembers = next.unansweredNanos() > 0;
    boolean follows = followsCalendar(next);
    boolean counts = countsSendings(next);
    return () -> {
      succession.install(successor, now);
      paced.run();
      limit = next;
      meter = successor;
      ages = nextAges;
      changed = true;
      tracks = nextTracks;
      remembersLosses = remembers;
      followsCalendar = follows;
      countsSendings |= counts; // a window of an earlier limit may count them
    };
  }
}
