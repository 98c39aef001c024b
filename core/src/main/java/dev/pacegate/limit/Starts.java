package dev.pacegate.limit;

import java.util.List;

/**
 * A limit that counts starts, said aloud: {@code starts(10/1m)}.
 *
 * <p><b>Promise.</b> That of the limit inside. Where Pacegate sees the answers itself it counts as
 * the peer does unless told otherwise; this tells it otherwise.
 *
 * @param limit the limit inside
 */
public record Starts(Limit limit) implements Limit {

  /** Refuses what does not count starts. */
  public Starts {
    if (!(limit instanceof Window || limit instanceof Bucket || limit instanceof Spacing)) {
      throw new IllegalArgumentException(
          "starts takes a window, a bucket or a spacing, not " + limit);
    }
  }

  @Override
  public Meter newMeter(long now) {
    return limit.newMeter(now);
  }

  @Override
  public Limit share(int percent) {
    return new Starts(limit.share(percent));
  }

  @Override
  public Limit rest(int... percents) {
    return new Starts(limit.rest(percents));
  }

  @Override
  public List<Promise> promises() {
    return limit.promises();
  }

  /** Returns for example {@code starts(10/1m)}. */
  @Override
  public String toString() {
    return "starts(" + limit + ")";
  }
}
