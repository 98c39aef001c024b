package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.util.function.LongConsumer;

/**
 * The common state of the meters of single limits: the measure, and the most counted at once. A
 * meter that computes the most otherwise overrides {@link #most(LongConsumer)}.
 */
abstract class LeafMeter implements Meter {

  final Measure measure;
  long most; // that was counted at once so far
  long largestRequest = 1;

  LeafMeter(Measure measure) {
    this.measure = measure;
  }

  @Override
  public final Measure measure() {
    return measure;
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(most);
  }
}
