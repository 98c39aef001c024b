package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Flow;
import java.util.function.Function;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;

/**
 * A function from one stream to another, for every library of Reactive Streams:
 *
 * <pre>{@code
 * flux.transform(Pace.throttle(limiter));                                    // Reactor
 * flowable.compose(Pace.<Sms>throttle(limiter)::apply);                      // RxJava 3
 * Multi.createFrom().publisher(Pace.<Sms>throttle(limiter).applyTo(multi));  // Mutiny
 * Pace.<Sms>throttle(limiter).applyTo(flowPublisher).subscribe(subscriber);  // the JDK's Flow
 * }</pre>
 *
 * <p>Reactor's {@code Context} passes through, as it is when downstream subscribes, and with it the
 * thread-locals of its automatic context propagation, also after a wait. Mutiny's context does not.
 *
 * <p>Immutable. It may be applied to any number of publishers, and each result subscribed to any
 * number of times. Every subscription has its own state; they share only a given limiter.
 *
 * @param <T> the type of elements that come in
 * @param <R> the type of elements that go out
 */
@FunctionalInterface
public interface Operator<T, R> extends Function<Publisher<T>, Publisher<R>> {

  /** Returns the paced stream, which subscribes to {@code upstream} once per subscriber. */
  @Override
  Publisher<R> apply(Publisher<T> upstream);

  /** As {@link #apply}, for the JDK's publishers. */
  default Flow.Publisher<R> applyTo(Flow.Publisher<? extends T> upstream) {
    @SuppressWarnings("unchecked") // a publisher only gives
    var giver = (Flow.Publisher<T>) requireNonNull(upstream);
    return FlowAdapters.toFlowPublisher(apply(FlowAdapters.toPublisher(giver)));
  }
}
