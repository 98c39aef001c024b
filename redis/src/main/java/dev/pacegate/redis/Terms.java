package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Starts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the store counts it. Spans are microseconds.
 *
 * @param limit the limit, without the {@code starts} around its terms
 * @param terms its terms, in its order
 * @param use for how long a lease may be used
 * @param horizon how far ahead units may be reserved
 * @param partition for how long a server that was replaced may go on granting; null if that is not
 *     stated, so that its replicas confirm what is used
 */
record Terms(Limit limit, List<Term> terms, long use, long horizon, @Nullable Long partition) {

  private static final long LONGEST_HORIZON = 2_000_000;
  private static final long SHORTEST_USE = 100_000;

  /**
   * Returns the terms of a limit.
   *
   * @throws IllegalArgumentException if the store cannot count it
   */
  static Terms of(Limit limit, @Nullable Duration partition) {
    Limit counted = counted(limit);
    List<Term> terms = counted.terms().stream().map(Term::of).toList();
    long span = terms.stream().mapToLong(Term::span).min().orElseThrow();
    long horizon = Math.min(span / 4, LONGEST_HORIZON);
    return new Terms(
        counted,
        terms,
        Math.max(horizon, SHORTEST_USE),
        horizon,
        partition == null ? null : Long.valueOf(Term.micros(partition.toNanos())));
  }

  /**
   * Returns a limit without the {@code starts} around its terms: {@code starts(5/1s)} and {@code
   * 5/1s} are one, so processes may write either.
   */
  static Limit counted(Limit limit) {
    return limit.terms().stream().map(Terms::withoutStarts).reduce(Limit::and).orElseThrow();
  }

  private static Limit withoutStarts(Limit term) {
    return term instanceof Starts starts && !starts.spent() ? starts.limit() : term;
  }

  /** Returns whether the store must know when requests are over. */
  boolean tracks() {
    return terms.stream().anyMatch(Term::tracks);
  }

  /**
   * Returns for how long nothing may be granted once the store cannot know what was: a lease that
   * was reserved as far ahead as can be, used last of all, for a request that was lost and counted
   * last of all, and an interval after that.
   */
  long fence() {
    return horizon
        + use
        + terms.stream().mapToLong(Term::spentFor).max().orElseThrow()
        + (partition == null ? 0 : partition);
  }

  /** Returns whether a lease could be used for longer if intervals were longer. */
  boolean mayBeLonger() {
    return use < LONGEST_HORIZON
        && terms.stream().noneMatch(term -> term.kind() == Term.Kind.PLACES);
  }

  /** Returns the limit as the scripts take it. */
  List<String> arguments() {
    var arguments = new ArrayList<String>();
    arguments.add(limit.toString());
    arguments.add(Long.toString(use));
    arguments.add(Long.toString(horizon));
    arguments.add(Long.toString(fence()));
    arguments.add(partition == null ? "" : partition.toString());
    arguments.add(Integer.toString(terms.size()));
    for (Term term : terms) {
      arguments.add(term.name());
      for (long number :
          new long[] {
            term.capacity(), term.interval(), term.unanswered(), term.refill(), term.every()
          }) {
        arguments.add(Long.toString(number));
      }
    }
    return arguments;
  }
}
