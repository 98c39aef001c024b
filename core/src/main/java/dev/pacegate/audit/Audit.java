package dev.pacegate.audit;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.math.BigInteger;
import java.util.List;

/**
 * Reads when requests were released and says whether a limit was kept.
 *
 * <pre>{@code
 * var audit = Audit.of(Limits.parse("10/1m & concurrent(4)"));
 * audit.add(start, end, Cost.ONE);        // each request, in the order of their starts
 * System.out.println(audit.report().text());
 * }</pre>
 *
 * <p>Instants are nanoseconds of one clock with any origin, in order: an instant may equal the one
 * before, and none may be earlier (see {@link Reorder} for logs that are not quite in order) or
 * more than 292 years after the first. What is refused changes nothing.
 *
 * <p>A request without an end counts as ended at its start. So a promise about whole requests is
 * judged by their starts alone if no ends are given, and a bound on what is open is then never
 * broken: {@link Report#ended} tells. A request that has not ended yet is given the end of the log.
 *
 * <p><b>Exact.</b> Everything is in whole numbers and nothing is sampled. Sums beyond {@link
 * Long#MAX_VALUE} are judged rightly and reported as that.
 *
 * <p><b>Memory.</b> For each promise of so much in any interval, some 40 bytes for each request
 * that is open or ended within one interval; for one of windows of their own, some for each release
 * of the last window, for M of them at most; some 40 bytes for each open request where ends matter;
 * for a bucket, some for each cost above the burst in a row of ever smaller ones without a pause.
 * Nothing else grows with the log.
 *
 * <p><b>Threads.</b> Not thread-safe.
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
   * Returns an audit of everything {@code limit} promises.
   *
   * @throws IllegalArgumentException if a promise is of another kind than {@link Promise} declares,
   *     and not {@link Auditable}
   */
  public static Audit of(Limit limit) {
    return of(limit.promises());
  }

  /**
   * Returns an audit of {@code promises}.
   *
   * @throws IllegalArgumentException if a promise is of another kind than {@link Promise} declares,
   *     and not {@link Auditable}
   */
  public static Audit of(List<Promise> promises) {
    return new Audit(List.copyOf(promises));
  }

  /**
   * Takes in a request of cost 1 that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if it comes before what was added last
   */
  public Audit add(long instant) {
    return add(instant, instant, Cost.ONE);
  }

  /**
   * Takes in a request of plain cost {@code cost} that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if it comes before what was added last
   * @throws IllegalArgumentException if {@code cost} is negative
   */
  public Audit add(long instant, long cost) {
    return add(instant, instant, Cost.of(cost));
  }

  /**
   * Takes in a request of {@code cost} that was released at {@code instant}.
   *
   * @return this audit
   * @throws OutOfOrderException if it comes before what was added last
   */
  public Audit add(long instant, Cost cost) {
    return add(instant, instant, cost);
  }

  /**
   * Takes in a request of {@code cost} that was released at {@code start} and over at {@code end}.
   *
   * @param start no earlier than the start of the request before
   * @param end no earlier than the start; ends may come in any order
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

  /** Returns what was found so far; more may be added afterwards. */
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
   * Returns the verdict so far on the only promise there is.
   *
   * @throws IllegalStateException if there is none, or more than one: then see {@link #report}
   */
  public Verdict verdict() {
    if (checks.size() != 1) {
      throw new IllegalStateException("not one promise but " + checks.size());
    }
    return checks.get(0).verdict();
  }
}
