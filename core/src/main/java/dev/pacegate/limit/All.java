package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Several limits that all hold at once: {@code 10/1s & 200/1m & concurrent(4)}.
 *
 * <p><b>Promise.</b> That of every term. A request is checked against all terms together, and
 * charged to all of them or to none.
 *
 * @param terms two or more limits, none of them an {@code All}
 */
public record All(List<Limit> terms) implements Limit {

  /** Copies the terms, and flattens terms that are themselves an {@code All}. */
  public All {
    var flat = new ArrayList<Limit>();
    for (Limit term : terms) {
      flat.addAll(term.terms());
    }
    if (flat.size() < 2) {
      throw new IllegalArgumentException("a combination needs two limits or more: " + terms);
    }
    terms = List.copyOf(flat);
  }

  static All of(Limit... terms) {
    return new All(List.of(terms));
  }

  @Override
  public Meter newMeter(long now) {
    return newMeter(now, InstantSource.system());
  }

  @Override
  public Meter newMeter(long now, InstantSource timeOfDay) {
    return BothMeter.of(terms.stream().map(term -> term.newMeter(now, timeOfDay)).toList());
  }

  @Override
  public Meter newSpentMeter(long now, InstantSource timeOfDay) {
    return BothMeter.of(terms.stream().map(term -> term.newSpentMeter(now, timeOfDay)).toList());
  }

  @Override
  public long unansweredNanos() {
    return terms.stream().mapToLong(Limit::unansweredNanos).max().orElseThrow();
  }

  @Override
  public long abandonNanos() {
    return terms.stream().mapToLong(Limit::abandonNanos).min().orElseThrow();
  }

  @Override
  public Limit unanswered(Duration bound) {
    return new All(terms.stream().map(term -> term.unanswered(bound)).toList());
  }

  @Override
  public long memory() {
    return terms.stream().mapToLong(Limit::memory).max().orElseThrow();
  }

  @Override
  public Limit withoutInitialState() {
    return new All(terms.stream().map(Limit::withoutInitialState).toList());
  }

  @Override
  public List<Promise> promises() {
    var promises = new ArrayList<Promise>();
    for (Limit term : terms) {
      promises.addAll(term.promises());
    }
    return promises;
  }

  @Override
  public List<String> warnings() {
    return terms.stream().flatMap(term -> term.warnings().stream()).toList();
  }

  @Override
  public Limit share(Portion portion) {
    return new All(terms.stream().map(term -> term.share(portion)).toList());
  }

  /**
   * Returns each term as the peer counts it, but for a gap beside a term that says {@code peer}:
   * that is for requests that overlap, of which it would leave one.
   */
  @Override
  public Limit asPeerCounts() {
    boolean isStated = terms.stream().anyMatch(StatesPeer.class::isInstance);
    return new All(
        terms.stream().map(term -> isStated && isGap(term) ? term : term.asPeerCounts()).toList());
  }

  private static boolean isGap(Limit term) {
    return term.promises().stream().anyMatch(Promise.Gap.class::isInstance);
  }

  /** Returns the terms, joined by {@code " & "}. */
  @Override
  public String toString() {
    return String.join(" & ", terms.stream().map(Limit::toString).toList());
  }
}
