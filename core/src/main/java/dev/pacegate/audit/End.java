package dev.pacegate.audit;

/** When something that was released is over, and what it cost; the earliest first. */
record End(long instant, long cost) implements Comparable<End> {

  @Override
  public int compareTo(End other) {
    return Long.signum(instant - other.instant);
  }
}
