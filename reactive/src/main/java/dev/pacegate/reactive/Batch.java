package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of elements in order, emitted in batches. It requests as many elements as have gone, so
 * it never holds more than one batch of the largest size.
 */
final class Batch<T> implements Buffer<T, List<T>> {

  private record Weighed<T>(T element, long weight) {}

  private final Batching<T> rules;
  private final @Nullable Linger linger;
  private final Queue<Weighed<T>> arrived;
  private List<T> batch = new ArrayList<>();
  private long weight;
  private @Nullable List<T> leaving; // its cost is asked for, so no element joins it
  private boolean overflows; // the next element has arrived and does not fit
  private long wanted;

  Batch(Batching<T> rules, @Nullable Linger linger) {
    this.rules = rules;
    this.linger = linger;
    this.arrived = new LinkedBlockingQueue<>(rules.maxCount());
    this.wanted = rules.maxCount();
  }

  @Override
  public void add(T element) {
    if (!arrived.offer(new Weighed<>(element, rules.weightOf(element)))) {
      throw Stage.unrequested();
    }
  }

  @Override
  public long wants(boolean permitted) {
    long more = wanted;
    wanted = 0;
    return more;
  }

  @Override
  public boolean isEmpty() {
    return batch.isEmpty() && arrived.isEmpty() && leaving == null;
  }

  @Override
  public boolean isReady(boolean last) {
    gather();
    return !batch.isEmpty() && (last || isFull() || linger == null || linger.isOver());
  }

  private boolean isFull() {
    return overflows || batch.size() == rules.maxCount() || weight >= rules.maxWeight();
  }

  private void gather() {
    Weighed<T> next = arrived.peek();
    while (next != null && fits(next)) {
      batch.add(next.element);
      weight += next.weight;
      arrived.remove();
      next = arrived.peek();
    }
    overflows = next != null;
  }

  private boolean fits(Weighed<T> next) {
    return batch.isEmpty()
        || (batch.size() < rules.maxCount() && next.weight <= rules.maxWeight() - weight);
  }

  @Override
  public Cost cost() {
    Function<List<T>, Cost> cost = rules.cost();
    if (cost == null) {
      return Cost.ONE;
    }
    List<T> priced = Collections.unmodifiableList(batch);
    beginAnew();
    leaving = priced;
    return requireNonNull(cost.apply(priced), "the cost function returned null");
  }

  @Override
  public @Nullable List<T> take() {
    List<T> taken = leaving == null ? gathered() : leaving;
    leaving = null;
    if (taken != null) {
      wanted = taken.size();
    }
    return taken;
  }

  private @Nullable List<T> gathered() {
    gather();
    if (batch.isEmpty()) {
      return null;
    }
    List<T> all = Collections.unmodifiableList(batch);
    beginAnew();
    return all;
  }

  @Override
  public void discard() {
    arrived.clear();
    leaving = null;
    beginAnew();
  }

  private void beginAnew() {
    batch = new ArrayList<>();
    weight = 0;
    if (linger != null) {
      linger.stop();
    }
  }
}
