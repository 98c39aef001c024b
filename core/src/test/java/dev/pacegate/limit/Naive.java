package dev.pacegate.limit;

import static java.util.stream.Collectors.toList;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * What a meter must answer, worked out in the plainest way: from a list of all that has happened,
 * anew for every question, in numbers that cannot overflow. Instants count from 0.
 */
interface Naive {

  long wait(long since, long now, Cost cost);

  void release(long since, long now, Cost cost);

  default void end(long startedAt, long now, Cost cost, Outcome end) {}

  /** Returns the longest wait that a meter may answer, as it need not remember everything. */
  default long longestWait(long since, long now, Cost cost) {
    return wait(since, now, cost);
  }

  /** Returns the model of {@code limit}; of a bucket as the peer counts there is none. */
  static Naive of(Limit limit) {
    if (limit instanceof Starts starts) {
      return of(starts.limit());
    }
    if (limit instanceof Window window) {
      return new Instants(window.rate(), window.of());
    }
    if (limit instanceof Spacing spacing) {
      return new Instants(new Rate(1, spacing.gapNanos()), Measure.CALLS);
    }
    if (limit instanceof Bucket bucket) {
      return new Tokens(bucket);
    }
    if (limit instanceof Warmup warmup) {
      return new Warming(warmup);
    }
    if (limit instanceof Fixed fixed) {
      return new Ticks(fixed);
    }
    if (limit instanceof Concurrent concurrent) {
      return new Count(concurrent);
    }
    if (limit instanceof Unlimited) {
      return new Count(new Concurrent(Long.MAX_VALUE));
    }
    if (limit instanceof Aligned aligned) {
      return new Calendar(aligned);
    }
    if (limit instanceof All all) {
      return new Several(all.terms().stream().map(Naive::of).collect(toList()));
    }
    var peer = (Peer) limit;
    long unanswered = peer.unansweredNanos();
    if (peer.limit() instanceof Window window) {
      return new Instants(lengthened(window.rate(), peer), window.of(), true, unanswered);
    }
    var gap = new Rate(1, ((Spacing) peer.limit()).gapNanos());
    return new Instants(lengthened(gap, peer), Measure.CALLS, true, unanswered);
  }

  private static Rate lengthened(Rate rate, Peer peer) {
    BigInteger million = BigInteger.valueOf(1_000_000);
    BigInteger share =
        BigInteger.valueOf(rate.nanos())
            .multiply(BigInteger.valueOf(peer.margin().millionths()))
            .add(million.subtract(BigInteger.ONE))
            .divide(million);
    return new Rate(rate.permits(), rate.nanos() + share.longValueExact() + peer.margin().nanos());
  }

  /** A window of starts, or of ends where something is told to end. */
  final class Instants implements Naive {

    private record Counted(long at, long amount) {}

    private final Rate rate;
    private final Measure measure;
    private final long unanswered;
    private final List<Counted> counted = new ArrayList<>();
    private BigInteger open = BigInteger.ZERO;
    private final boolean ends;

    Instants(Rate rate, Measure measure) {
      this(rate, measure, false, 0);
    }

    Instants(Rate rate, Measure measure, boolean ends, long unanswered) {
      this.rate = rate;
      this.measure = measure;
      this.ends = ends;
      this.unanswered = unanswered;
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      long amount = measure.of(cost);
      if (amount == 0) {
        return 0;
      }
      if (amount > rate.permits()) {
        return Meter.NEVER;
      }
      if (open.add(BigInteger.valueOf(amount)).compareTo(BigInteger.valueOf(rate.permits())) > 0) {
        return Meter.AT_EVENT;
      }
      return wait(now, amount);
    }

    private long wait(long now, long amount) {
      if (fits(now, amount)) {
        return 0;
      }
      long soonest = Long.MAX_VALUE;
      for (Counted one : counted) {
        long instant = one.at + rate.nanos();
        if (instant > now && instant < soonest && fits(instant, amount)) {
          soonest = instant;
        }
      }
      return soonest - now;
    }

