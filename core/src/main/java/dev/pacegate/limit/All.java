package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

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
    var meters = new ArrayList<Meter>();
    for (Limit term : terms) {
      meters.add(term.newMeter(now, timeOfDay));
    }
    return BothMeter.of(meters);
  }

  @Override
  public Meter newSpentMeter(long now, InstantSource timeOfDay) {
    return BothMeter.of(terms.stream().map(term -> term.newSpentMeter(now, timeOfDay)).toList());
  }

  @Override
  public long unansweredNanos() {
    long longest = 0;
    for (Limit term : terms) {
      longest = Math.max(longest, term.unansweredNanos());
    }
    return longest;
  }

  @Override
  public long abandonNanos() {
    long shortest = Meter.NEVER;
    for (Limit term : terms) {
      shortest = Math.min(shortest, term.abandonNanos());
    }
    return shortest;
  }

  @Override
  public Limit unanswered(Duration bound) {
    return new All(terms.stream().map(term -> term.unanswered(bound)).toList());
  }

  @Override
  public long memory() {
    long longest = 0;
    for (Limit term : terms) {
      longest = Math.max(longest, term.memory());
    }
    return longest;
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
    var warnings = new ArrayList<String>();
    for (Limit term : terms) {
      warnings.addAll(term.warnings());
    }
    return warnings;
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
    var text = new StringJoiner(" & ");
    for (Limit term : terms) {
      text.add(term.toString());
    }
    return text.toString();
  }
}
