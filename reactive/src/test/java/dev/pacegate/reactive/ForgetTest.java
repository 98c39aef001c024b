package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.BaseSubscriber;

/** Downstream may keep its subscription for long after it has cancelled: that holds no elements. */
class ForgetTest {

  private static final ManualTime TIME = ManualTime.manual();

  static Stream<Operator<Object, ?>> operators() {
    Interval hour = Rig.interval(TIME, 3_600_000);
    return Stream.of(
        Pace.throttle(slow()),
        Pace.mapThrottled(slow(), CompletableFuture::completedFuture),
        Pace.throttleLatest(slow()),
        Pace.window(hour, first -> first, (older, newer) -> newer),
        Pace.pacedBatches(hour, Batching.ofAtMost(9)),
        Pace.pacedBatches(slow(), Batching.ofAtMost(9).linger(hour)));
  }

  private static Limiter slow() {
    return Rig.limiter(TIME, "1/1h");
  }

  @ParameterizedTest
  @MethodSource("operators")
  void aHeldElementIsForgotten(Operator<Object, Object> operator) throws InterruptedException {
    var rig = new Rig<>(TIME, operator).send(new Object());
    WeakReference<Object> held = sendOneMore(rig);
    collect();
    assertNotNull(held.get(), "as long as it may go");
    rig.sink.subscription.cancel();
    collect();
    assertNull(held.get());
    rig.assertNothingLeft();
  }

  @ParameterizedTest
  @MethodSource("operators")
  void aSubscriberOfReactorIsForgotten(Operator<Object, Object> operator)
      throws InterruptedException {
    var upstream = new ByHand<>(); // keeps its subscriber
    WeakReference<Object> cancelled = subscribeAndCancel(operator.apply(upstream));
    collect();
    assertNull(cancelled.get());
    assertNotEquals(CancelledSubscriber.INSTANCE, upstream.subscriber);
  }

  private static WeakReference<Object> subscribeAndCancel(Publisher<Object> stream) {
    var subscriber = new BaseSubscriber<>() {};
    stream.subscribe(subscriber);
    subscriber.cancel();
    return new WeakReference<>(subscriber);
  }

  private static WeakReference<Object> sendOneMore(Rig<Object, ?> rig) {
    var element = new Object();
    rig.send(element);
    return new WeakReference<>(element);
  }

  private static void collect() throws InterruptedException {
    var other = new WeakReference<>(new Object());
    while (other.get() != null) {
      System.gc();
      Thread.sleep(1); // the collector has threads of its own
    }
  }
}
