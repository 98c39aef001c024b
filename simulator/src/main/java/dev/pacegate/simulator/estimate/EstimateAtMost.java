package dev.pacegate.simulator.estimate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Auditable;
import dev.pacegate.audit.PromiseCheck;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;

/**
 * The promise that a peer which estimates never reads more than {@code max}, wherever its windows
 * and the steps of its clock begin.
 *
 * <p>Such a peer counts in fixed windows of {@code nanos}. It reads what the present window has
 * counted, and what the window before it had counted times the share that the present one has still
 * to run. HAProxy's {@code http_req_rate} is such an estimate, and the sliding window counter of
 * many gateways.
 *
 * <p>No limit promises this by name. {@code peer(bucket(r, burst=b))} keeps it if b + r I &le; max;
 * a window of M may be read as up to 2 M. An {@link Audit} of it answers whether such a peer could
 * have refused what is in a log:
 *
 * <pre>{@code
 * var audit = Audit.of(List.of(EstimateAtMost.of(new Rate(10, 1_000_000_000))));
 * }</pre>
 *
 * <p>The measured value is the highest estimate at any instant and phase, rounded up, and its
 * stretch that of the requests it was made from. A request counts at whatever instant between its
 * start and its end makes the estimate highest. The audit takes some 300 bytes for each request
 * that is open or ended within one window.
 *
 * <p>A peer that knows the time only in steps of q, such as whole seconds, reads more: up to b + r
 * (I + q) of that bucket. Pass q as {@code grain}. An audit then reads every request I / q times,
 * and remembers what ended within two windows instead of one.
 *
 * @param max the most that the estimate may be, 0 or more
 * @param nanos the length of a window, 1 or more
 * @param grain the step of the peer's clock, in nanoseconds: 1, or a whole part of {@code nanos},
 *     at least a 100 000th
 * @param of what is counted
 */
public record EstimateAtMost(long max, long nanos, long grain, Measure of) implements Auditable {

  private static final long MOST_STEPS = 100_000;

  /** Checks the ranges. */
  public EstimateAtMost {
    requireNonNull(of);
    if (max < 0) {
      throw new IllegalArgumentException("max must be at least 0: " + max);
    }
    if (nanos < 1) {
      throw new IllegalArgumentException("nanos must be at least 1: " + nanos);
    }
    if (grain < 1) {
      throw new IllegalArgumentException("grain must be at least 1: " + grain);
    }
    if (grain > 1 && (nanos % grain != 0 || nanos / grain > MOST_STEPS)) {
      throw new IllegalArgumentException(
          "a window of %s must be a whole number of steps of the clock, %d at most, not of %s each"
              .formatted(Durations.decimal(nanos), MOST_STEPS, Durations.decimal(grain)));
    }
  }

  /** Creates the promise for a peer with an exact clock. */
  public EstimateAtMost(long max, long nanos, Measure of) {
    this(max, nanos, 1, of);
  }

  /** Returns the promise that no estimate of plain costs exceeds {@code rate}. */
  public static EstimateAtMost of(Rate rate) {
    return new EstimateAtMost(rate.permits(), rate.nanos(), Measure.PLAIN);
  }

  /**
   * Returns this promise for a peer whose clock has steps of {@code nanos}.
   *
   * @throws IllegalArgumentException if the window is not a whole number of them, 100 000 at most
   */
  public EstimateAtMost withGrain(long nanos) {
    return new EstimateAtMost(max, this.nanos, nanos, of);
  }

  EstimateAtMost withMax(long other) {
    return new EstimateAtMost(other, nanos, grain, of);
  }

  @Override
  public PromiseCheck newCheck() {
    return grain == 1 ? new HighestEstimate(this) : new HighestCoarseEstimate(this);
  }

  @Override
  public boolean countsWhole() {
    return true;
  }

  /** A window that begins with an interval counts all that is in it. */
  @Override
  public long most(long span) {
    return new Promise.AtMost(max, nanos, of, true).most(span);
  }

  @Override
  public long atOnce() {
    return max;
  }

  /** What came in a window counts until the next one has ended. */
  @Override
  public long length() {
    return nanos > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * nanos;
  }

  @Override
  public long interval() {
    return nanos;
  }

  @Override
  public String text() {
    String estimate =
        "an estimate of at most %s%s from a window of %s and the one before, wherever they begin"
            .formatted(max, of.name() == null ? "" : " of " + of.name(), Durations.format(nanos));
    return grain == 1
        ? estimate
        : estimate + ", by a clock with steps of " + Durations.format(grain);
  }
}
