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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far a command is, in words: {@code 120 of 500 lines in 24s, 5.0/s, 1m16s left (5/1s)}.
 *
 * <p>The rate is that of the last whole interval of the limit, or of as many as take some seconds:
 * the first requests go at once, so a rate since the beginning would be more than the limit. Until
 * it is known no end is told, as the limit does not know how long the work itself takes. For one
 * thread.
 */
final class Progress {

  /** What is to be done. Called by another thread than the one that does it. */
  interface Work {

    /** Returns the unit, in the plural that ends in s. */
    String unit();

    /** Returns how much is done. */
    long done();

    /** Returns how much of that took a permit. */
    long paid();

    /** Returns whether each unit takes a permit, those to come included. */
    boolean isAllPaid();

    /** Returns how much there is; -1 if that is unknown. Called once. */
    long total();

    /** Returns how much of what is done has failed. */
    long failed();

    /** Returns when the one that waits for a permit may go, by the limiter's clock. */
    long due();

    /** Returns whether that is a lower bound, as permits were still open when it began to wait. */
    boolean isDueOrLater();

    /** Returns what it waits for where nothing waits for a permit; null if that is unknown. */
    @Nullable String waitsFor();
  }

  private static final long LEAST_SPAN = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_SPAN = TimeUnit.DAYS.toNanos(31);
  private static final long NEARLY = TimeUnit.MILLISECONDS.toNanos(500); // between two looks
  private static final long SHORTEST_TOLD = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_MARKS = 100;

  /** How much that took a permit was done at an instant. */
  private record Mark(long at, long paid) {}

  /** How much was done in a time; whether nothing has been done lately. */
  private record MeasuredPace(long done, long nanos, boolean stands) {

    String text() {
      double rate = done * 1e9 / nanos;
      for (String unit : List.of("s", "m")) {
        if (rate >= 0.95) {
          return text(rate, unit);
        }
        rate *= 60;
      }
      return text(rate, "h");
    }

    private static String text(double rate, String unit) {
      return String.format(Locale.ROOT, "%.1f/%s", rate, unit);
    }

    long of(long rest) {
      return (long) ((double) rest / done * nanos);
    }
  }

  private final Limiter limiter;
  private final Time time;
  private final Work work;
  private final long began;
  private final ArrayDeque<Mark> marks = new ArrayDeque<>(); // from the beginning of a span on
  private long total = Long.MIN_VALUE; // until it has been asked for
  private long doneAtLook = -1;
  private boolean stoodStill; // from the look before the last to the last

  Progress(Limiter limiter, Work work) {
    this.limiter = limiter;
    this.time = limiter.time();
    this.work = work;
    this.began = time.nanoTime();
    marks.add(new Mark(began, 0));
  }

  /** Returns the words for this instant. */
  String text() {
    if (total == Long.MIN_VALUE) {
      total = work.total();
    }
    long now = time.nanoTime();
    long done = work.done();
    Limit limit = limiter.limit();
    Snapshot snapshot = limiter.snapshot();
    Optional<Bottleneck> obstacle =
        snapshot.waiting() == 0 ? Optional.empty() : limiter.bottleneck();
    MeasuredPace pace = pace(now);
    var text = new StringBuilder();
    text.append(total < done ? amount(done) : done + " of " + amount(total));
    text.append(" in ").append(brief(now - began));
    add(text, work.failed() > 0, work.failed() + " failed");
    if (pace != null) {
      text.append(", ").append(pace.text());
    }
    boolean isPaced = !snapshot.paused() && obstacle.stream().allMatch(o -> o.term().isPresent());
    if (isPaced && snapshot.waiting() == 1) {
      long wait = work.due() - now;
      String bound = work.isDueOrLater() ? "at least " : "";
      add(text, wait >= SHORTEST_TOLD, "next in " + bound + brief(wait));
    }
    if (isPaced && pace != null && !pace.stands() && work.isAllPaid() && total > done) {
      long rest = total - done;
      long byPace = pace.of(rest) - (now - marks.getLast().at());
      long left = Math.max(byPace, leftByLimit(limit, rest, snapshot));
      add(text, left >= SHORTEST_TOLD, brief(left) + " left");
    }
    String reason =
        obstacle.filter(one -> one.term().isEmpty()).map(Bottleneck::reason).orElse("" + limit);
    boolean isStill = stoodStill && done == doneAtLook && snapshot.waiting() == 0;
    String other = isStill ? work.waitsFor() : null;
    text.append(" (").append(other == null ? reason : "waiting for " + other);
    return text.append(')').toString();
  }

