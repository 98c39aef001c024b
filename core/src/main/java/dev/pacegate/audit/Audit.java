package dev.pacegate.audit;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.math.BigInteger;
import java.util.List;

/**
 * Reads a log of requests and reports whether a limit was kept.
 *
 * <pre>{@code
 * var audit = Audit.of(Limits.parse("10/1m & concurrent(4)"));
 * audit.add(start, end, Cost.ONE);        // each request, in the order of their starts
 * System.out.println(audit.report().text());
 * }</pre>
 *
 * <p>Instants are nanoseconds of one clock with any origin, in order. An instant may equal the one
 * before, but must not be earlier (see {@link Reorder} for logs that are slightly out of order),
 * nor more than 292 years after the first. A rejected request changes nothing.
 *
 * <p>A request without an end counts as ended at its start. So without ends, a promise about whole
 * requests is judged by their starts alone, and a limit on open requests is never broken: see
 * {@link Report#ended}. For a request that has not ended yet, pass the end of the log.
 *
 * <p><b>Exact.</b> All arithmetic is in whole numbers and nothing is sampled. Sums beyond {@link
 * Long#MAX_VALUE} are judged correctly and reported as that value.
 *
 * <p><b>Memory</b> does not grow with the log. For each promise of at most M in any interval: some
 * 40 bytes for each request that is open or ended within one interval. For windows of the limiter's
 * own: some 40 bytes for each release of the last window, M at most. For open requests: some 40
 * bytes for each, if ends matter. For a bucket: some 40 bytes for each cost above the burst in a
 * run of decreasing ones without a pause.
 *
 * <p>Not thread-safe.
 */
public final class Audit {

  private final List<Promise> promises;
  private final List<PromiseCheck> checks;
  private long count;
  private BigInteger cost = BigInteger.ZERO;
  private long first;
  private long last;
  private boolean ended;

  private Audit(List<Promise> promises) {
    this.promises = promises;
    this.checks = promises.stream().map(Checks::of).toList();
  }

  /**
   * Returns an audit of every promise of {@code limit}.
   *
   * @throws IllegalArgumentException if a promise is neither of a kind that {@link Promise}
   *     declares nor {@link Auditable}
   */
  public static Audit of(Limit limit) {
    return of(limit.promises());
  }

  /**
   * Returns an audit of {@code promises}.
   *
   * @throws IllegalArgumentException if a promise is neither of a kind that {@link Promise}
   *     declares nor {@link Auditable}
   */
  public static Audit of(List<Promise> promises) {
    return new Audit(List.copyOf(promises));
  }

  /**
   * Adds a request of cost 1 that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if {@code instant} is earlier than the last start
   */
  public Audit add(long instant) {
    return add(instant, instant, Cost.ONE);
  }

  /**
   * Adds a request of plain cost {@code cost} that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if {@code instant} is earlier than the last start
   * @throws IllegalArgumentException if {@code cost} is negative
   */
  public Audit add(long instant, long cost) {
    return add(instant, instant, Cost.of(cost));
  }

  /**
   * Adds a request of {@code cost} that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if {@code instant} is earlier than the last start
   */
  public Audit add(long instant, Cost cost) {
    return add(instant, instant, cost);
  }

  /**
   * Adds a request of {@code cost} that was released at {@code start} and ended at {@code end}.
   *
   * @param start no earlier than the start of the request before
   * @param end no earlier than {@code start}; ends may come in any order
   * @return this audit
   * @throws OutOfOrderException if either is too early
   */
  public Audit add(long start, long end, Cost cost) {
    check(start, end);
    if (count == 0) {
      first = start;
    }
    last = start;
    count++;
    this.cost = this.cost.add(BigInteger.valueOf(cost.amount()));
    ended |= end != start;
    for (int i = 0; i < checks.size(); i++) {
      checks.get(i).add(start, end, promises.get(i).of().of(cost));
    }
    return this;
  }

  private void check(long start, long end) {
    if (count > 0 && start - last < 0) {
      throw new OutOfOrderException("out of order: " + start + " comes after " + last, start, last);
    }
    if (end - start < 0) {
      throw new OutOfOrderException("the end " + end + " is before its start " + start, end, start);
    }
    if (count > 0 && end - first < 0) {
      throw new IllegalArgumentException(
          end + " is more than 292 years after the first instant, " + first);
    }
  }

  /** Returns the findings so far; more requests may be added afterwards. */
  public Report report() {
    return new Report(
        count,
        Maximum.saturated(cost),
        first,
        last,
        ended,
        checks.stream().map(PromiseCheck::verdict).toList());
  }

  /**
   * Returns the verdict so far on the only promise.
   *
   * @throws IllegalStateException if there is no promise, or more than one: then use {@link
   *     #report}
   */
  public Verdict verdict() {
    if (checks.size() != 1) {
      throw new IllegalStateException("verdict() needs exactly one promise, not " + checks.size());
    }
    return checks.get(0).verdict();
  }
}
