package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.util.function.LongConsumer;

/**
 * What the meters of all single limits keep: what they count, and how much of it there was. Those
 * that know otherwise how much was counted at once override {@link #most(LongConsumer)}.
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
