package dev.pacegate.redis;

/**
 * What a client tells the store of one term of one of its leases. It says how many units are left,
 * not how many are given back: so a report that arrives twice changes nothing the second time.
 *
 * @param term the index of the term
 * @param lease the lease's name: the number of the request that it answered, and an index from the
 *     last
 * @param left how many units the lease has after this report
 * @param instant until when, in microseconds of the store's clock, the peer may have counted the
 *     units that are given back; 0 unless they {@linkplain Kind#ENDED ended}
 */
record Report(int term, String lease, long left, Kind kind, long instant) {

  /** Returns whether it tells of what is over: units that are in use stay in use without it. */
  boolean isOver() {
    return kind == Kind.ENDED || kind == Kind.UNUSED;
  }

  /** What became of the units. */
  enum Kind {
    /** They were used, and their requests are over. */
    ENDED("ended"),
    /** They were never used. */
    UNUSED("unused"),
    /** The units that are left are in use still. */
    OPEN("open"),
    /** The store may not know that the units that are left are in use. */
    ANEW("anew");

    final String text;

    Kind(String text) {
      this.text = text;
    }
  }
}
