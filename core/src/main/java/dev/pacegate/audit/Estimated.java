package dev.pacegate.audit;

import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;

/**
 * The promise that a peer which estimates never reads more than {@code max}, wherever its windows
 * begin.
 *
 * <p>Such a peer counts in fixed windows of {@code nanos}. It reads what the present window has
 * counted, and what the window before it had counted times the share that the present one has still
 * to run. HAProxy's {@code http_req_rate} is such an estimate, and the sliding window counter of
 * many gateways.
 *
 * <p>No limit promises this by name. {@code peer(bucket(r, burst=b))} keeps it if b + r I &le; max;
 * a window of M may be read as up to 2 M. An {@link Audit} of it answers whether a peer could have
 * refused what is in a log:
 *
 * <pre>{@code
 * var audit = Audit.of(List.of(Estimated.of(new Rate(10, 1_000_000_000))));
 * }</pre>
 *
 * <p>The measured value is the highest estimate at any instant and phase, rounded up. A request
 * counts at whatever instant between its start and its end makes the estimate highest.
 *
 * @param max the most that the estimate may be, 0 or more
 * @param nanos the length of a window, 1 or more
 * @param of what is counted
 */
public record Estimated(long max, long nanos, Measure of) implements Auditable {

  /** Checks the ranges. */
  public Estimated {
    if (max < 0) {
      throw new IllegalArgumentException("max must be at least 0: " + max);
    }
    if (nanos < 1) {
      throw new IllegalArgumentException("nanos must be at least 1: " + nanos);
    }
  }

  /** Returns the promise that no estimate of plain costs exceeds {@code rate}. */
  public static Estimated of(Rate rate) {
    return new Estimated(rate.permits(), rate.nanos(), Measure.PLAIN);
  }

  @Override
  public PromiseCheck newCheck() {
    return new HighestEstimate(this);
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
    return "an estimate of at most %s%s from a window of %s and the one before, wherever they begin"
        .formatted(max, of.name() == null ? "" : " of " + of.name(), Durations.format(nanos));
  }
}
