package dev.pacegate.audit;

import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.LongFunction;

/**
 * A stretch of the log, both ends included, and the amount counted in it.
 *
 * @param counted the amount; saturates at {@link Long#MAX_VALUE}; 0 if there is no such stretch
 * @param from its first instant
 * @param to its last instant
 */
public record Stretch(long counted, long from, long to) {

  static final Stretch NONE = new Stretch(0, 0, 0);

  /** Returns whether there is no such stretch: nothing was counted. */
  public boolean isEmpty() {
    return counted == 0;
  }

  /** Returns its length in nanoseconds: 0 if it is a single instant. */
  public long nanos() {
    return to - from;
  }

  /** Returns the length in words; an empty string for a single instant. */
  String within() {
    return nanos() == 0 ? "" : " within " + Durations.decimal(nanos());
  }

  /** Returns its position in words, with instants formatted by {@code instants}. */
  String text(LongFunction<String> instants) {
    return nanos() == 0
        ? ", at " + instants.apply(from)
        : ", from " + instants.apply(from) + " to " + instants.apply(to);
  }

  /**
   * Returns by how much it exceeds what {@code rate} refills meanwhile, {@code counted - nanos *
   * rate}: the burst it takes. Rounded up to thousandths.
   */
  BigDecimal burst(Rate rate) {
    BigDecimal replenished =
        BigDecimal.valueOf(nanos()).multiply(BigDecimal.valueOf(rate.permits()));
    BigDecimal interval = BigDecimal.valueOf(rate.nanos());
    BigDecimal burst = BigDecimal.valueOf(counted).multiply(interval).subtract(replenished);
    BigDecimal rounded = burst.divide(interval, 3, RoundingMode.CEILING);
    return rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros();
  }
}
