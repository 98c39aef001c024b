package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A part of what a limit allows: a percentage of it, or what such percentages leave of it.
 *
 * @param percent of a rate, from 1 to 100
 * @param others the parts that leave this one; empty if this is a percentage
 */
public record Portion(int percent, List<Portion> others) {

  /** Checks the range. */
  public Portion {
    if (percent < 1 || percent > 100) {
      throw new IllegalArgumentException("a share must be from 1 to 100 percent: " + percent);
    }
    others = List.copyOf(others);
  }

  /** Returns a portion of {@code percent} percent. */
  public static Portion of(int percent) {
    return new Portion(percent, List.of());
  }

  /** Returns the portion that {@code others}, less than 100 percent together, leave. */
  public static Portion beyond(List<Portion> others) {
    return new Portion(100 - others.stream().mapToInt(Portion::percent).sum(), others);
  }

  /**
   * Returns this portion of {@code permits}. Percentages are rounded down, what they leave is not.
   *
   * @param limit the limit that has {@code permits}, for messages
   * @throws IllegalArgumentException if the result is less than one permit
   */
  public long of(long permits, Limit limit) {
    requireNonNull(limit);
    long portion = permits / 100 * percent + permits % 100 * percent / 100;
    if (!others.isEmpty()) {
      portion = permits - others.stream().mapToLong(other -> other.of(permits, limit)).sum();
    }
    if (portion < 1) {
      throw new IllegalArgumentException(
          percent + " percent of " + limit + " is less than one permit");
    }
    return portion;
  }

  /**
   * Returns how many nanoseconds this portion of a rate takes for what the whole rate does in
   * {@code nanos}, rounded up.
   *
   * @param limit the limit that has that rate, for messages
   * @throws IllegalArgumentException if the result is more than a hundred years
   */
  public long longer(long nanos, Limit limit) {
    requireNonNull(limit);
    long times = Nanos.times(nanos, 100);
    if (times == Long.MAX_VALUE || times / percent > Spans.MAX) {
      throw new IllegalArgumentException(
          percent + " percent of " + limit + " is slower than one permit in a hundred years");
    }
    return (times + percent - 1) / percent;
  }
}
