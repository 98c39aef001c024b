package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * What the store answers. Instants and spans are microseconds of the store's clock.
 *
 * @param clock when the script ran
 * @param epoch the epoch in force
 * @param revision the revision of the limit in force
 * @param limit the limit in force; empty if the client knows it
 * @param closedFor what is left of the fence; 0 if there is none
 * @param reason why the epoch began
 * @param comeBackIn when to ask for the units that were not granted; 0 if all were
 */
record Reply(
    long clock,
    String epoch,
    String revision,
    String limit,
    long closedFor,
    String reason,
    long comeBackIn,
    List<Grant> grants) {

  private static final int HEADER = 6;

  /**
   * Units that may be used from one instant to another.
   *
   * @param units how many
   * @param from the first instant
   * @param until the first instant at which they may not be used any more
   */
  record Grant(long units, long from, long until) {}

  /** Reads the reply of {@code acquire.lua}, or of {@code change.lua}. */
  static Reply parse(List<String> fields) {
    var grants = new ArrayList<Grant>();
    for (int i = HEADER + 1; i < fields.size(); i += 3) {
      grants.add(new Grant(number(fields, i), number(fields, i + 1), number(fields, i + 2)));
    }
    boolean acquired = fields.size() > HEADER;
    return new Reply(
        number(fields, 0),
        fields.get(1),
        fields.get(2),
        fields.get(3),
        number(fields, 4),
        fields.get(5),
        acquired ? number(fields, HEADER) : 0,
        List.copyOf(grants));
  }

  private static long number(List<String> fields, int index) {
    return Long.parseLong(fields.get(index));
  }
}
