package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Flow;
import java.util.function.Function;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;

/**
 * Makes a stream of another. One line from everywhere:
 *
 * <pre>{@code
 * flux.transform(Pace.throttle(limiter));                                    // Reactor
 * flowable.compose(Pace.<Sms>throttle(limiter)::apply);                      // RxJava 3
 * Multi.createFrom().publisher(Pace.<Sms>throttle(limiter).applyTo(multi));  // Mutiny
 * Pace.<Sms>throttle(limiter).applyTo(flowPublisher).subscribe(subscriber);  // the JDK's Flow
 * }</pre>
 *
 * <p>What Reactor calls the context of a subscriber does not pass through, as through no operator
 * that is not its own.
 *
 * <p>Immutable: may be applied to any number of publishers, and each result subscribed to any
 * number of times. Every subscription has a state of its own; what they share is only the limiter,
 * if one was given.
 *
 * @param <T> the elements that come
 * @param <R> the elements that go
 */
@FunctionalInterface
public interface Operator<T, R> extends Function<Publisher<T>, Publisher<R>> {

  /** Returns what becomes of {@code upstream}, which is subscribed to once per subscriber. */
  @Override
  Publisher<R> apply(Publisher<T> upstream);

  /** As {@link #apply}, for the JDK's publishers. */
  default Flow.Publisher<R> applyTo(Flow.Publisher<? extends T> upstream) {
    @SuppressWarnings("unchecked") // a publisher only gives
    var giver = (Flow.Publisher<T>) requireNonNull(upstream);
    return FlowAdapters.toFlowPublisher(apply(FlowAdapters.toPublisher(giver)));
  }
}
