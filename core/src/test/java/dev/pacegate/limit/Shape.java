package dev.pacegate.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The sizes and spans that are critical to a limit, so that random requests and random gaps are
 * mostly interesting ones.
 */
public final class Shape {

  private static final long LONGEST_GAP = 1L << 58;

  private final List<Long> sizes = new ArrayList<>(List.of(1L));
  private final List<Long> spans = new ArrayList<>(List.of(1L));
  private final TreeSet<String> names = new TreeSet<>();
  private long most = Long.MAX_VALUE;

  public Shape(Limit limit) {
    add(limit);
  }

  /** Returns how many may go at once at most. */
  long most() {
    return most;
  }

  private void add(Limit limit) {
    if (limit instanceof All all) {
      all.terms().forEach(this::add);
    } else if (limit instanceof Starts starts) {
      add(starts.limit());
    } else if (limit instanceof Peer peer) {
      add(peer.limit());
      spans.add(peer.unansweredNanos());
    } else if (limit instanceof Window window) {
      size(window.rate().permits(), window.of());
      spans.add(window.rate().nanos());
      spans.add(window.rate().nanos() / window.rate().permits());
    } else if (limit instanceof Fixed fixed) {
      size(fixed.rate().permits(), fixed.of());
      spans.add(fixed.rate().nanos());
      spans.add(fixed.rate().nanos() / fixed.rate().permits());
    } else if (limit instanceof Bucket bucket) {
      size(bucket.burst() + bucket.debt(), bucket.of());
      sizes.add(bucket.burst());
      var emission = new EmissionInterval(bucket.rate());
      spans.add(emission.ceil(1));
      spans.add(emission.ceil(bucket.burst()));
      spans.add(bucket.slackNanos());
    } else if (limit instanceof Warmup warmup) {
      var emission = new EmissionInterval(warmup.rate());
      sizes.add(2 + warmup.overNanos() / Math.max(1, emission.ceil(4)));
      spans.add(emission.ceil(1));
      spans.add(emission.ceil(warmup.cold()));
      spans.add(warmup.overNanos());
      spans.add(warmup.slackNanos());
      if (warmup.of().name() != null) {
        names.add(warmup.of().name());
      }
    } else if (limit instanceof Spacing spacing) {
      size(1, Measure.CALLS);
      spans.add(spacing.gapNanos());
    } else if (limit instanceof Aligned aligned) {
      size(aligned.max(), aligned.of());
      spans.add(aligned.windows().length().usual());
      spans.add(aligned.marginNanos());
      spans.add(aligned.unansweredNanos());
    } else if (limit instanceof Concurrent concurrent) {
      size(concurrent.max(), concurrent.of());
      spans.add(concurrent.unansweredNanos());
    }
  }

  private void size(long size, Measure of) {
    sizes.add(size);
    most = Math.min(most, size);
    if (of.name() != null) {
      names.add(of.name());
    }
  }

  /** Returns a cost: mostly one that fits, sometimes none, too much, or absurdly much. */
  public Cost cost(SplittableRandom random) {
    return cost(random, false);
  }

  /** Returns a cost that the limit may let through one day. */
  public Cost fitting(SplittableRandom random) {
    return cost(random, true);
  }

  private Cost cost(SplittableRandom random, boolean fits) {
    Cost cost = Cost.of(amount(random, fits));
    for (String name : names) {
      if (random.nextInt(4) > 0) {
        cost = cost.and(name, amount(random, fits));
      }
    }
    return cost;
  }

  private long amount(SplittableRandom random, boolean fits) {
    long size = sizes.get(random.nextInt(sizes.size()));
    int kind = random.nextInt(fits ? 13 : 16);
    if (kind < 7) {
      return 1;
    }
    if (kind < 11) {
      return 1 + random.nextLong(size);
    }
    return switch (kind) {
      case 11 -> 0;
      case 12 -> size;
      case 13 -> size + 1;
      case 14 -> 1 + random.nextLong(3 * size);
      default -> random.nextInt(8) == 0 ? Long.MAX_VALUE : 1;
    };
  }

  /** Returns a gap between two requests: often none at all, often just about a critical span. */
  public long gap(SplittableRandom random) {
    long span = spans.get(random.nextInt(spans.size()));
    long gap =
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> 0;
          case 4 -> 1;
          case 5 -> span;
          case 6 -> span - 1;
          case 7 -> span + 1;
          case 8 -> 2 * span;
          case 9 -> random.nextLong(span + 1) / 16;
          default -> random.nextLong(span + 1);
        };
    return Math.min(Math.max(0, gap), LONGEST_GAP);
  }
}
