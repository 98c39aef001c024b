package dev.pacegate.adapter.tck;

import java.util.ArrayList;
import java.util.List;

/**
 * What was found in one case.
 *
 * @param arrivals how many requests arrived
 * @param permits how many permits were granted
 * @param most the most that was counted at once, in words
 * @param faults what is wrong
 * @param audit the audit of the whole requests
 */
record CaseResult(int arrivals, long permits, String most, List<String> faults, String audit) {

  /** Returns the faults and what explains them; empty if there are none. */
  String complaint() {
    return faults.isEmpty()
        ? ""
        : String.join("; ", faults)
            + (": " + arrivals + " requests arrived with " + permits + " permits\n" + audit);
  }

  /** Returns the cell of a table; faults are bold. */
  String cell() {
    var parts = new ArrayList<String>();
    parts.add(arrivals + " with " + permits);
    parts.add(most);
    faults.forEach(fault -> parts.add("**" + fault + "**"));
    return String.join("; ", parts);
  }
}
