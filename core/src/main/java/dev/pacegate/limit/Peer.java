package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A limit as the peer counts it: {@code peer(10/1m)}.
 *
 * <p>The peer is the other side, which counts. It counts a request at some instant between the
 * request's start and end as seen from here, with a clock and a window phase of its own. A permit
 * therefore stays spent from its start until one interval after its <em>end</em>.
 *
 * <p><b>Promise</b> of {@code peer(M/I)}, with I' = I + margin: in every [t, t + I') the costs of
 * all permits that were open at some moment of it sum up to at most M. <b>Formula.</b> A request
 * goes when {@code cost open + cost ended within the last I' + its cost <= M}. <b>Proof.</b> Let p
 * be the permit among these that was released last, at s &lt; t + I'. Every other is, at s, still
 * open, or it ended at e &ge; t &gt; s - I'; so it was in the sum that admitted p. Hence whatever
 * instant between start and end the peer counts at, it never counts more than M.
 *
 * <p>{@code peer(spacing(G))} keeps one request in flight, and starts the next at least G' after
 * its end. {@code peer(bucket(r, burst=B))} keeps a level S that is refilled only while S &lt; B -
 * F, where F is the cost in flight; a request goes when S &ge; its cost. S is a lower bound of what
 * the peer's own bucket holds. It starts empty unless {@code initial} says otherwise.
 *
 * <p><b>Assumed.</b> One permit is at most its cost at the peer. The peer counts nothing after the
 * permit ended. The error of clock rates and stamps is at most the margin. No other client uses the
 * key, and an earlier process's requests are over; if they may not be, {@code initial=spent} waits
 * until they are.
 *
 * <p><b>Counted on arrival.</b> {@code counted=2s} says that the peer counts every request at most
 * 2 s after its start, or after {@link dev.pacegate.Permit#sending} where the program calls it. A
 * permit is then over at its end or at that bound, whichever comes first, so a long answer costs
 * nothing; a lost request is over at the bound. In promise and proof, read <em>over</em> for
 * <em>ended</em>. Never say it of a peer that counts when it answers.
 *
 * <p><b>Counted by the headers.</b> {@code counted=headers} is for a peer that counts requests
 * before it answers, and says in its headers how much is left. It takes a window of the plain cost.
 * A response proves that the peer counts so if it states as used all that this client can have used
 * by then. From then on a permit is over at its headers if they state this quota; until then it is
 * over at its end. It is assumed that the peer counts all requests alike. If its counts contradict
 * that, or it refuses a request, permits are over at their ends again, for good. A cost that is
 * settled to another one has the same effect, as the headers cannot have stated it.
 *
 * <p><b>Price.</b> Let H be the average time from a request's start until it is over. The long-run
 * throughput of a window is M / (I' + H), and of a spacing 1 / (G' + H). Of a bucket it is never
 * more than the rate or B / H. If all answers take equally long, it is about the smaller of the
 * rate and B / (H + T + margin), where T is the time per permit. If they do not, chance takes some
 * of that where the two are about equal: what is left is at least about what Erlang's formula for B
 * places predicts.
 *
 * @param limit the peer's own limit: a window, a bucket or a spacing
 * @param unansweredNanos how long after its start a lost request may yet be counted
 * @param counted whether every request is counted by then, however long its permit stays open
 * @param byHeaders whether requests are over at their headers if the peer is proven to count so
 * @param abandonNanos the age at which an open permit counts as lost; {@link Meter#NEVER} if never
 * @param margin the time added to the peer's interval
 * @param spent whether it starts as if all that the limit gives had just been sent and lost
 */
public record Peer(
    Limit limit,
    long unansweredNanos,
    boolean counted,
    boolean byHeaders,
    long abandonNanos,
    Margin margin,
    boolean spent)
    implements Limit, StatesPeer {

  /** How the grammar writes that requests are counted by their headers. */
  static final String HEADERS = "headers";

  /** Checks the ranges and refuses what a peer does not count. */
  public Peer {
    requireNonNull(limit);
    requireNonNull(margin);
    if (!(limit instanceof Window || limit instanceof Bucket || limit instanceof Spacing)) {
      throw new IllegalArgumentException(
          "peer takes a window, a bucket or a spacing, or several of them joined by &, not "
              + limit);
    }
    if (limit instanceof Bucket bucket && bucket.slackNanos() != 0) {
      throw new IllegalArgumentException(
          "a bucket inside peer must have no slack: slack="
              + Durations.format(bucket.slackNanos()));
    }
    if (limit instanceof Bucket bucket && bucket.debt() != 0) {
      throw new IllegalArgumentException(
          "a bucket inside peer must not be paid later: debt=" + bucket.debt());
    }
    if (byHeaders) {
      checkStated(limit, counted);
    }
    Spans.checked("unanswered", unansweredNanos);
    if (abandonNanos != Meter.NEVER) {
      Spans.positive("abandon", abandonNanos);
    }
  }

  private static void checkStated(Limit limit, boolean counted) {
    if (counted) {
      throw new IllegalArgumentException("counted is a time or headers, not both");
    }
    boolean isWindow = limit instanceof Window;
    if (!isWindow || !((Window) limit).of().equals(Measure.PLAIN)) {
      throw new IllegalArgumentException(
          "counted=headers takes a window of requests, such as peer(60/1m, counted=headers), not "
              + limit
              + (isWindow ? ", which is settled later" : "")
              + ": give that a peer(...) of its own");
    }
  }

  static Limit of(Limit limit) {
    return each(limit, UNANSWERED, false, false, Meter.NEVER, Margin.USUAL, false);
  }

  /** Returns a limit of each term. */
  static Limit each(
      Limit limit,
      long unansweredNanos,
      boolean counted,
      boolean byHeaders,
      long abandonNanos,
      Margin margin,
      boolean spent) {
    var terms = new ArrayList<Limit>();
    for (Limit term : limit.terms()) {
      terms.add(new Peer(term, unansweredNanos, counted, byHeaders, abandonNanos, margin, spent));
    }
    return terms.size() == 1 ? terms.get(0) : new All(terms);
  }

  /** Returns this limit, starting as if all that it gives had just been sent and lost. */
  public Peer initiallySpent() {
    return new Peer(limit, unansweredNanos, counted, byHeaders, abandonNanos, margin, true);
  }

  /**
   * Returns this limit with another bound on how long after its start a lost request may be
   * counted.
   */
  @Override
  public Peer unanswered(Duration bound) {
    long nanos = Spans.nanos("unanswered", bound);
    if (counted) {
      throw new IllegalArgumentException(
          "unanswered="
              + Durations.format(nanos)
              + " contradicts counted="
              + Durations.format(unansweredNanos));
    }
    return new Peer(limit, nanos, false, byHeaders, abandonNanos, margin, spent);
  }

  /**
   * Returns this limit for a peer that counts each request at most {@code bound} after its start,
   * or after {@link dev.pacegate.Permit#sending}: when it arrives, say, and not when it is
   * answered. The bound holds for lost requests, too.
   *
   * @throws IllegalArgumentException if {@code bound} is negative or longer than a hundred years
   */
  public Peer counted(Duration bound) {
    return new Peer(limit, Spans.nanos("counted", bound), true, false, abandonNanos, margin, spent);
  }

  /**
   * Returns this limit for a peer that counts each request before it sends the headers of its
   * response, and says in them how much is left.
   *
   * @throws IllegalArgumentException if this is not a window of the plain cost
   */
  public Peer countedByHeaders() {
    long unanswered = counted ? UNANSWERED : unansweredNanos;
    return new Peer(limit, unanswered, false, true, abandonNanos, margin, spent);
  }

  /** Returns this limit, which counts an open permit as lost at that age. */
  public Peer abandon(Duration age) {
    long nanos = Spans.nanos("abandon", age);
    return new Peer(limit, unansweredNanos, counted, byHeaders, nanos, margin, spent);
  }

  /** Returns this limit with another margin. */
  public Peer margin(Margin margin) {
    return new Peer(limit, unansweredNanos, counted, byHeaders, abandonNanos, margin, spent);
  }

  @Override
  public Meter newMeter(long now) {
    if (spent) {
      return newSpentMeter(now, InstantSource.system());
    }
    if (limit instanceof Bucket bucket) {
      var meter = new PeerBucketMeter(bucket, margin, unansweredNanos, counted, now);
      return bucket.initial() == Bucket.Initial.FULL ? meter : meter.empty(now);
    }
    Promise promise = promise();
    Rate rate = margin.slower(new Rate(promise.atOnce(), promise.length()));
    if (byHeaders) {
      return new StatedWindowMeter(rate, promise.length(), promise.of(), unansweredNanos);
    }
    return counted
        ? new CountedWindowMeter(rate, promise.of(), unansweredNanos)
        : new PeerWindowMeter(rate, promise.of(), unansweredNanos);
  }

  @Override
  public Limit share(Portion portion) {
    Limit part = limit.share(portion);
    return new Peer(part, unansweredNanos, counted, byHeaders, abandonNanos, margin, spent);
  }

  /** A lost request may be counted later than its end. */
  @Override
  public long memory() {
    return Nanos.add(margin.longer(limit.memory()), unansweredNanos);
  }

  @Override
  public Limit withoutInitialState() {
    Limit inner = limit instanceof Bucket bucket ? bucket.initial(Bucket.Initial.FULL) : limit;
    return new Peer(inner, unansweredNanos, counted, byHeaders, abandonNanos, margin, false);
  }

  @Override
  public List<Promise> promises() {
    Promise promise = promise();
    return List.of(counted ? new Promise.Counted(promise, unansweredNanos) : promise);
  }

  private Promise promise() {
    if (limit instanceof Window window) {
      return new Promise.AtMost(window.rate().permits(), window.rate().nanos(), window.of(), true);
    }
    if (limit instanceof Bucket bucket) {
      return new Promise.Refilled(bucket.burst(), bucket.rate(), 0, bucket.of(), true);
    }
    return new Promise.Gap(((Spacing) limit).gapNanos(), true);
  }

  /** Returns for example {@code peer(10/1m, unanswered=30s)}. */
  @Override
  public String toString() {
    return new LimitText("peer", limit)
        .add(Option.COUNTED, counted ? Durations.format(unansweredNanos) : null, null)
        .add(Option.COUNTED, byHeaders ? HEADERS : null, null)
        .span(Option.UNANSWERED, counted ? UNANSWERED : unansweredNanos, UNANSWERED)
        .abandon(abandonNanos)
        .add(Option.MARGIN, margin, Margin.USUAL)
        .spent(spent)
        .toString();
  }
}
