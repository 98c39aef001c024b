package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Judges promises by looking at every interval that can matter. */
final class Oracle {

  private Oracle() {}

  static void judge(Limit limit, List<Play.Span> spans) {
    for (Promise promise : limit.promises()) {
      judge(promise, spans);
    }
  }

  static void judge(Promise promise, List<Play.Span> all) {
    var spans = new ArrayList<Play.Span>();
    for (Play.Span span : all) {
      if (span.counts || promise instanceof Promise.Open || !countsWhole(promise)) {
        spans.add(span);
      }
    }
    spans.sort(Comparator.comparingLong(s -> s.start));
    if (promise instanceof Promise.Counted p) {
      judge(p.promise(), clipped(p, spans));
    } else if (promise instanceof Promise.AtMost p) {
      atMost(p, spans);
    } else if (promise instanceof Promise.PerWindow p) {
      perWindow(p, spans);
    } else if (promise instanceof Promise.PerCalendar p) {
      perCalendar(p, spans);
    } else if (promise instanceof Promise.Gap p) {
      gap(p, spans);
    } else if (promise instanceof Promise.Open p) {
      open(p, spans);
    } else if (promise instanceof Promise.Refilled p && !p.countsWhole()) {
      refilled(p, spans);
    }
  }

  private static List<Play.Span> clipped(Promise.Counted p, List<Play.Span> spans) {
    var clipped = new ArrayList<Play.Span>();
    for (Play.Span span : spans) {
      var until = new Play.Span(span.start, span.cost);
      until.end = Math.min(span.end, span.known + p.nanos());
      clipped.add(until);
    }
    return clipped;
  }

  private static boolean countsWhole(Promise promise) {
    return promise instanceof Promise.Counted
        || (promise instanceof Promise.AtMost p && p.countsWhole())
        || promise instanceof Promise.PerCalendar
        || (promise instanceof Promise.Gap g && g.countsWhole());
  }

  /** The fullest interval ends just behind a start. */
  private static void atMost(Promise.AtMost p, List<Play.Span> spans) {
    for (Play.Span last : spans) {
      long from = last.start - p.nanos() + 1;
      BigInteger sum = BigInteger.ZERO;
      for (Play.Span span : spans) {
        long until = p.countsWhole() ? span.end : span.start;
        if (span.start <= last.start && until >= from) {
          sum = sum.add(BigInteger.valueOf(p.of().of(span.cost)));
        }
      }
      assertTrue(
          sum.compareTo(BigInteger.valueOf(p.max())) <= 0,
          sum + " instead of " + p.text() + ", up to " + last.start + ": " + spans);
    }
  }

  /** Every half-open interval that ends just behind one start and begins with another. */
  private static void perWindow(Promise.PerWindow p, List<Play.Span> spans) {
    for (int first = 0; first < spans.size(); first++) {
      BigInteger sum = BigInteger.ZERO;
      for (int last = first; last < spans.size(); last++) {
        sum = sum.add(BigInteger.valueOf(p.of().of(spans.get(last).cost)));
        long length = spans.get(last).start - spans.get(first).start + 1;
        long windows = (length - 1) / p.nanos() + 1 + 1; // ceil(W / I) + 1
        BigInteger allowed = BigInteger.valueOf(windows).multiply(BigInteger.valueOf(p.max()));
        List<Play.Span> all = spans.subList(first, last + 1);
        assertTrue(sum.compareTo(allowed) <= 0, sum + " instead of " + p.text() + ": " + all);
      }
    }
  }

  /** The fullest windows are among those that some start touches. */
  private static void perCalendar(Promise.PerCalendar p, List<Play.Span> spans) {
    long began = CalendarWindows.nanos(Play.BEGAN);
    CalendarWindows windows = p.windows();
    for (Play.Span one : spans) {
      long latest = windows.index(began + one.start + p.marginNanos());
      for (long k = windows.index(began + one.start - p.marginNanos()); k <= latest; k++) {
        BigInteger sum = BigInteger.ZERO;
        for (Play.Span span : spans) {
          boolean isBefore = began + span.start - p.marginNanos() < windows.beginning(k + 1);
          boolean isBehind = Nanos.add(span.end, began + p.marginNanos()) >= windows.beginning(k);
          if (isBefore && isBehind) {
            sum = sum.add(BigInteger.valueOf(p.of().of(span.cost)));
          }
        }
        assertTrue(
            sum.compareTo(BigInteger.valueOf(p.max())) <= 0,
            sum + " instead of " + p.text() + ", from " + windows.beginning(k) + ": " + spans);
      }
    }
  }

