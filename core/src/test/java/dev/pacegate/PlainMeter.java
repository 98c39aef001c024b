package dev.pacegate;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.function.LongConsumer;

/** A meter of a limit that promises nothing: it remembers nothing, and is never at rest. */
public interface PlainMeter extends Meter {

  @Override
  default long restsIn(long now) {
    return AT_EVENT;
  }

  @Override
  default boolean recall(long now, Past past) {
    return false;
  }

  @Override
  default void most(LongConsumer sink) {}
}
