package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A schedule played on a meter from some origin of the clock, and what came of it. Instants here
 * count from 0; the meter sees them from the origin.
 */
final class Play {

  /** Later than this no schedule goes, so that no sum of instants and spans overflows. */
  private static final long LATEST = 1L << 61;

  /** The time of day at 0: just before clocks are set back in Berlin. */
  static final Instant BEGAN = Instant.parse("2000-10-28T22:59:57Z");

  /** A permit: released, and perhaps ended. */
  static final class Span {
    final long start;
    final Cost cost;
    long known; // by which instant the meter knows it: its start, or its sending
    long closed = Long.MAX_VALUE; // when the permit ended
    long end = Long.MAX_VALUE; // until when a peer may count it
    boolean counts = true;
    boolean lost;

    Span(long start, Cost cost) {
      this.start = start;
      this.known = start;
      this.cost = cost;
    }

    @Override
    public String toString() {
      String sent = known == start ? "" : " sent " + known;
      return cost + "@" + start + sent + (end == Long.MAX_VALUE ? "" : ".." + end);
    }
  }

  /** Something that happened to the meter. */
  record Event(long at, Consumer<Meter> on) {}

  final Meter meter;
  final long origin;
  final List<Event> events = new ArrayList<>();
  final List<Span> spans = new ArrayList<>();
  final List<Span> open = new ArrayList<>();
  private final List<Long> unanswered = new ArrayList<>(List.of(0L));
  private final long inTime;
  long now;

  Play(Limit limit, long origin) {
    this.meter = limit.newMeter(origin, () -> BEGAN.plusNanos(now));
    this.origin = origin;
    addUnanswered(limit);
    this.inTime = inTime(limit);
  }

  /**
   * Returns how long after its start a request must be sent at the latest: while the limit holds up
   * others for it. What is sent later comes on top of those.
   */
  static long inTime(Limit limit) {
    long least = Long.MAX_VALUE;
    for (Limit term : limit.terms()) {
      if (term instanceof Peer peer && peer.counted()) {
        long heldUp = peer.limit() instanceof Bucket ? 0 : peer.promises().get(0).length();
        least = Math.min(least, peer.unansweredNanos() + heldUp);
      }
    }
    return least;
  }

  private void addUnanswered(Limit limit) {
    if (limit instanceof All all) {
      all.terms().forEach(this::addUnanswered);
    } else if (limit instanceof Peer peer) {
      unanswered.add(peer.unansweredNanos());
    } else if (limit instanceof Aligned aligned) {
      unanswered.add(aligned.unansweredNanos());
    }
  }

  /** Lets {@code nanos} pass; false if that would lead too far. */
  boolean pass(long nanos) {
    if (nanos > LATEST - now) {
      return false;
    }
    now += nanos;
    return true;
  }

  long ask(Cost cost) {
    return ask(now, cost);
  }

  long ask(long since, Cost cost) {
    return meter.nanosUntil(origin + since, origin + now, cost);
  }

  void release(Cost cost) {
    release(now, cost);
  }

  void release(long since, Cost cost) {
    long at = now;
    happen(m -> m.release(origin + since, origin + at, cost));
    var span = new Span(now, cost);
    spans.add(span);
    if (meter.tracks()) {
      open.add(span);
    }
  }

  void end(Span span, Outcome end) {
    open.remove(span);
    long at = now;
    long known = span.known;
    happen(m -> m.end(origin + known, origin + at, span.cost, end));
    span.closed = now;
    span.counts = end != Outcome.NOT_SENT;
    span.lost = end == Outcome.LOST;
    // Whatever was lost may be counted as long as the most patient of the limits assumes.
    long patience = unanswered.stream().mapToLong(Long::longValue).max().orElseThrow();
    span.end = end == Outcome.LOST ? Math.max(now, span.known + patience) : now;
  }

  /** The request of an open permit is sent only now. */
  void send(Span span) {
    long at = now;
    long known = span.known;
    happen(m -> m.sent(origin + known, origin + at, span.cost));
    span.known = now;
  }

  private void happen(Consumer<Meter> event) {
    events.add(new Event(now, event));
    event.accept(meter);
  }

  /** Ends some of what is open, chosen at random. */
  void endSome(SplittableRandom random) {
    while (!open.isEmpty() && random.nextInt(5) < 2) {
      end(open.get(random.nextInt(open.size())), anEnd(random));
    }
  }

  /** Sends some of what is open, in time. */
  void sendSome(SplittableRandom random) {
    if (!open.isEmpty() && random.nextInt(3) == 0) {
      Span span = open.get(random.nextInt(open.size()));
      if (now - span.known < inTime) {
        send(span);
      }
    }
  }

  static Outcome anEnd(SplittableRandom random) {
    int kind = random.nextInt(8);
    return kind == 0 ? Outcome.NOT_SENT : kind == 1 ? Outcome.LOST : Outcome.ANSWERED;
  }

  /** Plays {@code steps} at random in which nothing goes that the meter does not let through. */
  void random(SplittableRandom random, Shape shape, int steps) {
    for (int i = 0; i < steps && pass(shape.gap(random)); i++) {
      endSome(random);
      sendSome(random);
      Cost cost = shape.cost(random);
      long since = now;
      long wait = ask(since, cost);
      if (wait > 0 && wait < Meter.AT_EVENT && random.nextInt(3) > 0 && pass(wait)) {
        wait = ask(since, cost);
      }
      if (wait == 0) {
        release(since, cost);
      }
    }
  }

  /** Returns what the meter answers from here on, to requests of many costs at many instants. */
  List<Long> answers(SplittableRandom random, Shape shape) {
    var answers = new ArrayList<Long>();
    for (int i = 0; i < 12 && pass(shape.gap(random)); i++) {
      Cost cost = shape.cost(random);
      answers.add(ask(cost));
      answers.add(meter.atLeast(origin + now, origin + now, shape.fitting(random), cost));
    }
    return answers;
  }
}
