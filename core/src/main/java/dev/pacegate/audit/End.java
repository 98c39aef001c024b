package dev.pacegate.audit;

/** The end of a request and its cost, ordered by instant. */
record End(long instant, long cost) implements Comparable<End> {

  @Override
  public int compareTo(End other) {
    return Long.signum(instant - other.instant);
  }
}
