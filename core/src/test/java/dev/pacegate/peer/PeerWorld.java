package dev.pacegate.peer;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.ManualTime;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A sender with endless demand and a peer that counts what it sends, in virtual time.
 *
 * <p>Answers take a lognormal time; some stall beyond the sender's time-out; some never come
 * although the request is counted. The peer counts each request at an instant between its start and
 * its end (or within {@code unanswered} of its start), drawn at random, by a clock that runs a
 * little slow. Now and then it stalls as a whole, and what has come meanwhile is counted after
 * that.
 */
final class PeerWorld {

  static final long SECOND = 1_000_000_000L;
  static final long MILLI = 1_000_000L;

  private static final double MEDIAN_ANSWER = 50.0 * MILLI;
  private static final double SIGMA = 0.6;
  private static final double STALLS = 0.01;
  private static final double NEVER_ANSWERED = 0.005;
  private static final double PEER_CLOCK = 0.9995;
  private static final long TIME_OUT = 300 * MILLI;
  private static final long STALL_EVERY = 5 * SECOND;
  private static final long STALL = 250 * MILLI;

  final long unanswered;
  private final ManualTime time = ManualTime.manual();
  private final Random random;
  private final Limiter limiter;
  private final Consumer<Permit> onTimeOut;
  private final long[] counted;
  private int sent;
  private double occupied;
  private long ended;

  /**
   * @param onTimeOut how the sender ends a permit whose request has timed out
   */
  PeerWorld(Limit limit, long unanswered, int sends, long seed, Consumer<Permit> onTimeOut) {
    this.unanswered = unanswered;
    this.random = new Random(seed);
    this.limiter = Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
    this.onTimeOut = onTimeOut;
    this.counted = new long[sends];
  }

  /** Sends everything, and returns when the peer counted it, by the peer's clock, sorted. */
  long[] run() {
    ask();
    while (sent < counted.length) {
      time.advanceToNext();
    }
    long[] sorted = counted.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  /** Returns how many went out per second. */
  double throughput() {
    return sent / (time.nanoTime() / (double) SECOND);
  }

  /**
   * Returns for how long a permit was spent on average before its interval began, in nanoseconds.
   */
  double meanOccupied() {
    return occupied / ended;
  }

  /** Ends what is open and returns how many permits are open and requests waiting then. */
  int leftOver() {
    limiter.close();
    while (time.advanceToNext()) {
      // answers that are still on their way
    }
    return limiter.snapshot().open() + limiter.snapshot().waiting();
  }

  private void ask() {
    limiter
        .acquireAsync()
        .thenAccept(
            permit -> {
              if (sent < counted.length) {
                send(permit);
                ask();
              } else {
                permit.notSent();
              }
            })
        .exceptionally(closed -> null);
  }

  private void send(Permit permit) {
    long start = permit.releasedAt();
    double fate = random.nextDouble();
    boolean never = fate < NEVER_ANSWERED;
    long stall = Math.max(0, STALL - start % STALL_EVERY);
    long answer = fate < NEVER_ANSWERED + STALLS ? stalled() : answer();
    long delay = Math.min(stall + answer, unanswered);
    double countedAt = start + stall + random.nextDouble() * (delay - stall);
    counted[sent++] = Math.round(countedAt * PEER_CLOCK);
    if (never || delay > TIME_OUT) {
      occupied += unanswered;
      time.at(start + TIME_OUT, () -> onTimeOut.accept(permit));
    } else {
      occupied += delay;
      time.at(start + delay, permit::answered);
    }
    ended++;
  }

  private long answer() {
    return Math.round(MEDIAN_ANSWER * Math.exp(SIGMA * random.nextGaussian()));
  }

  private long stalled() {
    return TIME_OUT + (long) (random.nextDouble() * (unanswered - TIME_OUT));
  }
}
