package dev.pacegate.limit;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * The state of a {@link Peer} window whose peer may count each request by the time of its headers.
 *
 * <p>It keeps two accounts: in one a request is over at its end, in the other at its headers if
 * these show that the peer has counted it. The second one decides once the peer is proven to count
 * so, and the first one for good as soon as the peer contradicts that. So a mistake is undone by
 * changing the account.
 */
final class StatedWindowMeter extends CappedMeter {

  private final PeerWindowMeter whole; // requests are over at their ends
  private final PeerWindowMeter early; // those that the peer has counted are over at their headers
  private final HeaderProof proof;

  /** By its start, the amount that is open and is over in the second account. */
  private final Map<Long, Long> stated = new HashMap<>();

  /** By its start, the lost amount whose end was taken for that of one that is over already. */
  private final TreeMap<Long, Long> lost = new TreeMap<>((a, b) -> Long.signum(a - b));

  private final long unanswered;
  private boolean told; // that the peer contradicts it

  /**
   * @param rate the peer's, the margin included
   * @param nanos the peer's interval, without the margin
   * @param unanswered how long after its start a lost request may yet be counted
   */
  StatedWindowMeter(Rate rate, long nanos, Measure measure, long unanswered) {
    super(measure, rate.permits());
    this.unanswered = unanswered;
    this.whole = new PeerWindowMeter(rate, measure, unanswered);
    this.early = new PeerWindowMeter(rate, measure, unanswered);
    this.proof = new HeaderProof(max, nanos, rate.nanos());
  }

  private PeerWindowMeter decisive() {
    return proof.holds() ? early : whole;
  }

  // ---- asking

  @Override
  long untilFits(long amount, long now) {
    return decisive().untilFits(amount, now);
  }

  @Override
  long atLeast(long since, long now, long all, long amount) {
    return decisive().atLeast(since, now, all, amount);
  }

  @Override
  public boolean tracks() {
    return true;
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return decisive().losses(now, cost);
  }

  @Override
  public void most(LongConsumer sink) {
    decisive().most(sink);
  }

  @Override
  public long restsIn(long now) {
    return whole.restsIn(now);
  }

  /** A limit that replaces this one learns no more than the ends. */
  @Override
  public boolean recall(long now, Past past) {
    return whole.recall(now, past);
  }

  // ---- recording

  @Override
  public void release(long since, long now, Cost cost) {
    whole.release(since, now, cost);
    early.release(since, now, cost);
  }

  @Override
  public boolean hearsCounts() {
    return true;
  }

  @Override
  public boolean stated(long startedAt, long now, Cost cost, long used) {
    long amount = amount(cost);
    if (amount > 0 && proof.heard(startedAt, now, amount, used, whole.possibly(startedAt))) {
      early.end(startedAt, now, cost, Outcome.ANSWERED);
      stated.merge(startedAt, amount, Nanos::add);
    }
    return isNews();
  }

  @Override
  public boolean refused() {
    proof.refused();
    return isNews();
  }

  private boolean isNews() {
    boolean news = proof.isContradicted() && !told;
    told |= news;
    return news;
  }

  /**
   * Requests of one start cannot be told apart: if the end of another one is taken for that of one
   * that is over already, more stays open than is. If that one was lost, the next one counts as
   * lost in its place.
   */
  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    whole.end(startedAt, now, cost, end);
    long amount = amount(cost);
    long known = take(stated, startedAt, amount);
    forgetLost(now);
    long late = end == Outcome.ANSWERED ? take(lost, startedAt, amount - known) : 0;
    endEarly(startedAt, now, late, Outcome.LOST);
    endEarly(startedAt, now, amount - known - late, end);
    if (end == Outcome.LOST && known > 0) {
      lost.merge(startedAt, known, Nanos::add);
    }
  }

  private void endEarly(long startedAt, long now, long amount, Outcome end) {
    if (amount > 0) {
      early.end(startedAt, now, measure.cost(amount), end);
    }
  }

  private void forgetLost(long now) {
    while (!lost.isEmpty() && lost.firstKey() + unanswered - now <= 0) {
      lost.pollFirstEntry();
    }
  }

  /** Takes up to {@code amount} of what is noted for that start, and returns how much it was. */
  private static long take(Map<Long, Long> amounts, long startedAt, long amount) {
    Long known = amounts.remove(startedAt);
    if (known == null) {
      return 0;
    }
    if (known > amount) {
      amounts.put(startedAt, known - amount);
    }
    return Math.min(known, amount);
  }

  /** A cost that is not final at the headers is nothing that they could have counted. */
  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    whole.settle(startedAt, now, charged, actual);
    if (amount(charged) != amount(actual)) {
      proof.refute();
    }
  }

  /** What is sent again may be counted again. */
  @Override
  public void sent(long startedAt, long now, Cost cost) {
    long again = take(stated, startedAt, amount(cost));
    if (again > 0) {
      early.release(now, now, measure.cost(again));
    }
  }

  /**
   * A peer that has contradicted does so under the next limit, too. The past is replayed. A limit
   * with a shorter interval, or without ends, knows less of it than the peer counts.
   */
  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    proof.mayCountOthers(Nanos.later(now, now + unanswered));
    for (Meter meter : old) {
      if (meter instanceof StatedWindowMeter before && before.proof.isContradicted()) {
        proof.refute();
        told = true;
      }
    }
    return false;
  }
}
