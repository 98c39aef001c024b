package dev.pacegate.redis;

import org.jspecify.annotations.Nullable;

/**
 * For how long a client stays away from the store: as it is told, and longer if answers are late.
 * An answer that takes as long as a lease may be used brings leases that are over, and the next
 * would too. If more than one comes in turn it stays away, and the longer the more there are: so a
 * store with too many clients is in time again. Not thread-safe. Local instants are nanoseconds.
 */
final class Absence {

  private static final long LONGEST = 5_000_000_000L;

  private boolean isLate; // the last answer
  private long late; // for how long to stay away at least, as answers are late
  private boolean inCrowd;
  private @Nullable Long quietUntil;

  /**
   * Notes an answer.
   *
   * @param before when it was to ask again; null if at once
   * @param took how long it took
   * @param use for how long a lease may be used
   * @return when to ask again; null if at once
   */
  @Nullable Long after(
      Request request, Reply reply, @Nullable Long before, long received, long took, long use) {
    boolean goesOn = isAway(before, received) && !request.wantsUnits() && reply.comeBackIn() == 0;
    Long again = goesOn ? before : comeBackAt(reply, received);
    boolean gaveAll = reply.gaveAll(request);
    boolean isTold = reply.comeBackIn() > 0 || goesOn;
    inCrowd = gaveAll ? isTold : inCrowd;
    late = late(took, use);
    if (late > 0) {
      again = again == null ? received + late : LeaseBook.later(again, received + late);
    }
    quietUntil = late > 0 || (gaveAll && isTold) ? again : null;
    return again;
  }

  // In a crowd a call that reports alone, as of what is open, does not end what the last one began.
  private boolean isAway(@Nullable Long before, long received) {
    return inCrowd && before != null && before - received > 0;
  }

  // A book that was granted units that are free only later would be granted no earlier ones now. A
  // pause of a part of that time loses none of them, and gathers what is to be asked and reported.
  private static @Nullable Long comeBackAt(Reply reply, long received) {
    long pause = reply.comeBackIn();
    if (pause == 0 && !reply.grants().isEmpty()) {
      long last = reply.grants().get(reply.grants().size() - 1).from();
      pause = Math.max(0, last - reply.clock()) / 4 * 3;
    }
    return pause == 0 ? null : Long.valueOf(received + pause * 1000);
  }

  private long late(long took, long use) {
    boolean wasLate = isLate;
    isLate = took >= use;
    if (isLate) {
      return wasLate ? Math.min(Math.max(2 * late, use), Math.min(2 * took, LONGEST)) : late;
    }
    return late / 2 < use / 2 ? 0 : late / 2;
  }

  /** Reports are told in their time again. */
  void endQuiet() {
    quietUntil = null;
  }

  /** Returns whether the store has so many clients that they get many units, and seldom. */
  boolean isInCrowd() {
    return inCrowd;
  }

  /** Returns before when only what is open is reported; null if all is, in its time. */
  @Nullable Long quietUntil() {
    return quietUntil;
  }
}
