package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;

/**
 * When requests come up: {@code always} (one is always waiting), {@code loop(20)} (twenty callers,
 * each of whom asks again as soon as its answer is in), {@code even(10/1s)}, {@code random(10/1s)}
 * (gaps of the exponential distribution), {@code bursts(50, every=10s)}.
 */
public sealed interface Demand {

  /** Every demand there is, as documentation shows them. */
  String FORMS = "always, loop(20), even(10/1s), random(10/1s), bursts(50, every=10s)";

  /**
   * Reads a demand.
   *
   * @throws IllegalArgumentException if {@code text} is none; the message says what is allowed
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
      throw words.wrong("says not how often, as in bursts(50, every=10s)");
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
   * So many callers, each with one request at a time.
   *
   * @param callers how many
   */
  record Loop(long callers) implements Demand {
    @Override
    public String toString() {
      return "loop(" + callers + ")";
    }
  }

  /**
   * One after the other at even gaps.
   *
   * @param rate how many
   */
  record Even(Rate rate) implements Demand {
    @Override
    public String toString() {
      return "even(" + rate + ")";
    }
  }

  /**
   * One after the other at gaps of the exponential distribution.
   *
   * @param rate how many on average
   */
  record Irregular(Rate rate) implements Demand {
    @Override
    public String toString() {
      return "random(" + rate + ")";
    }
  }

  /**
   * Many at once, now and then.
   *
   * @param size how many
   * @param every the nanoseconds between two
   */
  record Bursts(long size, long every) implements Demand {
    @Override
    public String toString() {
      return "bursts(" + size + ", every=" + Durations.format(every) + ")";
    }
  }
}