  private String amount(long number) {
    String unit = work.unit();
    return number + " " + (number == 1 ? unit.substring(0, unit.length() - 1) : unit);
  }

  private static void add(StringBuilder text, boolean isTold, String words) {
    text.append(isTold ? ", " + words : "");
  }

  private static String brief(long nanos) {
    return Durations.brief(TimeUnit.SECONDS.toNanos(TimeUnit.NANOSECONDS.toSeconds(nanos)));
  }

  // ---- the rate

  /** Returns for how long the rate is measured: whole intervals, some seconds or more. */
  private long span() {
    long interval = 0;
    double slowest = 0;
    for (Promise promise : limiter.limit().promises()) {
      if (perUnit(promise) > slowest) {
        slowest = perUnit(promise);
        interval = promise.interval();
      }
    }
    if (interval == 0) {
      return LEAST_SPAN;
    }
    return interval > LEAST_SPAN
        ? Math.min(interval, LONGEST_SPAN)
        : (LEAST_SPAN + interval - 1) / interval * interval;
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

  /** Notes how far it is, many times in a span: where several go at once, just behind them. */
  void look() {
    long now = time.nanoTime();
    long paid = work.paid();
    long done = work.done();
    stoodStill = done == doneAtLook;
    doneAtLook = done;
    Mark last = marks.getLast();
    boolean isSoon = last.at() > began && now - last.at() < span() / MOST_MARKS;
    if (paid <= last.paid() || isSoon) {
      return;
    }
    marks.add(new Mark(now, paid));
    if (marks.size() == 3 && marks.getFirst().paid() == 0) {
      marks.removeFirst(); // what goes at once is no part of a rate
    }
    while (marks.size() > 2 && now - second().at() >= span() - NEARLY) {
      marks.removeFirst();
    }
  }

  private Mark second() {
    Mark first = marks.removeFirst();
    Mark second = marks.getFirst();
    marks.addFirst(first);
    return second;
  }

  /** Returns the pace of the last span, or of a longer standstill; null until one has passed. */
  private @Nullable MeasuredPace pace(long now) {
    Mark first = marks.getFirst();
    Mark last = marks.getLast();
    long measured = last.at() - first.at();
    boolean stands = now - last.at() > Math.max(measured, span());
    long passed = (stands ? now : last.at()) - first.at();
    return last.paid() == first.paid() || passed < span() - NEARLY
        ? null
        : new MeasuredPace(last.paid() - first.paid(), passed, stands);
  }

  // ---- the end

  /**
   * Returns how long the limit takes for the rest, if that is certain; otherwise 0. It is for lines
   * under a window alone, of which one waits and none is being written: each goes an interval
   * behind the one that is as many before it as the window has room for.
   */
  private long leftByLimit(Limit limit, long rest, Snapshot snapshot) {
    Promise.AtMost window = onlyWindow(limit);
    long behind = rest - 1; // the one that waits
    return window == null || behind == 0 || !isAlone(snapshot) ? 0 : leftByWindow(window, behind);
  }

  /** Returns the window of lines that the limit is; null if it is anything else. */
  private Promise.@Nullable AtMost onlyWindow(Limit limit) {
    List<Promise> promises = limit.promises();
    return work.unit().equals("lines")
            && promises.size() == 1
            && promises.get(0) instanceof Promise.AtMost window
            && window.of().equals(Measure.PLAIN)
        ? window
        : null;
  }

  private static boolean isAlone(Snapshot snapshot) {
    return snapshot.waiting() == 1 && snapshot.open() == 0;
  }

  private long leftByWindow(Promise.AtMost window, long behind) {
    long first = (behind - 1) % window.max() + 1;
    try {
      return limiter.estimateWait(first).toNanos()
          + (behind - first) / window.max() * window.nanos();
    } catch (CostTooLargeException changed) { // the limit has been
      return 0;
    }
  }
}
