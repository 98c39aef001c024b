package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.List;

/**
 * A limit that counts starts, said aloud: {@code starts(10/1m)}.
 *
 * <p>With {@code initial=spent} it begins as if all that it gives had just gone: for a process
 * whose predecessor may have sent it a moment ago.
 *
 * <p><b>Promise.</b> That of the limit inside. Where Pacegate sees the answers itself it counts as
 * the peer does unless told otherwise; this tells it otherwise.
 *
 * @param limit the limit inside
 * @param spent whether it begins with nothing left
 */
public record Starts(Limit limit, boolean spent) implements Limit {

  /** Refuses what does not count starts. */
  public Starts {
    if (!(limit instanceof Window || limit instanceof Bucket || limit instanceof Spacing)) {
      throw new IllegalArgumentException(
          "starts takes a window, a bucket or a spacing, not " + limit);
    }
  }

  /** Returns {@code limit}, as it is at first. */
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
  public Limit goingOn() {
    return new Starts(limit.goingOn(), false);
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
