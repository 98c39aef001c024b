package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;

/**
 * When requests arise: {@code always} (one is always waiting), {@code loop(20)} (twenty callers,
 * each of which sends again as soon as its answer is in), {@code even(10/1s)}, {@code
 * random(10/1s)} (gaps of the exponential distribution), {@code bursts(50, every=10s)}.
 */
public sealed interface Demand {

  /** Every kind of demand, for documentation. */
  String FORMS = "always, loop(20), even(10/1s), random(10/1s), bursts(50, every=10s)";

  /**
   * Parses a demand.
   *
   * @throws IllegalArgumentException if {@code text} is no demand; the message says what is allowed
   */
  static Demand parse(String text) {
    var words = new Words(text);
    return switch (words.name()) {
      case "always" -> new Always();
      case "loop" -> loop(words);
      case "even" -> new Even(words.rate());
      case "random" -> new Irregular(words.rate());
      case "bursts" -> bursts(words);
      default -> throw words.wrong("is no demand, expected one of " + FORMS);
    };
  }

  private static Demand loop(Words words) {
    words.allow();
    return new Loop(words.count());
  }

  private static Demand bursts(Words words) {
    words.allow("every");
    long every = words.nanos("every", 0);
    if (every == 0) {
      throw words.wrong("has no every, as in bursts(50, every=10s)");
    }
    return new Bursts(words.count(), every);
  }

  /** One is always waiting. */
  record Always() implements Demand {
    @Override
    public String toString() {
      return "always";
    }
  }

  /**
   * A number of callers, each with one request at a time.
   *
   * @param callers the number of callers
   */
  record Loop(long callers) implements Demand {
    @Override
    public String toString() {
      return "loop(" + callers + ")";
    }
  }

  /**
   * Single requests at even gaps.
   *
   * @param rate how many per interval
   */
  record Even(Rate rate) implements Demand {
    @Override
    public String toString() {
      return "even(" + rate + ")";
    }
  }

  /**
   * Single requests at gaps of the exponential distribution.
   *
   * @param rate how many per interval on average
   */
  record Irregular(Rate rate) implements Demand {
    @Override
    public String toString() {
      return "random(" + rate + ")";
    }
  }

  /**
   * Groups of requests at regular intervals.
   *
   * @param size the number of requests in a group
   * @param every the nanoseconds between two groups
   */
  record Bursts(long size, long every) implements Demand {
    @Override
    public String toString() {
      return "bursts(" + size + ", every=" + Durations.format(every) + ")";
    }
  }
}