  private static void gap(Promise.Gap p, List<Play.Span> spans) {
    long last = Long.MIN_VALUE / 2;
    for (Play.Span span : spans) {
      assertTrue(span.start - last >= p.nanos(), p.text() + " before " + span + ": " + spans);
      last = Math.max(last, p.countsWhole() ? span.end : span.start);
    }
  }

  private static void open(Promise.Open p, List<Play.Span> spans) {
    for (int last = 0; last < spans.size(); last++) {
      long instant = spans.get(last).start;
      // What ended at the very instant of this start may have made way for it.
      BigInteger open = BigInteger.valueOf(p.of().of(spans.get(last).cost));
      for (Play.Span span : spans.subList(0, last)) {
        long amount = openUntil(span, p) > instant ? p.of().of(span.cost) : 0;
        open = open.add(BigInteger.valueOf(amount));
      }
      assertTrue(
          open.compareTo(BigInteger.valueOf(p.max())) <= 0,
          open + " open, " + p.text() + ": " + spans);
    }
  }

  private static long openUntil(Play.Span span, Promise.Open p) {
    return span.lost ? Math.max(span.closed, span.start + p.unansweredNanos()) : span.closed;
  }

  /**
   * Every interval from a start to a start, both included: only just longer than they are apart.
   */
  private static void refilled(Promise.Refilled p, List<Play.Span> spans) {
    BigInteger nanos = BigInteger.valueOf(p.rate().nanos());
    for (int first = 0; first < spans.size(); first++) {
      BigInteger sum = BigInteger.ZERO;
      long largest = p.burst();
      for (int last = first; last < spans.size(); last++) {
        long amount = p.of().of(spans.get(last).cost);
        sum = sum.add(BigInteger.valueOf(amount));
        largest = Math.max(largest, amount);
        long length = spans.get(last).start - spans.get(first).start;
        BigInteger refill =
            BigInteger.valueOf(length)
                .add(BigInteger.valueOf(p.slackNanos()))
                .multiply(BigInteger.valueOf(p.rate().permits()));
        assertTrue(
            sum.multiply(nanos).compareTo(BigInteger.valueOf(largest).multiply(nanos).add(refill))
                <= 0,
            sum
                + " instead of "
                + p.text()
                + ", W = "
                + length
                + ": "
                + spans.subList(first, last + 1));
      }
    }
  }

  /**
   * Lets a peer's bucket count every permit at some instant between its start and its end, by a
   * clock that is as coarse and as slow as the margin allows; it must never refuse.
   */
  static void countAtThePeer(
      Peer limit, List<Play.Span> spans, long until, SplittableRandom random) {
    var bucket = (Bucket) limit.limit();
    long grain = Math.max(1, limit.margin().nanos());
    long phase = random.nextLong(grain);
    record Count(long at, long amount) {}
    var counts = new ArrayList<Count>();
    for (Play.Span span : spans) {
      if (span.counts) {
        long over = limit.counted() ? span.known + limit.unansweredNanos() : Long.MAX_VALUE;
        long end = Math.min(Math.min(span.end, over), until);
        long at = anInstant(span.start, end, random);
        counts.add(new Count(at, bucket.of().of(span.cost)));
      }
    }
    counts.sort(Comparator.comparingLong(Count::at));
    // The level in units of 1 / (nanos * million) permits.
    BigInteger million = BigInteger.valueOf(1_000_000);
    BigInteger unit = BigInteger.valueOf(bucket.rate().nanos()).multiply(million);
    BigInteger perNano =
        BigInteger.valueOf(bucket.rate().permits())
            .multiply(million.subtract(BigInteger.valueOf(slowness(limit.margin()))));
    BigInteger full = BigInteger.valueOf(bucket.burst()).multiply(unit);
    BigInteger level = bucket.initial() == Bucket.Initial.FULL ? full : BigInteger.ZERO;
    long last = bucket.initial() == Bucket.Initial.FULL ? 0 : -phase;
    for (Count count : counts) {
      long stamp = Math.floorDiv(count.at + phase, grain) * grain - phase;
      level = level.add(perNano.multiply(BigInteger.valueOf(Math.max(0, stamp - last)))).min(full);
      last = Math.max(last, stamp);
      level = level.subtract(BigInteger.valueOf(count.amount).multiply(unit));
      assertTrue(level.signum() >= 0, "the peer refuses " + count + " of " + spans);
    }
  }

  /**
   * How many millionths slower a clock may be so that ours is at most the margin's share faster.
   */
  private static long slowness(Margin margin) {
    return margin.millionths() * 1_000_000 / (1_000_000 + margin.millionths());
  }

  private static long anInstant(long start, long end, SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> start;
      case 1, 2 -> end;
      default -> start + random.nextLong(end - start + 1);
    };
  }
}