    private boolean fits(long instant, long amount) {
      BigInteger sum = open.add(BigInteger.valueOf(amount));
      for (Counted one : counted) {
        if (one.at > instant - rate.nanos()) {
          sum = sum.add(BigInteger.valueOf(one.amount));
        }
      }
      return sum.compareTo(BigInteger.valueOf(rate.permits())) <= 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      if (ends) {
        open = open.add(BigInteger.valueOf(measure.of(cost)));
      } else {
        counted.add(new Counted(now, measure.of(cost)));
      }
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      if (!ends) {
        return;
      }
      open = open.subtract(BigInteger.valueOf(measure.of(cost)));
      if (end == Outcome.ANSWERED) {
        counted.add(new Counted(now, measure.of(cost)));
      } else if (end == Outcome.LOST) {
        counted.add(new Counted(Math.max(now, startedAt + unanswered), measure.of(cost)));
      }
    }

    /**
     * Of starts there are too few in any schedule to share an instant. Of ends, beyond a thousand
     * permits, those may that come within a thousandth of the interval, or of how long what is lost
     * may be counted.
     */
    @Override
    public long longestWait(long since, long now, Cost cost) {
      long wait = wait(since, now, cost);
      boolean exact = !ends || rate.permits() <= Runs.EXACT;
      return exact || wait >= Meter.AT_EVENT || measure.of(cost) == 0
          ? wait
          : wait + Math.max(rate.nanos(), unanswered) / 1000 + 1;
    }
  }

  /**
   * A timer, played anew from a list of releases. A tick begins a window, unless nobody waits for
   * it; then the timer stops. What was taken beyond a window is taken from those that follow.
   */
  final class Ticks implements Naive {

    private record Release(long since, long at, long amount) {}

    private final Fixed limit;
    private final BigInteger max;
    private final BigInteger interval;
    private final List<Release> releases = new ArrayList<>();

    Ticks(Fixed limit) {
      this.limit = limit;
      this.max = BigInteger.valueOf(limit.rate().permits());
      this.interval = BigInteger.valueOf(limit.rate().nanos());
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      BigInteger amount = BigInteger.valueOf(limit.of().of(cost));
      if (amount.signum() == 0) {
        return 0;
      }
      if (amount.compareTo(max) > 0) {
        return Meter.NEVER;
      }
      var timer = new Timer();
      releases.forEach(timer::release);
      timer.tick(since, now);
      BigInteger beyond = timer.used.add(amount).subtract(max);
      if (!timer.runs || beyond.signum() <= 0) {
        return 0;
      }
      BigInteger ticks = beyond.add(max).subtract(BigInteger.ONE).divide(max);
      return timer
          .begin
          .add(ticks.multiply(interval))
          .subtract(BigInteger.valueOf(now))
          .min(BigInteger.valueOf(Meter.LONGEST))
          .longValueExact();
    }

    @Override
    public void release(long since, long now, Cost cost) {
      if (limit.of().of(cost) > 0) {
        releases.add(new Release(since, now, limit.of().of(cost)));
      }
    }

    private final class Timer {
      boolean runs;
      BigInteger begin = BigInteger.ZERO; // of the window
      BigInteger used = BigInteger.ZERO; // of it, and of those that follow if it is too much

      void release(Release one) {
        tick(one.since, one.at);
        begin = runs ? begin : BigInteger.valueOf(one.at);
        runs = true;
        used = used.add(BigInteger.valueOf(one.amount));
      }

      /** Ticks until {@code now}, when a request asks that has waited since {@code since}. */
      void tick(long since, long now) {
        BigInteger ticks = BigInteger.valueOf(now).subtract(begin).divide(interval);
        if (!runs || ticks.signum() <= 0) {
          return;
        }
        BigInteger paying = used.subtract(BigInteger.ONE).divide(max).min(ticks);
        begin = begin.add(paying.multiply(interval));
        used = used.subtract(paying.multiply(max));
        if (paying.compareTo(ticks) < 0) { // the next tick finds everything paid for
          used = BigInteger.ZERO;
          runs = BigInteger.valueOf(since).compareTo(begin.add(interval)) <= 0;
          begin = begin.add(ticks.subtract(paying).multiply(interval));
        }
      }
    }
  }

  /** A bucket: what it lacks, in fractions of a nanosecond, permits to the nanosecond. */
  final class Tokens implements Naive {

