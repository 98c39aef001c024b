package dev.pacegate.benchmarks.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * When requests were sent and what became of them, in a run of a given length. Instants are
 * nanoseconds since its start; what comes after its end is left out. Thread-safe.
 */
final class Timeline {

  private final long length;
  private final long ramp;
  private final List<Long> sends = new ArrayList<>();
  private final List<Long> ends = new ArrayList<>();
  private final List<Long> answers = new ArrayList<>();
  private final Map<Fate, Long> fates = new EnumMap<>(Fate.class);

  /**
   * @param ramp a period in which deliveries repeat themselves
   */
  Timeline(Duration length, Duration ramp) {
    this.length = length.toNanos();
    this.ramp = ramp.toNanos();
  }

  /** A request leaves the client; returns how many did so before. */
  synchronized int sent(long at) {
    sends.add(at);
    return sends.size() - 1;
  }

  /**
   * The client knows what became of a request.
   *
   * @param countedUntil when the server can have counted it at the latest
   */
  synchronized void ended(Fate fate, long at, long countedUntil) {
    if (at > length) {
      return;
    }
    ends.add(countedUntil);
    if (ends.size() > sends.size()) {
      sends.add(at); // timed out before it left the client
    }
    fates.merge(fate, 1L, Long::sum);
    if (fate == Fate.ANSWERED) {
      answers.add(at);
    }
  }

  synchronized Measured measured(Duration longestStall) {
    return new Measured(
        sends.stream().filter(at -> at <= length).count(),
        of(Fate.ANSWERED),
        of(Fate.REFUSED),
        of(Fate.TIMED_OUT),
        of(Fate.FAILED),
        perSecond(),
        Duration.ofNanos(longestStop()),
        longestStall);
  }

  private long of(Fate fate) {
    return fates.getOrDefault(fate, 0L);
  }

  /**
   * Those in the first and the last period weigh the more, the farther they are from the ends: else
   * it would matter whether the run ends just before a burst or just after it.
   */
  private double perSecond() {
    double weight = 0;
    for (long at : answers) {
      weight += Math.min(1, Math.min(at, length - at) / (double) ramp);
    }
    return 1e9 * weight / (length - ramp);
  }

  private long longestStop() {
    var sent = sorted(sends);
    var ended = sorted(ends);
    long longest = 0;
    for (int i = 1; i < sent.size(); i++) {
      boolean nothingCounts = ended.size() >= i && ended.get(i - 1) <= sent.get(i);
      if (nothingCounts && sent.get(i) <= length) {
        longest = Math.max(longest, sent.get(i) - ended.get(i - 1));
      }
    }
    return longest;
  }

  private static List<Long> sorted(List<Long> instants) {
    var sorted = new ArrayList<>(instants);
    Collections.sort(sorted);
    return sorted;
  }
}
