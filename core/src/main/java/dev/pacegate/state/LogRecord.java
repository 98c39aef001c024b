package dev.pacegate.state;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.util.Arrays;
import java.util.List;

/**
 * The layout of one release in the file: sixteen numbers.
 *
 * <p>Its events are numbered, which gives their order; its cost is in the names of its epoch, the
 * period in which one limit is in force.
 */
final class LogRecord {

  /** Kind: the release needs no end. */
  static final int STARTED = 1;

  /** Kind: it has not ended. */
  static final int OPEN = 2;

  /** Kind: it was answered. The next two: lost, not sent. */
  static final int ANSWERED = 3;

  static final int LOST = 4;
  static final int NOT_SENT = 5;

  private static final List<Outcome> ENDS =
      List.of(Outcome.ANSWERED, Outcome.LOST, Outcome.NOT_SENT); // in the order of the three

  /** Kind: it was sent late, and so charged again. */
  static final int LATE = 6;

  /** Kind: the cost charged, before a correction. */
  static final int CHARGED = 7;

  /** Kind: the corrected cost. */
  static final int SETTLED = 8;

  static final int LENGTH = 16;
  static final int NUMBER = 1;
  static final int VERSION = 2;
  static final int KIND = 3;
  static final int EPOCH = 4;
  static final int BORN = 5; // the number of the event of its release
  static final int DONE = 6; // the number of the event that ended it, or that it reports
  static final int START = 7;
  static final int SINCE = 8;
  static final int END = 9;
  static final int CALLS = 10;
  static final int PLAIN = 11;
  static final int NAMED = 12;
  static final int MOST_NAMES = LENGTH - NAMED;

  private static final int ADOPTED = 128; // it was released under a limit that needs no ends

  private LogRecord() {}

  static int kind(int kind, boolean adopted) {
    return adopted ? kind | ADOPTED : kind;
  }

  static int kind(long[] entry) {
    return (int) entry[KIND] & ~ADOPTED;
  }

  static boolean isAdopted(long[] entry) {
    return (entry[KIND] & ADOPTED) != 0;
  }

  static int kind(Outcome end) {
    return ANSWERED + ENDS.indexOf(end);
  }

  static Outcome end(int kind) {
    return ENDS.get(kind - ANSWERED);
  }

  static void putCost(long[] entry, Cost cost, List<String> names) {
    entry[CALLS] = cost.calls();
    entry[PLAIN] = cost.amount();
    for (int i = 0; i < MOST_NAMES; i++) {
      entry[NAMED + i] = i < names.size() ? cost.amount(names.get(i)) : 0;
    }
  }

  /** Merges {@code more} into {@code entry}, as of the later of both. */
  static void share(long[] entry, long[] more) {
    if (more[BORN] > entry[BORN]) {
      entry[BORN] = more[BORN];
      entry[START] = more[START];
    }
    entry[SINCE] = entry[START];
    entry[DONE] = more[DONE];
    entry[END] = more[END];
    for (int i = CALLS; i < LENGTH; i++) {
      long sum = entry[i] + more[i];
      entry[i] = sum < 0 ? Long.MAX_VALUE : sum;
    }
  }

  /** Returns whether both are about a request of the same start and cost. */
  static boolean isSameRequest(long[] one, long[] other) {
    return one[START] == other[START] && Arrays.equals(one, CALLS, LENGTH, other, CALLS, LENGTH);
  }

  static Cost cost(long[] entry, List<String> names) {
    Cost cost = Cost.sum(entry[CALLS], entry[PLAIN]);
    for (int i = 0; i < names.size(); i++) {
      if (entry[NAMED + i] > 0) {
        cost = cost.and(names.get(i), entry[NAMED + i]);
      }
    }
    return cost;
  }
}
