package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.RateExceededException;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;
import org.jspecify.annotations.Nullable;

/**
 * Passes each element on with a permit of a limiter.
 *
 * <p>An element without a permit is held, with a place in the limiter's queue. When the place is
 * due, the limiter hands out a task that takes the permit. The stage receives that task through its
 * own callback, so one step of the stage's own thread takes the permit and pushes the element. A
 * stage that has ended drops the task, but has left the queue by then.
 */
final class ThrottleStage<T> extends FlowStage<T, T> {

  private final LimiterSource source;
  private final ThrottleMode mode;
  private final Function<? super T, Cost> cost;

  ThrottleStage(LimiterSource source, ThrottleMode mode, Function<? super T, Cost> cost) {
    super("Throttle");
    this.source = source;
    this.mode = mode;
    this.cost = requireNonNull(cost);
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(attributes);
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final StageSupervision supervision;
    private final Limiter limiter = source.limiter();
    private final AsyncCallback<Runnable> called = createAsyncCallback(this::onCalled);
    private @Nullable T held;
    private @Nullable CompletableFuture<Permit>
        place; // in the limiter's queue; of the held element

    Logic(Attributes attributes) {
      super(shape());
      this.supervision = new StageSupervision(this, attributes);
      setHandlers(in, out, this);
    }

    @Override
    public void onPull() {
      pull(in);
    }

    @Override
    public void onPush() {
      T element = grab(in);
      Cost price;
      try {
        price = requireNonNull(cost.apply(element), "the cost function returned null");
      } catch (Exception failure) {
        if (supervision.goesOn(failure)) {
          pull(in);
        }
        return;
      }
      try {
        pass(element, price);
      } catch (RuntimeException refused) {
        failStage(refused);
      }
    }

    private void pass(T element, Cost price) {
      Permit permit = mode == ThrottleMode.enforcing() ? ask(price) : limiter.poll(price);
      if (permit != null) {
        push(out, element);
        permit.answered();
      } else {
        held = element;
        place = limiter.acquireAsync(price, called::invoke, taken -> {});
        goOn(); // if it has been refused already
      }
    }

    private Permit ask(Cost price) {
      return limiter
          .tryAcquire(price)
          .orElseThrow(
              () -> new RateExceededException(limiter + ": no permit now for a cost of " + price));
    }

    /** The limiter has a task for the stage: to take the permit. */
    private void onCalled(Runnable task) {
      task.run();
      goOn();
    }

    private void goOn() {
      if (place == null || !place.isDone()) {
        return;
      }
      try {
        Permit permit = place.join();
        push(out, requireNonNull(held));
        permit.answered();
      } catch (CompletionException refused) {
        failStage(requireNonNull(refused.getCause()));
        return;
      }
      held = null;
      place = null;
      if (isClosed(in)) {
        completeStage();
      }
    }

    @Override
    public void onUpstreamFinish() {
      if (place == null) {
        completeStage();
      }
    }

    @Override
    public void postStop() {
      if (place != null) {
        place.cancel(false);
      }
      source.release(limiter);
    }
  }
}
