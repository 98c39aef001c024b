package dev.pacegate.limit;

/**
 * What may have gone before anything a meter remembers: at the pace of its own limit since that is
 * in force, and before as the limits allowed that it took over from.
 */
final class Lineage {

  private final Rate rate;
  private final long burst;
  private long changedAt;
  private Rate olderRate;
  private long olderBurst; // 0 if no other limit was in force before

  /**
   * @param rate how fast its own limit lets go in the long run
   * @param burst how much at once
   */
  Lineage(Rate rate, long burst) {
    this.rate = rate;
    this.burst = burst;
    this.olderRate = rate;
  }

  void succeed(long now, Remembering old) {
    if (!old.fastest().equals(rate) || old.largest() != burst) {
      changedAt = now;
      olderRate = old.fastest();
      olderBurst = old.largest();
    }
  }

  Rate fastest() {
    return rate.faster(olderRate);
  }

  long largest() {
    return Math.max(burst, olderBurst);
  }

  /**
   * Adds up to {@code units} that came by {@code oldest}: under its own limit {@code each} in every
   * {@code per} nanoseconds.
   */
  void addTo(Past past, long oldest, long units, long each, long per) {
    if (olderBurst == 0) {
      past.addSteady(oldest, units, each, per, Spans.MAX);
      return;
    }
    long own = oldest - changedAt;
    long left = own > 0 ? past.addSteady(oldest, units, each, per, own) : units;
    long change = own > 0 ? changedAt : oldest;
    long atOnce = Math.min(left, olderBurst);
    past.add(change, atOnce);
    past.addSteady(change, left - atOnce, olderRate.permits(), olderRate.nanos(), Spans.MAX);
  }
}
