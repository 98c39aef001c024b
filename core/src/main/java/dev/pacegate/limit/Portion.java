package dev.pacegate.limit;

import java.util.List;

/**
 * A part of what a limit allows: so many percent of it, or what such parts leave of it.
 *
 * @param percent of a rate, from 1 to 100
 * @param others the shares that leave this portion; empty if it is a share itself
 */
public record Portion(int percent, List<Portion> others) {

  /** Checks the range. */
  public Portion {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("a share must be from 1 to 100 percent: " + percent);
    }
    others = List.copyOf(others);
  }

  /** Returns a portion of so many percent. */
  public static Portion of(int percent) {
    return new Portion(percent, List.of());
  }

  /** Returns what {@code others}, less than 100 percent together, leave. */
  public static Portion beyond(List<Portion> others) {
    return new Portion(100 - others.stream().mapToInt(Portion::percent).sum(), others);
  }

  /**
   * Returns this portion of {@code permits}: percents are rounded down, what they leave is not.
   *
   * @param limit which has so many permits
   * @throws IllegalArgumentException if that is less than one permit
   */
  public long of(long permits, Limit limit) {
    long portion = permits / 100 * percent + permits % 100 * percent / 100;
    if (!others.isEmpty()) {
      portion = permits - others.stream().mapToLong(other -> other.of(permits, limit)).sum();
    }
    if (portion < 1) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is not one permit");
    }
    return portion;
  }

  /**
   * Returns how many nanoseconds this portion of a rate takes for what the rate does in {@code
   * nanos}, rounded up.
   *
   * @param limit which has that rate
   * @throws IllegalArgumentException if that is more than a hundred years
   */
  public long longer(long nanos, Limit limit) {
    long times = Nanos.times(nanos, 100);
    if (times == Long.MAX_VALUE || times / percent > Spans.MAX) {
      throw new IllegalArgumentException(percent + " percent of " + limit + " is too slow a rate");
    }
    return (times + percent - 1) / percent;
  }
}
