package dev.pacegate.redis;

import java.util.List;

/**
 * One call of {@code acquire.lua}. A request that is repeated, since its reply was lost, keeps its
 * number: the store then grants what it has granted.
 *
 * @param number its number among the client's requests
 * @param demands what the client wants of each term
 * @param epoch the epoch that the client knows; empty if none
 * @param distrust why the client does not believe that epoch's clock; empty if it does
 * @param revision the revision of the limit that the client knows; empty if none
 */
record Request(
    long number,
    List<Demand> demands,
    String epoch,
    String distrust,
    String revision,
    List<Report> reports) {

  /**
   * Returns whether it does nothing but report what is over. No request waits for that, and other
   * processes get the units a little later without it.
   */
  boolean onlyReports(Terms terms) {
    return !epoch.isEmpty()
        && distrust.isEmpty()
        && !reports.isEmpty()
        && !wantsUnits()
        && reports.stream().allMatch(report -> report.isOver() && !isReused(terms, report));
  }

  /** Returns whether requests wait for what it asks for. */
  boolean wantsUnits() {
    return demands.stream().anyMatch(demand -> demand.want() > 0);
  }

  // Others wait for a place that is free again.
  private static boolean isReused(Terms terms, Report report) {
    return terms.terms().get(report.term()).isReused();
  }

  /**
   * What a client wants of one term.
   *
   * @param want how many units the client's waiters need
   * @param least how many of them are of no use without each other
   * @param spare how many more the client would like
   */
  record Demand(long want, long least, long spare) {}
}
