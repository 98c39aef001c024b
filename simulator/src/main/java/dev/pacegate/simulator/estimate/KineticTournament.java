package dev.pacegate.simulator.estimate;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A queue of windows that tells which of them has the highest estimate.
 *
 * <p>It is a kinetic tournament. All estimates rise by the same when something is counted, and each
 * falls evenly by the share of its own last window. So the better of two stays the better until an
 * instant that can be computed. Each node of the tree keeps its winner and the first instant at
 * which a match below it may end otherwise; only those matches are played again. A step of the
 * queue plays one match on each level of the tree.
 */
final class KineticTournament {

  private static final long NEVER = Long.MAX_VALUE;

  private final long nanos;
  private @Nullable EstimateWindow[] winner = new EstimateWindow[4]; // node 1 is the root
  private long[] until = {NEVER, NEVER, NEVER, NEVER};
  private int leaves = 2;
  private int head; // the leaf of the oldest
  private int size;
  private long now;
  private long matches;

  KineticTournament(long nanos) {
    this.nanos = nanos;
  }

  /** Moves on to {@code instant}, and forgets the windows that ran out. */
  void moveTo(long instant) {
    now = instant;
    while (size > 0 && now - leaf(0).from() >= nanos) {
      put(0, null);
      head = (head + 1) & (leaves - 1);
      size--;
    }
    replay(1);
  }

  /** Adds a window that begins now, and drops newest ones that it will always exceed. */
  void add(EstimateWindow window) {
    while (size > 0 && window.exceeds(leaf(size - 1), nanos, now)) {
      size--;
      put(size, null);
    }
    if (size == leaves) {
      grow();
    }
    put(size, window);
    size++;
  }

  /** Returns the window with the highest estimate; null if there is none. */
  @Nullable EstimateWindow best() {
    return winner[1];
  }

  /** Returns how many matches were played in all. */
  long matches() {
    return matches;
  }

  private EstimateWindow leaf(int index) {
    return requireNonNull(winner[leaves + ((head + index) & (leaves - 1))]);
  }

  private void put(int index, @Nullable EstimateWindow window) {
    int node = leaves + ((head + index) & (leaves - 1));
    winner[node] = window;
    while ((node >>= 1) > 0) {
      play(node);
    }
  }

  private void grow() {
    var grown = new EstimateWindow[4 * leaves];
    for (int i = 0; i < size; i++) {
      grown[2 * leaves + i] = leaf(i);
    }
    winner = grown;
    leaves *= 2;
    head = 0;
    until = new long[2 * leaves];
    Arrays.fill(until, NEVER);
    for (int node = leaves - 1; node > 0; node--) {
      play(node);
    }
  }

  /** Plays the matches again that may end otherwise by now. */
  private void replay(int node) {
    if (until[node] <= now) {
      replay(2 * node);
      replay(2 * node + 1);
      play(node);
    }
  }

  private void play(int node) {
    matches++;
    EstimateWindow left = winner[2 * node];
    EstimateWindow right = winner[2 * node + 1];
    long below = Math.min(until[2 * node], until[2 * node + 1]);
    if (left == null || right == null) {
      winner[node] = left == null ? right : left;
      until[node] = below;
      return;
    }
    Wide lead = lead(left, right);
    int order = lead.signum() != 0 ? lead.signum() : Long.compare(right.last(), left.last());
    boolean wins = order >= 0;
    winner[node] = wins ? left : right;
    long end = wins ? overtaken(lead, left, right) : overtaken(lead(right, left), right, left);
    until[node] = Math.min(below, end);
  }

  /** Returns by how much the estimate of {@code one} is now above that of {@code other}. */
  private Wide lead(EstimateWindow one, EstimateWindow other) {
    long total = one.before(); // any would do
    return one.estimate(nanos, total, now).minus(other.estimate(nanos, total, now));
  }

  /** Returns when the loser overtakes, or a little earlier. */
  private long overtaken(Wide lead, EstimateWindow winner, EstimateWindow loser) {
    long slope = winner.last() - loser.last(); // how much faster the winner falls
    if (slope <= 0) {
      return NEVER;
    }
    long lasts = lead.atMostOver(slope);
    return lasts >= nanos || lasts >= NEVER - now - 1 ? NEVER : now + lasts + 1;
  }
}