    private record Taken(long since, long at, long amount) {}

    private final Bucket limit;
    private final BigInteger parts;
    private final List<Taken> taken = new ArrayList<>();

    Tokens(Bucket limit) {
      this.limit = limit;
      this.parts = BigInteger.valueOf(limit.rate().permits());
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      long amount = limit.of().of(cost);
      if (amount == 0) {
        return 0;
      }
      long held = Math.max(0, amount - limit.debt());
      if (held > limit.burst() && limit.oversize() == Bucket.Oversize.NEVER) {
        return Meter.NEVER;
      }
      State state = state();
      BigInteger due;
      if (held <= limit.burst()) {
        BigInteger excess = state.lackAt(now).subtract(price(limit.burst() - held));
        due = BigInteger.valueOf(now).add(ceil(excess));
      } else {
        due =
            state.fullAt().max(BigInteger.valueOf(since)).add(ceil(price(amount - limit.burst())));
      }
      BigInteger wait = due.subtract(BigInteger.valueOf(now)).max(BigInteger.ZERO);
      return wait.min(BigInteger.valueOf(Meter.LONGEST)).longValueExact();
    }

    @Override
    public void release(long since, long now, Cost cost) {
      if (limit.of().of(cost) > 0) {
        taken.add(new Taken(since, now, limit.of().of(cost)));
      }
    }

    /** Works everything out from the beginning. */
    private State state() {
      boolean spent = limit.initial() == Bucket.Initial.SPENT;
      boolean empty = limit.initial() == Bucket.Initial.EMPTY || spent;
      var state =
          new State(
              0,
              empty
                  ? price(limit.burst() + (spent ? limit.debt() : 0))
                  : whole(-limit.slackNanos()));
      for (Taken one : taken) {
        BigInteger price = price(one.amount).subtract(whole(credit(state, one)));
        state = new State(one.at, state.lackAt(one.at).add(price).min(whole(Meter.LONGEST)));
      }
      return state;
    }

    /** What an oversize request has paid by waiting, beyond what the slack makes good anyway. */
    private long credit(State state, Taken one) {
      if (one.amount <= limit.burst() + limit.debt()) {
        return 0;
      }
      BigInteger full = BigInteger.valueOf(one.at).subtract(state.fullAt()).max(BigInteger.ZERO);
      BigInteger beyond =
          full.subtract(BigInteger.valueOf(limit.slackNanos())).max(BigInteger.ZERO);
      BigInteger extra = price(one.amount - limit.burst()).divide(parts);
      return extra.min(beyond).min(BigInteger.valueOf(one.at - one.since)).longValueExact();
    }

    private BigInteger price(long amount) {
      return BigInteger.valueOf(amount).multiply(BigInteger.valueOf(limit.rate().nanos()));
    }

    private BigInteger whole(long nanos) {
      return BigInteger.valueOf(nanos).multiply(parts);
    }

    private BigInteger ceil(BigInteger fractions) {
      BigInteger[] parted = fractions.divideAndRemainder(parts);
      return parted[1].signum() > 0 ? parted[0].add(BigInteger.ONE) : parted[0];
    }

    private final class State {
      final long at;
      final BigInteger lack;

      State(long at, BigInteger lack) {
        this.at = at;
        this.lack = lack;
      }

      BigInteger lackAt(long now) {
        return lack.subtract(whole(now - at)).max(whole(-limit.slackNanos()));
      }

      BigInteger fullAt() {
        return BigInteger.valueOf(at).add(ceil(lack).max(BigInteger.ZERO));
      }
    }
  }

  /** A warm-up: all that was released, from the beginning, in fractions as {@link Tokens}. */
  final class Warming implements Naive {

    private record Released(long since, long at, long amount) {}

    private final Warmup limit;
    private final BigInteger parts;
    private final List<Released> released = new ArrayList<>();

    Warming(Warmup limit) {
      this.limit = limit;
      this.parts = BigInteger.valueOf(limit.rate().permits());
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      if (limit.of().of(cost) == 0) {
        return 0;
      }
      BigInteger wait = ceil(heat().paidAt()).subtract(BigInteger.valueOf(now));
      return wait.max(BigInteger.ZERO).min(BigInteger.valueOf(Meter.LONGEST)).longValueExact();
    }

