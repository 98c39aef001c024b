package dev.pacegate.peer;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** A client and a {@link StatingPeer} in virtual time, for an hour. */
final class HeadersWorld {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;
  static final int LIMIT = 60;
  private static final long INTERVAL = 60 * SECOND;
  private static final int MINUTES = 60;

  /**
   * How requests come, and what they take.
   *
   * @param perMinute how many come in a minute, at random; 0 if there is always one waiting
   * @param leg how long each takes at most on the way there, to be answered, and on the way back
   * @param body how long a body takes on average
   */
  record Traffic(double perMinute, Duration leg, Duration body) {

    /** There is always one waiting. */
    static Traffic endless() {
      return atRandom(0);
    }

    static Traffic atRandom(double perMinute) {
      return new Traffic(perMinute, Duration.ofMillis(20), Duration.ofSeconds(30));
    }

    Traffic leg(Duration longest) {
      return new Traffic(perMinute, longest, body);
    }

    @Override
    public String toString() {
      return (perMinute == 0 ? "endless" : perMinute + " a minute") + ", " + leg + ", " + body;
    }
  }

  /** Something that happens. */
  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private final ManualTime time = ManualTime.manual();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random;
  private final Limiter api;
  private final StatingPeer peer;
  private final Traffic traffic;
  private boolean says = true;
  private long order;
  private long waiting;
  private int sent;
  private boolean willLook;

  HeadersWorld(
      String limit,
      StatingPeer.Counts counts,
      StatingPeer.Windows windows,
      Traffic traffic,
      long seed) {
    this.random = new SplittableRandom(seed);
    this.api = Limiter.builder(limit).name("api").time(time).executor(Runnable::run).build();
    this.peer = new StatingPeer(LIMIT, INTERVAL, counts, windows, random.split());
    this.traffic = traffic;
  }

  HeadersWorld silent() {
    says = false;
    return this;
  }

  /** Runs; returns how many requests a minute were sent. */
  double run() {
    if (traffic.perMinute == 0) {
      waiting = Long.MAX_VALUE / 2;
      send();
    } else {
      at(time.nanoTime(), this::come);
    }
    long end = time.nanoTime() + MINUTES * INTERVAL;
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      time.advance(Duration.ofNanos(next.at - time.nanoTime()));
      next.action.run();
      send();
    }
    api.close();
    return (double) sent / MINUTES;
  }

  int refused() {
    return peer.refused;
  }

  private void at(long instant, Runnable action) {
    events.add(new Event(instant, order++, action));
  }

  private void come() {
    waiting++;
    double gap = -Math.log(1 - random.nextDouble()) * INTERVAL / traffic.perMinute;
    at(time.nanoTime() + (long) gap, this::come);
  }

  private void send() {
    while (waiting > 0) {
      var permit = api.tryAcquire();
      if (permit.isEmpty()) {
        lookAgain();
        return;
      }
      waiting--;
      sent++;
      request(permit.get());
    }
  }

  private void lookAgain() {
    if (!willLook) {
      willLook = true;
      long wait = Math.max(MILLI, api.estimateWait(1).toNanos());
      at(time.nanoTime() + Math.min(wait, 100 * MILLI), () -> willLook = false);
    }
  }

  private void request(Permit permit) {
    long arrival = time.nanoTime() + leg();
    long answer = arrival + leg();
    long headers = answer + leg();
    long body = traffic.body.toNanos();
    long end = headers + random.nextLong(body / 2, body * 3 / 2 + 1);
    long counts = peer.countsAt(arrival, answer, end, random);
    boolean[] refused = {false};
    int[] used = {0};
    at(counts, () -> refused[0] = !peer.count(time.nanoTime()) && counts <= answer);
    at(answer, () -> used[0] = peer.used(time.nanoTime()));
    at(headers, () -> hear(permit, refused[0], used[0]));
    at(end, permit::answered);
  }

  private long leg() {
    return random.nextLong(MILLI, traffic.leg.toNanos() + 1);
  }

  private void hear(Permit permit, boolean refused, int used) {
    var quota = Quota.remaining(LIMIT - used).withLimit(LIMIT);
    var answer = PeerAnswer.of(refused ? PeerVerdict.REFUSED : PeerVerdict.ACCEPTED);
    api.heard(permit, says ? answer.withQuotas(List.of(quota)) : answer, Backoff.standard());
  }
}
