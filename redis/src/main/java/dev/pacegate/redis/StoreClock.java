package dev.pacegate.redis;

import org.jspecify.annotations.Nullable;

/**
 * What a client knows of the store's clock: each reply says what that clock showed at some instant
 * between the call and the reply. From there on both clocks run, and differ by at most a
 * thousandth: twice the 500 millionths by which a clock is slewed at most.
 *
 * <p>Local instants are nanoseconds, those of the store microseconds. All is rounded to the safe
 * side.
 */
final class StoreClock {

  private static final long PER_MILLION = 1000;

  private static final long ROUNDING = 2; // microseconds

  private final String epoch;
  private long shown;
  private long sent;
  private long received;
  private long standsSince; // when a call was sent whose reply showed the same
  private long judgedBy; // what the reply showed that bounds the clock best
  private long judgedSince; // when that call was sent
  private long took; // the shortest call so far
  private long stood; // for how long this machine did since the last reply, unseen by its clock

  private StoreClock(String epoch, long shown, long sent, long received) {
    this.epoch = epoch;
    this.shown = shown;
    this.sent = sent;
    this.received = received;
    this.standsSince = sent;
    this.judgedBy = shown;
    this.judgedSince = sent;
    this.took = received - sent;
  }

  /** Returns the clock as a first reply shows it, which cannot be judged. */
  static StoreClock of(Reply reply, long sent, long received) {
    return new StoreClock(reply.epoch(), reply.clock(), sent, received);
  }

  StoreClock copy() {
    var copy = new StoreClock(epoch, shown, sent, received);
    copy.standsSince = standsSince;
    copy.judgedBy = judgedBy;
    copy.judgedSince = judgedSince;
    copy.took = took;
    copy.stood = stood;
    return copy;
  }

  /**
   * Returns whether a reply that took less than that has been seen. Until then the clock may have
   * been set forward unseen.
   */
  boolean isSharp(long nanos) {
    return took < nanos;
  }

  boolean isOf(Reply reply) {
    return epoch.equals(reply.epoch());
  }

  /**
   * Goes on from a newer reply of the same epoch.
   *
   * @return why the clock cannot be believed; null if it can
   */
  @Nullable String follow(Reply reply, long sent, long received, long fence) {
    if (reply.clock() > atMostSince(judgedSince, judgedBy, received) + ROUNDING) {
      return "the store's clock was set forward";
    }
    if (reply.clock() > shown) {
      standsSince = sent;
    } else if (sent - standsSince > fence * 1000) {
      return "the store's clock was set back";
    }
    if (reply.clock() <= atMostSince(judgedSince, judgedBy, sent)) {
      judgedBy = reply.clock();
      judgedSince = sent;
    }
    took = Math.min(took, received - sent); // if not taken, the earlier one bounds it no worse
    shown = reply.clock();
    this.sent = sent;
    this.received = received;
    this.stood = 0;
    return null;
  }

  /**
   * This machine stood still for some nanoseconds, which its clock does not count. How the store's
   * clock is judged stays as it is: if both are one machine, whose clock was set, both seem so.
   */
  void stoodStill(long nanos) {
    stood += nanos;
  }

  /**
   * Goes on from the first reply of the next epoch, which began after the last reply to this
   * client.
   *
   * @return why its clock cannot be believed; null if it can
   */
  @Nullable String judgeNext(Reply reply, long received) {
    return reply.clock() > atMostSince(sent, Long.parseLong(reply.epoch()), received) + ROUNDING
        ? "the store's clock was set forward"
        : null;
  }

  /** Returns a local instant by which the store's clock has certainly shown {@code instant}. */
  long by(long instant) {
    long ahead = instant - shown;
    return ahead <= 0 ? received : received + plusError(ahead) * 1000;
  }

  /** Returns a local instant before which the store's clock has certainly not shown that. */
  long notBefore(long instant) {
    long ahead = instant - shown;
    return sent + (ahead <= 0 ? ahead : ahead - error(ahead)) * 1000;
  }

  /** Returns an instant that the store's clock has certainly not passed at a local instant. */
  long atMost(long local) {
    return atMostSince(sent - stood, shown, local);
  }

  private static long atMostSince(long sent, long shown, long local) {
    return shown + Math.max(0, longer(local - sent));
  }

  /** Returns nanoseconds as microseconds, rounded up, with the error of both clocks. */
  private static long longer(long nanos) {
    return plusError(-Math.floorDiv(-nanos, 1000L));
  }

  private static long plusError(long micros) {
    return micros + error(micros);
  }

  private static long error(long micros) {
    return micros <= 0
        ? 0
        : micros / 1_000_000 * PER_MILLION
            + (micros % 1_000_000 * PER_MILLION + 999_999) / 1_000_000;
  }
}
