package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.List;

/**
 * A limit that states explicitly that it counts starts: {@code starts(10/1m)}.
 *
 * <p>Clients that see the answers count as the peer does by default; wrap a limit in this to count
 * starts instead. With {@code initial=spent} it starts as if all that it gives had just gone: for a
 * process whose predecessor may just have sent it.
 *
 * <p><b>Promise.</b> That of the limit inside.
 *
 * @param limit the limit inside
 * @param spent whether it starts with nothing left
 */
public record Starts(Limit limit, boolean spent) implements Limit {

  /** Refuses a limit that does not count starts. */
  public Starts {
    requireNonNull(limit);
    if (!(limit instanceof Window || limit instanceof Bucket || limit instanceof Spacing)) {
      throw new IllegalArgumentException(
          "starts takes a window, a bucket or a spacing, not " + limit);
    }
  }

  /** Returns {@code limit} with its own initial state. */
  public Starts(Limit limit) {
    this(limit, false);
  }

  @Override
  public Meter newMeter(long now) {
    return spent ? newSpentMeter(now, InstantSource.system()) : limit.newMeter(now);
  }

  @Override
  public Limit share(Portion portion) {
    return new Starts(limit.share(portion), spent);
  }

  @Override
  public Limit withoutInitialState() {
    return new Starts(limit.withoutInitialState(), false);
  }

  @Override
  public List<Promise> promises() {
    return limit.promises();
  }

  /** Returns for example {@code starts(10/1m)}. */
  @Override
  public String toString() {
    return "starts(" + limit + (spent ? ", initial=spent)" : ")");
  }
}
