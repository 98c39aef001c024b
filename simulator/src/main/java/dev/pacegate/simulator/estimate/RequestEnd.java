package dev.pacegate.simulator.estimate;

/** The end of a request and its cost, ordered by instant. */
record RequestEnd(long instant, long cost) implements Comparable<RequestEnd> {

  @Override
  public int compareTo(RequestEnd other) {
    return Long.signum(instant - other.instant);
  }
}
