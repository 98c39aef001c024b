package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Groups the elements of a stream into batches, each of which costs one permit, or what it holds.
 *
 * <pre>{@code
 * source.via(Batches.of(100, Duration.ofSeconds(1)))                     // at least a second apart
 * source.via(Batches.<Sms>upTo(100).weighing(4096, Sms::length).paced(api))
 * source.via(Batches.<Sms>upTo(100).costing(batch -> Cost.of(batch.size())).paced(api)) // the peer counts messages
 * }</pre>
 *
 * <p>A batch leaves as soon as there is an element, demand and a permit, so the first element after
 * silence is not delayed. Until then elements gather in it, up to the greatest count or weight;
 * beyond that the stage takes in no more. With {@link #within} a batch that is not full waits for
 * more.
 *
 * <p><b>Promise.</b> Batches are never empty, hold no more than the greatest count and weight, and
 * leave no faster than the limit; together they are all elements in order. A single element that
 * weighs more than the greatest weight is a batch of its own. The step that pushes the batch takes
 * the permit, which ends with it.
 *
 * <p>So limits that count until the answer is in ({@code peer(10/1s)}, {@code concurrent(4)}) are
 * refused. For those, batch without a limit, and let the permit cover the sending:
 *
 * <pre>{@code
 * source.via(Batches.<Sms>upTo(10).paced(Limits.unlimited()))
 *     .via(Throttle.mapAsyncByCost(api, batch -> Cost.of(batch.size()), 4, this::sendAll))
 * }</pre>
 *
 * <p><b>Ends.</b> When upstream completes, the gathered elements go first, as the limit allows. If
 * upstream fails, downstream cancels, or the limiter is closed or refuses, the stage ends at once
 * and the gathered elements are dropped. In each case it leaves the limiter's queue.
 *
 * <p>If the weighing function throws, the supervision strategy decides: stop fails the stage,
 * resume leaves that element out, restart also drops what has gathered. A negative weight always
 * fails the stage.
 *
 * <p>Immutable, and so is every flow made of it. Flows may be reused; they share only a given
 * limiter.
 *
 * @param <T> the type of elements
 */
public final class Batches<T> {

  private static final String INSTEAD =
      "paced(Limits.unlimited()), and then Throttle.mapAsyncByCost(limiter, batch ->"
          + " Cost.of(batch.size()), …)";

  final int maxCount;
  final long maxWeight;
  final ToLongFunction<? super T> weight;
  final long withinNanos;
  final @Nullable Function<List<T>, Cost> cost;
  final Time time;

  private Batches(
      int maxCount,
      long maxWeight,
      ToLongFunction<? super T> weight,
      long withinNanos,
      @Nullable Function<List<T>, Cost> cost,
      Time time) {
    this.maxCount = maxCount;
    this.maxWeight = maxWeight;
    this.weight = weight;
    this.withinNanos = withinNanos;
    this.cost = cost;
    this.time = time;
  }

  /**
   * Returns a flow of batches of up to {@code maxCount} elements that leave at least {@code gap}
   * apart.
   *
   * @throws IllegalArgumentException if {@code maxCount} or {@code gap} is not positive, or the gap
   *     is more than a hundred years
   */
  public static <T> Flow<T, List<T>, NotUsed> of(int maxCount, Duration gap) {
    return Batches.<T>upTo(maxCount).apart(gap);
  }

  /**
   * Returns a flow of batches of up to {@code maxCount} elements, each with a permit of {@code
   * limiter}.
   *
   * @throws IllegalArgumentException if {@code maxCount} is not positive
   */
  public static <T> Flow<T, List<T>, NotUsed> of(int maxCount, Limiter limiter) {
    return Batches.<T>upTo(maxCount).paced(limiter);
  }

  /**
   * Begins batches of up to {@code maxCount} elements.
   *
   * @throws IllegalArgumentException if {@code maxCount} is not positive
   */
  public static <T> Batches<T> upTo(int maxCount) {
    if (maxCount < 1) {
      throw new IllegalArgumentException("maxCount must be at least 1: " + maxCount);
    }
    return new Batches<>(maxCount, Long.MAX_VALUE, element -> 0, 0, null, Time.system());
  }

  /**
   * Bounds the weight of a batch, too. The function is called once per element, and must not return
   * less than 0. An element of weight 0 may join a batch that has its full weight.
   *
   * @throws IllegalArgumentException if {@code maxWeight} is not positive
   */
  public Batches<T> weighing(long maxWeight, ToLongFunction<? super T> weight) {
    if (maxWeight < 1) {
      throw new IllegalArgumentException("maxWeight must be at least 1: " + maxWeight);
    }
    return new Batches<>(maxCount, maxWeight, requireNonNull(weight), withinNanos, cost, time);
  }

  /**
   * Makes a batch that is not full wait for more elements, up to {@code span} after its first one.
   * By default, and with a span that is not positive, no batch waits.
   */
  public Batches<T> within(Duration span) {
    return new Batches<>(maxCount, maxWeight, weight, SpanNanos.lenient(span), cost, time);
  }

  /**
   * Makes a batch cost what {@code cost} returns, for peers that count what is in it: {@code batch
   * -> Cost.of(batch.size())}. The default is a cost of 1. The function is called when the batch
   * asks for its permit. Elements that come afterwards join the next batch, of which one gathers
   * meanwhile. If it throws, the supervision strategy decides as for weights, and resume leaves out
   * the batch. A limit that can never let a full batch through fails the stream: choose {@code
   * maxCount} accordingly.
   */
  public Batches<T> costing(Function<List<T>, Cost> cost) {
    return new Batches<>(maxCount, maxWeight, weight, withinNanos, requireNonNull(cost), time);
  }

  /** Sets the clock and the timer, for tests; a given limiter has its own. */
  public Batches<T> time(Time time) {
    return new Batches<>(maxCount, maxWeight, weight, withinNanos, cost, requireNonNull(time));
  }

  /**
   * Returns the flow whose batches leave at least {@code gap} apart.
   *
   * @throws IllegalArgumentException if {@code gap} is not positive, or more than a hundred years
   */
  public Flow<T, List<T>, NotUsed> apart(Duration gap) {
    return paced(Limits.spacing(gap));
  }

  /**
   * Returns the flow whose batches keep {@code limit}. Each materialisation has a limiter of its
   * own, which is closed at its end.
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in
   */
  public Flow<T, List<T>, NotUsed> paced(Limit limit) {
    requireNonNull(limit);
    return flow(
        LimiterSource.owning(limit, INSTEAD, () -> Limiter.builder(limit).time(time).build()));
  }

  /**
   * Returns the flow whose batches take a permit of {@code limiter} each, which may be shared.
   *
   * @throws IllegalArgumentException if its limit, or for the limiter of a key that of all keys,
   *     counts until the answer is in
   */
  public Flow<T, List<T>, NotUsed> paced(Limiter limiter) {
    return flow(LimiterSource.sharing(limiter, INSTEAD));
  }

  private Flow<T, List<T>, NotUsed> flow(LimiterSource source) {
    return Flow.fromGraph(new BatchStage<>(this, source));
  }
}
