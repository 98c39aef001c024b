package dev.pacegate.redis.rig;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * What a peer has counted. Instants are those of {@link System#nanoTime()}, which on Linux is one
 * clock for all processes of a machine.
 */
public final class Arrivals {

  /**
   * A request that has arrived.
   *
   * @param at when the peer counted it
   * @param sender who sent it
   * @param number its number among those of its sender
   * @param queuedAt when its sender began to wait for a permit
   * @param until when it is to be answered
   */
  public record Arrival(long at, int sender, long number, long queuedAt, long until) {

    /** Returns it as a line of five numbers. */
    String toLine() {
      return at + " " + sender + " " + number + " " + queuedAt + " " + until;
    }

    static Arrival ofLine(String line) {
      String[] words = line.split(" ", -1);
      return new Arrival(
          Long.parseLong(words[0]),
          Integer.parseInt(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]),
          Long.parseLong(words[4]));
    }
  }

  private final List<Arrival> inOrder;

  /** The arrivals, in any order. */
  public Arrivals(List<Arrival> arrivals) {
    inOrder = new ArrayList<>(arrivals);
    inOrder.sort(Comparator.comparingLong(a -> a.at() - arrivals.get(0).at())); // no overflow
  }

  /** Returns the arrivals in their order. */
  public List<Arrival> list() {
    return List.copyOf(inOrder);
  }

  /** Returns how many there are. */
  public int count() {
    return inOrder.size();
  }

  /** Returns the most in any half-open interval of that length, wherever it begins. */
  public int most(Duration window) {
    long length = window.toNanos();
    int most = 0;
    for (int first = 0, last = 0; last < inOrder.size(); last++) {
      while (inOrder.get(last).at() - inOrder.get(first).at() >= length) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** Returns how many are inside at an instant: they have arrived, and are to be answered later. */
  public int inside(long instant) {
    return (int)
        inOrder.stream().filter(a -> a.at() - instant <= 0 && a.until() - instant > 0).count();
  }

  /** Returns how many arrive in a second, from the first to the last; 0 for less than two. */
  public double perSecond() {
    if (inOrder.size() < 2) {
      return 0;
    }
    long span = inOrder.get(inOrder.size() - 1).at() - inOrder.get(0).at();
    return (inOrder.size() - 1) / (span / 1e9);
  }

  /**
   * Returns by how many requests, at most, one was overtaken: they were queued after it, by
   * whichever sender, and were counted before it.
   */
  public int mostOvertaken() {
    long[] queued = inOrder.stream().mapToLong(this::queued).sorted().toArray();
    int[] counts = new int[queued.length + 1]; // a Fenwick tree over the order of queueing
    int most = 0;
    for (int before = 0; before < inOrder.size(); before++) {
      int place = firstAfter(queued, queued(inOrder.get(before)));
      most = Math.max(most, before - upTo(counts, place));
      add(counts, place);
    }
    return most;
  }

  /** Returns when it was queued, from an origin at which no clock runs over. */
  private long queued(Arrival arrival) {
    return arrival.queuedAt() - inOrder.get(0).queuedAt();
  }

  /** Returns how many instants are not after the given one. */
  private static int firstAfter(long[] sorted, long instant) {
    int found = Arrays.binarySearch(sorted, instant);
    if (found < 0) {
      return -found - 1;
    }
    while (found < sorted.length && sorted[found] == instant) {
      found++;
    }
    return found;
  }

  private static int upTo(int[] counts, int index) {
    int sum = 0;
    for (int i = index; i > 0; i -= i & -i) {
      sum += counts[i];
    }
    return sum;
  }

  private static void add(int[] counts, int index) {
    for (int i = index; i < counts.length; i += i & -i) {
      counts[i]++;
    }
  }
}
