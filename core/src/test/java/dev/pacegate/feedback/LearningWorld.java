package dev.pacegate.feedback;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.feedback.PeerCount.Kind;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Programs that send all they may to a peer whose limit they do not know, in virtual time: every
 * answer is applied to the sender's limiter, as an HTTP client does.
 */
final class LearningWorld {

  /** Who sent a request, when the peer judged it, and what it said. */
  record Judged(int sender, long instant, boolean accepted) {}

  final ManualTime time = ManualTime.manual();
  final List<Judged> judged = new ArrayList<>();
  final List<Limiter> limiters = new ArrayList<>();
  private final long interval;
  private final boolean tells;
  private final Random random;
  private final PeerCount count;

  /**
   * Creates a peer.
   *
   * @param tells whether its answers have headers
   */
  LearningWorld(Kind kind, long max, Duration interval, boolean tells, long seed) {
    this.interval = interval.toNanos();
    this.tells = tells;
    this.random = new Random(seed);
    long phase = (long) (random.nextDouble() * this.interval);
    this.count = new PeerCount(kind, max, this.interval, phase);
  }

  /** Starts a program of so many workers, each of which sends a request after another. */
  void send(String limit, int workers, Feedback feedback) {
    Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    int sender = limiters.size();
    limiters.add(limiter);
    for (int i = 0; i < workers; i++) {
      next(limiter, sender, feedback);
    }
  }

  void change(long max) {
    count.change(max);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it fails when the world is over
  private void next(Limiter limiter, int sender, Feedback feedback) {
    limiter
        .acquireAsync()
        .thenAccept(permit -> later(() -> arrives(limiter, sender, permit, feedback)));
  }

  private void arrives(Limiter limiter, int sender, Permit permit, Feedback feedback) {
    boolean accepts = accepts(time.nanoTime());
    judged.add(new Judged(sender, time.nanoTime(), accepts));
    Map<String, List<String>> headers = tells ? headers(accepts, time.nanoTime()) : Map.of();
    var answer = new Answer(accepts ? 200 : 429, headers, time.instant());
    later(
        () -> {
          feedback.apply(limiter, permit, answer);
          permit.answered();
          next(limiter, sender, feedback);
        });
  }

  /** A way takes up to a hundredth of the interval a unit has, and 10 ms at most. */
  private void later(Runnable task) {
    long longest = Math.min(10_000_000, interval / count.max() / 10);
    time.at(time.nanoTime() + longest / 4 + (long) (random.nextDouble() * longest), task);
  }

  private boolean accepts(long now) {
    boolean accepts = count.left(now) > 0;
    if (accepts) {
      count.count(now);
    }
    return accepts;
  }

  private Map<String, List<String>> headers(boolean accepted, long now) {
    long reset = count.reset(now);
    var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    headers.put("X-RateLimit-Limit", List.of("" + count.max()));
    headers.put("X-RateLimit-Remaining", List.of("" + count.left(now)));
    headers.put("X-RateLimit-Reset", List.of("" + seconds(reset)));
    if (!accepted) {
      headers.put("Retry-After", List.of("" + seconds(reset)));
    }
    return headers;
  }

  private static long seconds(long nanos) {
    return Math.max(1, (nanos + 999_999_999) / 1_000_000_000);
  }

  /** Runs for so many intervals. */
  void run(int intervals) {
    time.advanceNanos(intervals * interval);
  }

  /** Returns how many requests of a sender were judged so from one interval to another. */
  long count(int sender, boolean accepted, int from, int to) {
    return judged.stream()
        .filter(each -> each.sender == sender && each.accepted == accepted)
        .filter(each -> each.instant >= from * interval && each.instant < to * interval)
        .count();
  }
}
