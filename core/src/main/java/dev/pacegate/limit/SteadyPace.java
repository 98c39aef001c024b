package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;
import java.util.function.LongUnaryOperator;

/** An upper bound of the releases before the oldest one that a meter remembers. */
final class SteadyPace {

  /** Of those that came so long before, units within this part of that are merged into one. */
  private static final int RESOLUTION = 128;

  private final long latest;
  private final long each;
  private final long per;
  private final long known;
  private final LongUnaryOperator stampOf;

  private SteadyPace(long latest, long each, long per, long known, LongUnaryOperator stampOf) {
    this.latest = latest;
    this.each = each;
    this.per = per;
    this.known = known;
    this.stampOf = stampOf;
  }

  /**
   * Reports what is missing at {@code now} as released just then, and before it one permit per T.
   */
  static void recall(long now, long missing, Rate rate, long released, Past past) {
    long justNow = Math.min(missing, released);
    past.supposed(now, justNow);
    tell(past, now, released - justNow, rate);
  }

  /**
   * Reports up to {@code units}, of which {@code each} came by {@code latest} and as many in every
   * {@code per} nanoseconds before.
   */
  static void tell(Past past, long latest, long units, long each, long per) {
    tell(past, latest, units, each, per, 0, LongUnaryOperator.identity());
  }

  /**
   * Reports up to {@code units} that came by {@code latest}, each at least {@code per} nanoseconds
   * before the unit {@code each} behind it.
   *
   * @param known how many units behind them are remembered
   * @param stampOf when the first, second … of those came
   */
  static void tell(
      Past past,
      long latest,
      long units,
      long each,
      long per,
      long known,
      LongUnaryOperator stampOf) {
    new SteadyPace(latest, each, per, known, stampOf).tell(past, units);
  }

  private void tell(Past past, long units) {
    long told = 0;
    for (long at = instantOf(0); told < units && latest - at <= Spans.MAX; at = instantOf(told)) {
      long amount = Math.min(units - told, stretch(told, at));
      past.supposed(at, amount);
      told += amount;
    }
  }

  /** Returns how many units from the one after {@code told} on are merged. */
  private long stretch(long told, long at) {
    long stretch = told / RESOLUTION;
    long grain = (latest - at) / RESOLUTION;
    while (stretch > 1 && at - instantOf(told + stretch - 1) > grain) {
      stretch /= 2;
    }
    return Math.max(1, stretch);
  }

  /** Returns by when a unit came before which {@code told} have been told. */
  private long instantOf(long told) {
    long age = Math.min(Nanos.times(told / each, per), Spans.MAX + 1); // no more is told
    long behind = each - told % each;
    long instant = latest - age;
    return behind > known
        ? instant
        : Nanos.earlier(instant, stampOf.applyAsLong(behind) - per - age);
  }

  /** As {@link #tell}, for a rate; for a very fast one in steps of a microsecond. */
  static void tell(Past past, long latest, long units, Rate rate) {
    long each = 1;
    long per = rate.nanos() / rate.permits();
    if (per < 1000) {
      each = Nanos.times(1000, rate.permits()) / rate.nanos() + 1;
      per = 1000;
    }
    tell(past, latest - per, units, each, per);
  }
}
