package dev.pacegate.cli;

import dev.pacegate.Bottleneck;
import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How far a command is, in words: {@code 120 of 500 lines in 24s, 5.0/s, 1m16s left (5/1s)}.
 *
 * <p>The rate is that of the last whole interval of the limit, or of as many as take some seconds:
 * the first requests go at once, so a rate since the beginning would be more than the limit. For
 * one thread.
 */
final class Progress {

  /** What is to be done. Called by another thread than the one that does it. */
  interface Work {

    /** Returns the unit, in the plural that ends in s. */
    String unit();

    /** Returns how much is done. */
    long done();

    /** Returns how much there is; -1 if that is unknown. Called once. */
    long total();

    /** Returns how much of what is done has failed. */
    long failed();

    /** Returns when the first that waits for a permit may go, by the limiter's clock. */
    long due();
  }

  private static final long LEAST_SPAN = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_SPAN = TimeUnit.DAYS.toNanos(31);
  private static final long NEARLY = TimeUnit.MILLISECONDS.toNanos(500); // between two looks
  private static final long SHORTEST_TOLD = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_MARKS = 100;

  /** How much was done at an instant. */
  private record Mark(long at, long done) {}

  private final Limiter limiter;
  private final Time time;
  private final Work work;
  private final long began;
  private final ArrayDeque<Mark> marks = new ArrayDeque<>();
  private long total = Long.MIN_VALUE; // until it has been asked for

  Progress(Limiter limiter, Work work) {
    this.limiter = limiter;
    this.time = limiter.time();
    this.work = work;
    this.began = time.nanoTime();
  }

  /** Returns the words for this instant. */
  String text() {
    if (total == Long.MIN_VALUE) {
      total = work.total();
    }
    long now = time.nanoTime();
    long done = work.done();
    Limit limit = limiter.limit();
    double rate = rate(now);
    Optional<Bottleneck> obstacle = obstacle();
    var text = new StringBuilder();
    text.append(total < done ? amount(done) : done + " of " + amount(total));
    text.append(" in ").append(brief(now - began));
    add(text, work.failed() > 0, work.failed() + " failed");
    add(text, !Double.isNaN(rate), rate(rate));
    long wait = obstacle.isEmpty() ? 0 : wait(obstacle.get(), now);
    add(text, wait >= SHORTEST_TOLD, "next in " + brief(wait));
    long left = left(limit, total - done, rate);
    add(text, left >= SHORTEST_TOLD, brief(left) + " left");
    String reason =
        obstacle.filter(one -> one.term().isEmpty()).map(Bottleneck::reason).orElse("" + limit);
    return text.append(" (").append(reason).append(')').toString();
  }

  private String amount(long number) {
    String unit = work.unit();
    return number + " " + (number == 1 ? unit.substring(0, unit.length() - 1) : unit);
  }

  private static void add(StringBuilder text, boolean isTold, String words) {
    text.append(isTold ? ", " + words : "");
  }

  private static String brief(long nanos) {
    return Durations.brief(nanos < TimeUnit.SECONDS.toNanos(1) ? 0 : wholeSeconds(nanos));
  }

  private static long wholeSeconds(long nanos) {
    return TimeUnit.SECONDS.toNanos(TimeUnit.NANOSECONDS.toSeconds(nanos));
  }

  /** Returns what the first in the queue waits for; empty if there is none. */
  private Optional<Bottleneck> obstacle() {
    Snapshot snapshot = limiter.snapshot();
    return snapshot.waiting() == 0 ? Optional.empty() : limiter.bottleneck();
  }

  /** The limit's own wait is known since it began; a later one would be that of the next. */
  private long wait(Bottleneck obstacle, long now) {
    return obstacle.term().isPresent() ? work.due() - now : obstacle.atLeast().toNanos();
  }

  // ---- the rate

  /** Returns for how long the rate is measured: whole intervals, some seconds or more. */
  private long span() {
    long shortest = Long.MAX_VALUE;
    for (Promise promise : limiter.limit().promises()) {
      shortest = promise.interval() > 0 ? Math.min(shortest, promise.interval()) : shortest;
    }
    if (shortest == Long.MAX_VALUE) {
      return LEAST_SPAN;
    }
    return shortest > LEAST_SPAN
        ? Math.min(shortest, LONGEST_SPAN)
        : (LEAST_SPAN + shortest - 1) / shortest * shortest;
  }

  /** Notes how far it is, many times in a span: where several go at once, just behind them. */
  void look() {
    long now = time.nanoTime();
    long done = work.done();
    long last = marks.isEmpty() ? 0 : marks.getLast().done();
    boolean isSoon = !marks.isEmpty() && now - marks.getLast().at() < span() / MOST_MARKS;
    if (done > last && !isSoon) {
      marks.add(new Mark(now, done));
    }
  }

  /** Returns how much is done in a second of the last span; not a number until one has passed. */
  private double rate(long now) {
    if (marks.isEmpty()) {
      return Double.NaN;
    }
    long span = span();
    Mark last = marks.getLast();
    Mark first = marks.getFirst();
    while (marks.size() > 1 && last.at() - marks.getFirst().at() >= span - NEARLY) {
      first = marks.removeFirst();
    }
    marks.addFirst(first);
    long passed = (now - last.at() >= span ? now : last.at()) - first.at();
    return passed < span - NEARLY ? Double.NaN : (last.done() - first.done()) * 1e9 / passed;
  }

  private static String rate(double perSecond) {
    String unit = "s";
    double rate = perSecond;
    if (rate > 0 && rate < 0.95) {
      rate *= 60;
      unit = "m";
    }
    if (rate > 0 && rate < 0.95) {
      rate *= 60;
      unit = "h";
    }
    return String.format(Locale.ROOT, "%.1f/%s", rate, unit);
  }

  // ---- the end

  /** Returns about how long the rest takes at this rate, or as the limit has it; 0 if unknown. */
  private long left(Limit limit, long rest, double rate) {
    if (rest <= 0) {
      return 0;
    }
    long first = 1;
    double later = 0;
    for (Promise promise : limit.promises()) {
      if (promise.of().equals(Measure.PLAIN)) {
        first = Math.min(rest, promise.atOnce());
        later = Math.max(later, (rest - first) * perUnit(promise));
      } else if (promise.of().equals(Measure.CALLS) && work.unit().equals("lines")) {
        later = Math.max(later, (rest - 1) * perUnit(promise));
      }
    }
    return (long) Math.max(rate > 0 ? rest / rate * 1e9 : 0, untilFirst(first) + later);
  }

  private long untilFirst(long cost) {
    try {
      return limiter.estimateWait(cost).toNanos();
    } catch (CostTooLargeException changed) { // the limit has been
      return 0;
    }
  }

  /** Returns the nanoseconds that a limit takes for each unit in the long run; 0 if any. */
  private static double perUnit(Promise promise) {
    long interval = promise.interval();
    if (interval <= 0) {
      return 0;
    }
    double more = promise.most(2 * interval) - (double) promise.most(interval);
    return more > 0 ? interval / more : 0;
  }
}
