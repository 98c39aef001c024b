package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/**
 * Passes on what is in a basket each time there is a permit for it. It stands in line only while
 * there is demand and the basket is ready, and looks into it when the permit has come.
 *
 * <p>Upstream is asked outside of turns: if it sends all it has before it returns, or takes its
 * time for that, what it sends goes on meanwhile.
 */
final class Gathering<T, R> extends Stage<T, R> {

  private final Limiter limiter;
  private final boolean own;
  private final boolean eager;
  private final Basket<T, R> basket;
  private final Place place;
  private final AtomicLong wanted = new AtomicLong(); // of upstream, and not asked for yet
  private final Turns asking = new Asking();
  private boolean begun;

  /**
   * @param eager whether what comes first after idleness needs not wait as if something had gone
   * @param basket makes the basket, given what is to be called when it has changed
   */
  Gathering(
      Entry entry,
      boolean eager,
      Function<Runnable, Basket<T, R>> basket,
      Subscriber<? super R> downstream) {
    super(downstream);
    this.limiter = entry.limiter().get();
    this.own = entry.own();
    this.eager = eager;
    this.basket = basket.apply(this::stirFromCallback);
    this.place = new Place(limiter, this::stirFromCallback);
    begin();
  }

  @Override
  void receive(T element) {
    if (!isOver()) {
      basket.add(element);
    }
  }

  @Override
  void step() {
    boolean last = isDrained(); // first: the last element comes before the end
    Throwable refusal = place.refusal();
    if (refusal != null) {
      fail(refusal);
    } else if (last && basket.isEmpty()) {
      complete();
    } else {
      pass(place.permit());
      wanted.addAndGet(basket.wants(place.permit() != null));
      look();
      if (basket.isReady(last) && place.isFree() && demand() > 0 && !isOver()) {
        place.stand();
      }
    }
  }

  @Override
  void afterTurns() {
    if (wanted.get() > 0) {
      asking.stir();
    }
  }

  /** One at a time, as Reactive Streams wants. */
  private final class Asking extends Turns {

    @Override
    void turn() {
      pull(wanted.getAndSet(0));
    }

    @Override
    void abandon() {
      cancel();
    }
  }

  private void look() {
    if (!begun && !basket.isEmpty()) {
      begun = true;
      begin();
    }
  }

  /** The time that passes from now on is as if something had gone, unless it has not been up. */
  private void begin() {
    if (!eager) {
      limiter.poll(Cost.ONE);
    }
  }

  private void pass(@Nullable Permit permit) {
    R gathered = permit == null ? null : basket.take();
    if (permit != null && gathered != null) {
      place.used();
      begun = false;
      stir(); // for what comes after
      try (permit) {
        permit.sending();
        emit(gathered);
        permit.answered();
      }
    }
  }

  @Override
  void release() {
    releaseLate();
    if (own) {
      limiter.close();
    }
  }

  @Override
  void releaseLate() {
    basket.discard();
    place.leave();
  }
}
