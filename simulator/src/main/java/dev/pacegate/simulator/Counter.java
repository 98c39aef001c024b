package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/**
 * The state of a peer's rule, in plain arithmetic on {@code long} and independent of the limiter's
 * meters. Stamps are by the peer's clock and never step back.
 */
abstract class Counter {

  /** The worst request so far, whether it was let through or not. */
  private long most;

  private long allowed;
  private long from;
  private long to;

  /** Returns a fresh state of {@code rule}, with a random phase unless it has one. */
  static Counter of(Rule rule, Chance chance) {
    if (rule instanceof Rule.Fixed r) {
      return new WindowCounter(r.rate(), phase(r.phase(), r.rate(), chance));
    }
    if (rule instanceof Rule.Estimated r) {
      return new EstimateCounter(r.rate(), phase(r.phase(), r.rate(), chance));
    }
    if (rule instanceof Rule.Aligned r) {
      return new WindowCounter(r.rate(), 0);
    }
    if (rule instanceof Rule.Sliding r) {
      return new SlidingCounter(r.rate());
    }
    if (rule instanceof Rule.Bucket r) {
      return new BucketCounter(r.rate(), r.burst());
    }
    if (rule instanceof Rule.Gcra r) {
      return new GcraCounter(r.rate(), r.burst());
    }
    if (rule instanceof Rule.Gap r) {
      return new GapCounter(r.nanos());
    }
    return new OpenCounter(((Rule.Open) rule).max());
  }

  private static long phase(long given, Rate rate, Chance chance) {
    return given >= 0 ? given : chance.below(rate.nanos());
  }

  /** Returns whether a request may be counted. */
  abstract boolean admits(long stamp, long cost);

  /** Counts a request. */
  abstract void count(long stamp, long cost);

  /** Records a request before it is counted or refused, and how far it exceeds the rule. */
  abstract void note(long stamp, long cost);

  /** Records that the peer has finished a request. */
  void end(long cost) {}

  /** Returns what drawings show: the level of a bucket, otherwise what is counted. */
  abstract double fullness(long stamp);

  /** Records {@code many} of {@code allowed} between two stamps if nothing was worse. */
  final void worst(long many, long allowed, long from, long to) {
    if (many > most) {
      this.most = many;
      this.allowed = allowed;
      this.from = from;
      this.to = to;
    }
  }

  /** Begins anew to look for the worst. */
  void forgetWorst() {
    most = 0;
  }

  final long most() {
    return most;
  }

  final Worst worst() {
    return new Worst(most, allowed, from, to);
  }
}
