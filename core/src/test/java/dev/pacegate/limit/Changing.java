package dev.pacegate.limit;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A meter whose limit changes while requests go through, as a limiter changes it: open permits move
 * along, and end at whichever meter there is by then.
 */
final class Changing {

  /** A request that was let through, with the limit that did. */
  static final class Request {
    final long start;
    final Cost cost;
    final int era;
    final boolean tracked;
    long closed = Long.MAX_VALUE;
    long end = Long.MAX_VALUE;
    int closedIn = Integer.MAX_VALUE; // the era
    boolean counts = true;

    Request(long start, Cost cost, int era, boolean tracked) {
      this.start = start;
      this.cost = cost;
      this.era = era;
      this.tracked = tracked;
    }

    @Override
    public String toString() {
      return cost + "@" + start + (tracked ? ".." + end : "") + "#" + era;
    }
  }

  final List<Limit> limits = new ArrayList<>();
  final List<Long> changes = new ArrayList<>();
  final List<Request> requests = new ArrayList<>();
  final List<Request> open = new ArrayList<>();
  private final long origin;
  private final long unanswered;
  Meter meter;
  long now;
  boolean unitCosts;

  Changing(Limit limit, long origin, long unanswered) {
    this.origin = origin;
    this.unanswered = unanswered;
    this.meter = newMeter(limit);
    limits.add(limit);
    changes.add(0L);
  }

  void change(Limit limit) {
    List<OpenRequest> requests =
        open.stream().map(r -> new OpenRequest(origin + r.start, r.cost)).toList();
    meter =
        ChangedMeter.of(
            new Takeover(
                limit(),
                meter,
                origin,
                limit,
                origin + now,
                () -> Play.BEGAN.plusNanos(now),
                requests));
    limits.add(limit);
    changes.add(now);
  }

  private Meter newMeter(Limit limit) {
    return limit.newMeter(origin + now, () -> Play.BEGAN.plusNanos(now));
  }

  Limit limit() {
    return limits.get(limits.size() - 1);
  }

  long ask(Cost cost) {
    return ask(now, cost);
  }

  private long ask(long since, Cost cost) {
    return meter.nanosUntil(origin + since, origin + now, cost);
  }

  /** Lets through as many as go at once. */
  int drain(Cost cost, int most) {
    int n = 0;
    while (n < most && ask(cost) == 0) {
      release(cost);
      n++;
    }
    return n;
  }

  void release(Cost cost) {
    release(now, cost);
  }

  private void release(long since, Cost cost) {
    meter.release(origin + since, origin + now, cost);
    var request = new Request(now, cost, limits.size() - 1, meter.tracks());
    requests.add(request);
    if (meter.tracks()) {
      open.add(request);
    }
  }

  /** Lets one through as soon as it may go, and then as many more as go with it. */
  void awaitAndDrain(Cost cost, int most) {
    long since = now;
    now += ask(cost);
    release(since, cost);
    drain(cost, most);
  }

  void end(Request request, Outcome end) {
    open.remove(request);
    if (meter.tracks() || limits.size() > 1) {
      meter.end(origin + request.start, origin + now, request.cost, end);
    }
    request.closed = now;
    request.closedIn = limits.size() - 1;
    request.counts = end != Outcome.NOT_SENT;
    request.end = end == Outcome.LOST ? Math.max(now, request.start + unanswered) : now;
  }

  private void endSome(SplittableRandom random) {
    while (!open.isEmpty() && random.nextInt(5) < 2) {
      int kind = random.nextInt(8);
      Outcome end = kind == 0 ? Outcome.NOT_SENT : kind == 1 ? Outcome.LOST : Outcome.ANSWERED;
      end(open.get(random.nextInt(open.size())), end);
    }
  }

  /** Plays at random under the present limit; whatever may go, goes. */
  void play(SplittableRandom random, int steps) {
    var shape = new Shape(limit());
    for (int i = 0; i < steps; i++) {
      now += shape.gap(random);
      endSome(random);
      Cost cost = random.nextInt(3) == 0 ? shape.cost(random) : shape.fitting(random);
      cost = unitCosts ? Cost.ONE : cost;
      long since = now;
      long wait = ask(cost);
      if (wait > 0 && wait < 1L << 50 && random.nextInt(3) > 0) {
        now += wait;
        wait = ask(since, cost);
      }
      if (wait == 0) {
        release(since, cost);
        drain(cost, random.nextInt(4));
      }
    }
  }
}
