package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that merges all elements into one until it goes, and never holds up upstream.
 *
 * <p>The thread that adds an element takes the aggregate out meanwhile, so the user's functions run
 * under no lock, and an aggregate contains an element completely or not at all.
 */
final class Aggregate<T, A> implements Buffer<T, A> {

  private final Function<? super T, ? extends A> seed;
  private final BiFunction<? super A, ? super T, ? extends A> aggregate;
  private final AtomicReference<@Nullable A> held = new AtomicReference<>();
  private boolean asked;

  Aggregate(
      Function<? super T, ? extends A> seed,
      BiFunction<? super A, ? super T, ? extends A> aggregate) {
    this.seed = seed;
    this.aggregate = aggregate;
  }

  @Override
  public void add(T element) {
    A before = held.getAndSet(null);
    A after = before == null ? seed.apply(element) : aggregate.apply(before, element);
    held.set(requireNonNull(after, "an aggregate must not be null"));
  }

  @Override
  public long wants(boolean permitted) {
    long wanted = asked ? 0 : Long.MAX_VALUE;
    asked = true;
    return wanted;
  }

  @Override
  public boolean isEmpty() {
    return held.get() == null;
  }

  @Override
  public boolean isReady(boolean last) {
    return !isEmpty();
  }

  @Override
  public @Nullable A take() {
    return held.getAndSet(null);
  }

  @Override
  public void discard() {
    held.set(null);
  }
}
