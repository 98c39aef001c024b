package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a limit as the grammar reads it, with the options that are not as usual. */
final class LimitText {

  private final StringBuilder text;

  LimitText(String kind, Object argument) {
    this.text = new StringBuilder(kind).append('(').append(argument);
  }

  /** Adds an option, unless it is as usual. */
  LimitText add(Option option, @Nullable Object value, @Nullable Object usual) {
    if (!Objects.equals(value, usual)) {
      text.append(", ").append(option.text()).append('=').append(value);
    }
    return this;
  }

  LimitText span(Option option, long nanos, long usual) {
    return nanos == usual ? this : add(option, Durations.format(nanos), null);
  }

  LimitText abandon(long nanos) {
    return span(Option.ABANDON, nanos, Meter.NEVER);
  }

  LimitText spent(boolean spent) {
    return spent ? add(Option.INITIAL, "spent", null) : this;
  }

  @Override
  public String toString() {
    return text + ")";
  }
}
