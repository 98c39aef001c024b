package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import java.util.List;

/**
 * Fixed windows of the limiter's own, one after another: {@code fixed(3/1s)}. For compatibility
 * only: it lets through what throttlers let through that restore an allowance at every tick of a
 * timer. If the peer counts any interval, use the sliding {@link Window}, {@code 10/1m}.
 *
 * <p><b>Promise.</b> In any half-open interval of length W at most M * (ceil(W / I) + 1) is
 * released.
 *
 * <p><b>Formula.</b> The first release after idleness begins a window of length I. A request goes
 * if its window has then released at most M, otherwise when the next window begins; a cost above M
 * never goes. If a request waits when a window ends, the next window begins there; otherwise it
 * begins with the next release, so the allowance is whole again after silence.
 *
 * <p><b>Proof.</b> Beginnings are at least I apart, so an interval of length W overlaps at most
 * ceil(W / I) + 1 windows.
 *
 * <p><b>Not promised.</b> At most M in every interval of length I. M may go just before a window
 * ends and M as the next begins: 2 M within far less than I. When the limit is changed, the current
 * window keeps its beginning and its count; an interval across the change holds at most one
 * allowance more than the larger of both promises.
 *
 * <p><b>Source.</b> The timer-based throttler of Akka, without its timer: a request states since
 * when it has been first in the queue, and so whether any request waited at the tick.
 *
 * @param rate M per I
 * @param of what it counts
 */
@CheckReturnValue
public record Fixed(Rate rate, Measure of) implements Limit {

  /** Checks what it counts. */
  public Fixed {
    requireNonNull(rate);
    of.checkAmount("a fixed window");
  }

  static Fixed of(Rate rate) {
    return new Fixed(rate, Measure.PLAIN);
  }

  /** Returns this limit counting the cost named {@code name}. */
  public Fixed of(String name) {
    return new Fixed(rate, Measure.of(name));
  }

  @Override
  public Meter newMeter(long now) {
    return new FixedMeter(rate, of);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.PerWindow(rate.permits(), rate.nanos(), of));
  }

  @Override
  public Limit share(Portion portion) {
    return new Fixed(new Rate(portion.of(rate.permits(), this), rate.nanos()), of);
  }

  /** Returns for example {@code fixed(3/1s)}. */
  @Override
  public String toString() {
    return new LimitText("fixed", rate).add(Option.OF, of.name(), null).toString();
  }
}
