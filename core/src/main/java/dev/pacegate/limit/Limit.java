package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.MeterProvider;
import java.time.Duration;
import java.util.List;

/**
 * A rule for how often something may be done: an immutable value with a text form, made by {@link
 * Limits}.
 *
 * <p>{@link Limits#parse} reads the text and {@code toString} writes it: {@code
 * Limits.parse(limit.toString()).equals(limit)}. Every limit states its promise: as a formula in
 * the documentation of its class, and as data in {@link #promises()}.
 *
 * <p>Limiters use a limit through {@link MeterProvider}, which a limit of your own implements.
 */
@CheckReturnValue
public interface Limit extends MeterProvider {

  /**
   * Returns this limit as the peer counts it: a permit stays spent until one interval after its
   * end. A limit or term for which that makes no difference, or that says {@code peer} or {@code
   * starts}, stays as it is, and so does a {@link Spacing} beside a term that says {@code peer}.
   */
  default Limit asPeerCounts() {
    return this;
  }

  /**
   * Returns this limit with another bound on how long after its start a lost request may yet be
   * counted. A limit that counts starts is returned as it is.
   *
   * @throws IllegalArgumentException if this limit has no such bound
   */
  default Limit unanswered(Duration bound) {
    requireNonNull(bound);
    if (unansweredNanos() > 0) {
      throw new IllegalArgumentException(this + " has no bound on how long lost requests count");
    }
    return this;
  }

  /** Returns the limits that this one consists of and that all hold: itself, or its terms. */
  default List<Limit> terms() {
    return List.of(this);
  }

  /**
   * Returns what is allowed in this limit but hardly meant, each with what to write instead; none
   * by default. A limiter logs it as a warning when the limit is put in force, at most once a
   * minute each for its own limit, that of each key, and those of single keys. The command line
   * prints it.
   */
  default List<String> warnings() {
    return List.of();
  }

  @Override
  default Limit withoutInitialState() {
    return this;
  }

  /** Returns the limit that keeps both this one and {@code other}. */
  default Limit and(Limit other) {
    return All.of(this, other);
  }
}
