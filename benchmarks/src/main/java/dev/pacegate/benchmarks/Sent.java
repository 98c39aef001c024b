package dev.pacegate.benchmarks;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.Arrays;

/** The instants at which something was sent, in their order. */
public final class Sent {

  private final long[] instants;

  /** Takes the instants, which are in order. */
  public Sent(long[] instants) {
    this.instants = instants;
  }

  /**
   * Returns what was sent as a share of a rate, after the first {@code skipped} nanoseconds and for
   * about {@code counted}: from one sending to another, so that a window's bursts count no more
   * often than they come.
   */
  public double delivered(long perSecond, long skipped, long counted) {
    int from = firstNotBefore(instants[0] + skipped);
    int to = firstNotBefore(instants[from] + counted);
    return (to - from) / ((instants[to] - instants[from]) / 1e9) / perSecond;
  }

  private int firstNotBefore(long instant) {
    int i = 0;
    while (i < instants.length - 1 && instants[i] - instant < 0) {
      i++;
    }
    return i;
  }

  /** Returns the median of the nanoseconds between two sendings. */
  public long medianGap() {
    var gaps = new long[instants.length - 1];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = instants[i + 1] - instants[i];
    }
    Arrays.sort(gaps);
    return gaps[gaps.length / 2];
  }

  /** Returns the fewest nanoseconds between two sendings. */
  public long smallestGap() {
    return measured("spacing(1ns)");
  }

  /** Returns the most in any second. */
  public long mostInSecond(long perSecond) {
    return measured(perSecond + "/1s");
  }

  /** Returns the least B for which any W held at most B + W times the rate. */
  public long burst(long perSecond) {
    return measured("bucket(" + perSecond + "/1s)");
  }

  /** Returns whether {@code limit} was kept. */
  public boolean kept(Limit limit) {
    return audit(limit).report().kept();
  }

  private long measured(String limit) {
    return audit(Limits.parse(limit)).verdict().measured();
  }

  private Audit audit(Limit limit) {
    var audit = Audit.of(limit);
    Arrays.stream(instants).forEach(audit::add);
    return audit;
  }
}
