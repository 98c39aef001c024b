package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import java.util.List;

/**
 * No limit: {@code unlimited}.
 *
 * <p><b>Promise.</b> None: every request goes at once, whatever it costs. For switches and for
 * tests.
 */
public record Unlimited() implements Limit {

  static final Unlimited INSTANCE = new Unlimited();

  private static final Meter METER = new UnlimitedMeter();

  @Override
  public Meter newMeter(long now) {
    return METER;
  }

  @Override
  public Limit share(Portion portion) {
    requireNonNull(portion);
    return this;
  }

  @Override
  public List<Promise> promises() {
    return List.of();
  }

  /** Returns {@code unlimited}. */
  @Override
  public String toString() {
    return "unlimited";
  }
}
