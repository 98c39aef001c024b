package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import java.util.List;

/**
 * A sliding window: {@code 10/1m}.
 *
 * <p><b>Promise.</b> In any half-open interval of length I, wherever it begins, at most M is
 * released.
 *
 * <p><b>Formula.</b> A request goes when I has passed since the release of the unit M before its
 * last one. So all M may go at once, and then nothing for I. The long-run throughput is M per I,
 * the whole of the limit.
 *
 * <p><b>Memory.</b> A ring of timestamps. Up to 2048 units: one of 8 bytes for each (16 once a cost
 * was settled for less). Above: one for each request, whatever it costs, while there are at most
 * 1024 in I; if there are more, those within I/1000 share the timestamp of the last. So never more
 * than M goes, and no request later than I/1000: at most 0.1 % less throughput. At most 32 KB, some
 * 200 bytes at first.
 *
 * <p><b>Not promised.</b> Any bound on what a peer counts that sees requests later than they start:
 * see {@link Peer}.
 *
 * @param rate M per I
 * @param of what it counts
 */
@CheckReturnValue
public record Window(Rate rate, Measure of) implements Limit {

  /** Checks what it counts. */
  public Window {
    requireNonNull(rate);
    of.checkAmount("a window");
  }

  static Window of(Rate rate) {
    return new Window(rate, Measure.PLAIN);
  }

  /** Returns this window counting the cost named {@code name}. */
  public Window of(String name) {
    return new Window(rate, Measure.of(name));
  }

  @Override
  public Meter newMeter(long now) {
    return new WindowMeter(rate, of);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.AtMost(rate.permits(), rate.nanos(), of, false));
  }

  @Override
  public Limit share(Portion portion) {
    return new Window(new Rate(portion.of(rate.permits(), this), rate.nanos()), of);
  }

  @Override
  public Limit asPeerCounts() {
    return Peer.of(this);
  }

  /** Returns for example {@code 10/1m}. */
  @Override
  public String toString() {
    return rate + of.suffix();
  }
}
