package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the store answers to one entry of a call. Instants and spans are microseconds of the store's
 * clock.
 *
 * @param clock when the script ran
 * @param epoch the epoch in force
 * @param revision the revision of the limit in force
 * @param limit the limit in force; empty if the client knows it. Otherwise what the client asked
 *     and reported was not heeded
 * @param own whether that is the limit of one key
 * @param closedFor what is left of the fence; 0 if there is none
 * @param reason why the epoch began
 * @param pausedFor what is left of a pause; 0 if there is none
 * @param why what was said of the pause
 * @param replicas how many replicas must confirm this call before it is relied upon
 * @param comeBackIn when to ask for the units that were not granted. 0 if all were, unless the
 *     store has many clients: then for how long to make no call, but of what must be told in time
 * @param offsets by how much the wall clocks of others are ahead of the store's; told to a client
 *     that has just begun
 */
record Reply(
    long clock,
    String epoch,
    String revision,
    String limit,
    boolean own,
    long closedFor,
    String reason,
    long pausedFor,
    String why,
    List<String> replicas,
    long comeBackIn,
    List<Long> offsets,
    List<Grant> grants) {

  private static final int HEADER = 7;
  private static final String UNKNOWN = "the store does not know this name"; // as epochs.lua says
  private static final String SPREADS = "this process spreads the keys over"; // so does it

  /**
   * Units that may be used from one instant to another.
   *
   * @param from the first instant
   * @param until the first instant at which they may not be used any more
   * @param units how many of each term
   */
  record Grant(long from, long until, List<Long> units) {}

  /**
   * Reads what is said of an entry.
   *
   * @param fields those of the entry
   * @param terms how many terms the client's limit has
   */
  static Reply parse(
      String epoch,
      String reason,
      String why,
      List<String> replicas,
      List<Long> offsets,
      List<String> fields,
      int terms) {
    return new Reply(
        number(fields, 0),
        epoch,
        fields.get(1),
        fields.get(2),
        !fields.get(3).isEmpty(),
        number(fields, 4),
        reason,
        number(fields, 5),
        why,
        replicas,
        number(fields, 6),
        offsets,
        grants(fields, terms));
  }

  private static List<Grant> grants(List<String> fields, int terms) {
    var grants = new ArrayList<Grant>();
    for (int i = HEADER; i < fields.size(); i += 2 + terms) {
      var units = new ArrayList<Long>();
      for (int j = i + 2; j < i + 2 + terms; j++) {
        units.add(number(fields, j));
      }
      grants.add(new Grant(number(fields, i), number(fields, i + 1), List.copyOf(units)));
    }
    return List.copyOf(grants);
  }

  /**
   * Returns how a change names the limit that it replaces, by the answer to a look at it.
   *
   * @param ofKey whether the limit of one key is to be changed
   */
  String revisionToReplace(boolean ofKey) {
    return ofKey && !own ? "0" : revision;
  }

  /** Returns whether a limit is in force, as a change of it has the answer. */
  boolean hasInForce(Limit changed, boolean ofKey) {
    return limit.equals(changed.toString()) && (own || !ofKey);
  }

  /** Returns whether the record of an earlier epoch is lost, and all that was in it. */
  boolean hasLost(String earlierEpoch) {
    return reason.equals(UNKNOWN) && !epoch.equals(earlierEpoch);
  }

  /** Returns whether a call failed as the store does not know the name. */
  static boolean isOfUnknown(@Nullable Throwable failure) {
    return says(failure, UNKNOWN);
  }

  /** Returns whether a call failed as the keys of the record are spread over other tags. */
  static boolean isOfOtherTags(@Nullable Throwable failure) {
    return says(failure, SPREADS);
  }

  private static boolean says(@Nullable Throwable failure, String words) {
    Throwable cause = Causes.cause(failure);
    return cause instanceof RedisCommandExecutionException
        && ("" + cause.getMessage()).contains(words);
  }

  /** Returns whether all is granted that a request waits for. */
  boolean gaveAll(Request request) {
    for (int i = 0; i < request.demands().size(); i++) {
      int term = i;
      long granted = grants.stream().mapToLong(grant -> grant.units().get(term)).sum();
      if (granted < request.demands().get(i).want()) {
        return false;
      }
    }
    return true;
  }

  /** Returns what is left until something may be granted. */
  long shutFor() {
    return Math.max(closedFor, pausedFor);
  }

  private static long number(List<String> fields, int index) {
    return Long.parseLong(fields.get(index));
  }
}