    @Override
    public void release(long since, long now, Cost cost) {
      if (limit.of().of(cost) > 0) {
        released.add(new Released(since, now, limit.of().of(cost)));
      }
    }

    /**
     * After a release at {@code at}; what went at that instant is paid from one time to another.
     */
    private record Heat(long at, BigInteger paidFrom, BigInteger paidAt, BigInteger warm) {}

    private Heat heat() {
      BigInteger slack = whole(limit.slackNanos());
      var heat = new Heat(-1, slack.negate(), slack.negate(), BigInteger.ZERO);
      for (Released one : released) {
        BigInteger at = whole(one.at);
        BigInteger price = whole(ceil(heat.paidAt).subtract(ceil(heat.paidFrom)));
        BigInteger from = whole(ceil(heat.paidAt)).max(whole(heat.at).add(price));
        BigInteger idle = whole(Math.min(one.since, one.at)).subtract(from).max(BigInteger.ZERO);
        BigInteger calm = price.min(whole(limit.overNanos() - 1));
        BigInteger warm = idle.compareTo(calm) > 0 ? cooled(heat.warm, idle) : heat.warm;
        BigInteger ofWarm =
            BigInteger.valueOf(one.amount).multiply(BigInteger.valueOf(limit.rate().nanos()));
        BigInteger warmer = warm.add(ofWarm).min(whole(ramp() + limit.overNanos() / 2));
        BigInteger all = ofWarm.add(whole(surplus(warm).subtract(surplus(warmer))));
        BigInteger begin = at.subtract(slack).max(heat.paidAt);
        BigInteger end = begin.add(all).min(at.add(whole(Meter.LONGEST)));
        heat = new Heat(one.at, one.at == heat.at ? heat.paidFrom : begin, end, warmer);
      }
      return heat;
    }

    /** Full cold after `over`, in whole nanoseconds rounded down. */
    private BigInteger cooled(BigInteger warm, BigInteger idle) {
      if (idle.compareTo(whole(limit.overNanos())) >= 0) {
        return BigInteger.ZERO;
      }
      BigInteger lost =
          idle.divide(parts)
              .multiply(BigInteger.valueOf(limit.cold() + 5))
              .divide(BigInteger.valueOf(2 * (limit.cold() + 1)));
      BigInteger left = warm.subtract(lost.multiply(parts));
      return left.compareTo(parts) < 0 ? BigInteger.ZERO : left;
    }

    /** The area of the triangle that is left of the ramp. */
    private BigInteger surplus(BigInteger warm) {
      BigInteger left = BigInteger.valueOf(ramp()).subtract(warm.divide(parts));
      if (left.signum() <= 0 || limit.overNanos() == 0) {
        return BigInteger.ZERO;
      }
      return left.pow(2)
          .multiply(BigInteger.valueOf(limit.cold() * limit.cold() - 1))
          .divide(BigInteger.valueOf(limit.overNanos()).multiply(BigInteger.valueOf(4)));
    }

    private long ramp() {
      return 2 * limit.overNanos() / (limit.cold() + 1);
    }

    private BigInteger whole(long nanos) {
      return whole(BigInteger.valueOf(nanos));
    }

    private BigInteger whole(BigInteger nanos) {
      return nanos.multiply(parts);
    }

    private BigInteger ceil(BigInteger fractions) {
      return fractions.add(parts).subtract(BigInteger.ONE).divide(parts);
    }
  }

  /** A bound on what is open. */
  final class Count implements Naive {

    private record Over(long at, long amount) {}

    private final Concurrent limit;
    private final BigInteger max;
    private final List<Over> over = new ArrayList<>(); // when each is that was lost
    private BigInteger open = BigInteger.ZERO;

    Count(Concurrent limit) {
      this.limit = limit;
      this.max = BigInteger.valueOf(limit.max());
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      long amount = limit.of().of(cost);
      if (amount > limit.max()) {
        return Meter.NEVER;
      }
      if (amount == 0 || limit.max() == Long.MAX_VALUE || fits(now, amount)) {
        return 0;
      }
      return over.stream()
          .filter(one -> one.at > now && fits(one.at, amount))
          .mapToLong(one -> one.at - now)
          .min()
          .orElse(Meter.AT_EVENT);
    }

