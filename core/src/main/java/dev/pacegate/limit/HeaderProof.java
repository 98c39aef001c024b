package dev.pacegate.limit;

import static dev.pacegate.limit.Nanos.add;

/**
 * Whether a peer counts each request by the time it sends the headers of its response, as far as
 * the counts in those headers show.
 *
 * <p><b>Proof.</b> If the peer has counted as many units as this client can have used at most, it
 * has counted each of those, the request included whose headers say so. A peer that counts requests
 * when their bodies end never states that many. It is concluded that the peer counts every request
 * by its headers.
 *
 * <p><b>Contradiction.</b> If that is so, a count includes the requests whose headers came before
 * the present request was sent, unless they are an interval old, or a window of the peer has begun
 * since. If three windows must have begun within less than an interval, it is not so. That holds
 * for good.
 */
final class HeaderProof {

  private final long max;
  private final long longest; // the interval, the margin included
  private final long shortest; // the interval, if the margin is all error
  private final long grain; // how late a start may be kept
  private final TimestampRuns starts; // of the requests whose headers are in
  private final TimestampRuns arrivals; // of those headers

  private boolean proven;
  private boolean contradicted;

  private boolean hasOthers;
  private long othersUntil; // until when the peer may count what this client does not know of

  private int turns; // windows of the peer that must have begun; two at most are remembered
  private long lastTurn; // the last one had begun by then
  private long usedAtTurn; // that much was used then
  private long sentAtTurn; // the start of the request whose headers showed it
  private long sentAtTurnBefore;

  /**
   * @param max how much the peer allows in an interval
   * @param nanos the peer's interval
   * @param longest the interval with the margin
   */
  HeaderProof(long max, long nanos, long longest) {
    this.max = max;
    this.longest = longest;
    this.grain = nanos / 500 + 1;
    this.shortest = Math.max(0, 2 * nanos - longest - grain);
    this.starts = new TimestampRuns(max, longest, 0);
    this.arrivals = new TimestampRuns(max, longest, 0);
  }

  /** Returns whether requests are over at their headers. */
  boolean holds() {
    return proven && !contradicted;
  }

  boolean isContradicted() {
    return contradicted;
  }

  /** The peer may have counted by {@code instant} what this client does not know of. */
  void mayCountOthers(long instant) {
    long until = instant + longest;
    othersUntil = hasOthers ? Nanos.later(othersUntil, until) : until;
    hasOthers = true;
  }

  /** The peer counts otherwise, or what it counts is not known by the headers. */
  void refute() {
    contradicted = true;
  }

  /** The peer has refused a request: nothing is concluded from its counts any more. */
  void refused() {
    contradicted |= proven;
  }

  /**
   * Takes what the headers of a response state.
   *
   * @param startedAt the start of the request
   * @param amount what it costs
   * @param used how much the peer has counted
   * @param most how much of this client it can have counted at most, this request included
   * @return whether the request is over
   */
  boolean heard(long startedAt, long now, long amount, long used, long most) {
    boolean tooFew = used < least(startedAt, now, amount);
    if (tooFew) {
      turned(startedAt, now, used);
    } else if (used > Math.min(most, max)) {
      mayCountOthers(now);
    } else if (used == most) {
      proven |= !hasOthers || startedAt - othersUntil >= 0;
    }
    starts.add(now, startedAt, amount);
    arrivals.add(now, now, amount);
    return holds() && !tooFew && used >= amount;
  }

  /** Returns how much must be counted if no window of the peer has begun that is not known of. */
  private long least(long startedAt, long now, long amount) {
    if (turns > 0 && startedAt - lastTurn < 0) {
      return 0; // it may have been counted before that
    }
    return turns > 0 && now - lastTurn < shortest
        ? add(usedAtTurn, add(amount, between(lastTurn, startedAt)))
        : add(amount, between(now - shortest, startedAt));
  }

  /** Returns at least how much was sent after {@code from} and had its headers by {@code to}. */
  private long between(long from, long to) {
    long sent = starts.known() - starts.unitsUntil(from + grain);
    long late = arrivals.known() - arrivals.unitsUntil(to);
    return Math.max(0, sent - late);
  }

  private void turned(long startedAt, long now, long used) {
    contradicted |= turns == 2 && now - sentAtTurnBefore < shortest;
    turns = Math.min(2, turns + 1);
    sentAtTurnBefore = sentAtTurn;
    sentAtTurn = startedAt;
    lastTurn = now;
    usedAtTurn = used;
  }
}