    private boolean fits(long instant, long amount) {
      BigInteger sum = open.add(BigInteger.valueOf(amount));
      for (Over one : over) {
        sum = one.at > instant ? sum.add(BigInteger.valueOf(one.amount)) : sum;
      }
      return sum.compareTo(max) <= 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      open = open.add(BigInteger.valueOf(limit.of().of(cost)));
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      open = open.subtract(BigInteger.valueOf(limit.of().of(cost)));
      if (end == Outcome.LOST) {
        over.add(new Over(startedAt + limit.unansweredNanos(), limit.of().of(cost)));
      }
    }
  }

  /** Windows of a calendar, each request in all that it touches. */
  final class Calendar implements Naive {

    private static final class Request {
      final long start;
      final long amount;
      long end = Long.MAX_VALUE; // until it is known
      boolean counts = true;

      Request(long start, long amount) {
        this.start = start;
        this.amount = amount;
      }
    }

    private final Aligned limit;
    private final CalendarWindows windows;
    private final long margin;
    private final long began = CalendarWindows.nanos(Play.BEGAN);
    private final List<Request> requests = new ArrayList<>();

    Calendar(Aligned limit) {
      this.limit = limit;
      this.windows = limit.windows();
      this.margin = limit.marginNanos();
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      long amount = limit.of().of(cost);
      if (amount == 0) {
        return 0;
      }
      if (amount > limit.max()) {
        return Meter.NEVER;
      }
      long wall = began + now;
      if (fits(wall, amount)) {
        return 0;
      }
      long known = wall + margin; // no window behind is touched by what has an end
      for (Request request : requests) {
        known = request.end == Long.MAX_VALUE ? known : Math.max(known, began + request.end);
      }
      for (long k = windows.index(wall - margin); ; k++) {
        long instant = windows.beginning(k) + margin;
        if (instant > wall && fits(instant, amount)) {
          return instant - wall;
        }
        if (windows.beginning(k) > known + 4 * margin + limit.windows().length().usual()) {
          return Meter.AT_EVENT;
        }
      }
    }

    private boolean fits(long wall, long amount) {
      long last = windows.index(wall + margin);
      for (long k = windows.index(wall - margin); k <= last; k++) {
        BigInteger sum = BigInteger.valueOf(amount);
        for (Request request : requests) {
          if (request.counts && touches(request, k)) {
            sum = sum.add(BigInteger.valueOf(request.amount));
          }
        }
        if (sum.compareTo(BigInteger.valueOf(limit.max())) > 0) {
          return false;
        }
      }
      return true;
    }

    private boolean touches(Request request, long window) {
      return began + request.start - margin < windows.beginning(window + 1)
          && Nanos.add(request.end, began + margin) >= windows.beginning(window);
    }

    @Override
    public void release(long since, long now, Cost cost) {
      requests.add(new Request(now, Math.min(limit.of().of(cost), limit.max())));
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      long amount = Math.min(limit.of().of(cost), limit.max());
      for (Request request : requests) {
        if (request.start == startedAt
            && request.amount == amount
            && request.counts
            && request.end == Long.MAX_VALUE) {
          request.end =
              end == Outcome.LOST ? Math.max(now, startedAt + limit.unansweredNanos()) : now;
          request.counts = end != Outcome.NOT_SENT;
          return;
        }
      }
      throw new AssertionError("no such request: " + startedAt + " " + cost);
    }
  }

  /** Several at once: the longest wait of any. */
  final class Several implements Naive {

    private final List<Naive> members;

    Several(List<Naive> members) {
      this.members = members;
    }

    @Override
    public long wait(long since, long now, Cost cost) {
      return members.stream().mapToLong(m -> m.wait(since, now, cost)).max().orElseThrow();
    }

    @Override
    public void release(long since, long now, Cost cost) {
      members.forEach(m -> m.release(since, now, cost));
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      members.forEach(m -> m.end(startedAt, now, cost, end));
    }

    @Override
    public long longestWait(long since, long now, Cost cost) {
      return members.stream().mapToLong(m -> m.longestWait(since, now, cost)).max().orElseThrow();
    }
  }
}
