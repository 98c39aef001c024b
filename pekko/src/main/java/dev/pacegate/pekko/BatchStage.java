package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;
import org.jspecify.annotations.Nullable;

/** The stage of {@link Batches}. */
/*
 * A batch that is due asks for a permit only when there is demand, so that the turn that pushes takes
 * the permit. When its place in the limiter's queue is due, the limiter hands out a task; the stage
 * receives it through its own callback.
 */
final class BatchStage<T> extends FlowStage<T, List<T>> {

  private final Batches<T> rule;
  private final LimiterSource source;

  BatchStage(Batches<T> rule, LimiterSource source) {
    super("Batches");
    this.rule = rule;
    this.source = source;
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(attributes);
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final StageSupervision supervision;
    private final Limiter limiter = source.limiter();
    private final AsyncCallback<Runnable> turns = createAsyncCallback(this::onTurn);
    private final Appointment lastCall = new Appointment(rule.time, turns);
    private final Group<T> group = new Group<>(rule.maxCount, rule.maxWeight);
    private long came; // when the last element came in
    private boolean lingers; // the batch waits for more elements
    private @Nullable List<T> leaving; // its cost is asked for, so no element joins it
    private @Nullable CompletableFuture<Permit> place; // in the limiter's queue

    Logic(Attributes attributes) {
      super(shape());
      this.supervision = new StageSupervision(this, attributes);
      setHandlers(in, out, this);
    }

    @Override
    public void preStart() {
      pull(in);
    }

    // ---- in

    @Override
    public void onPush() {
      T element = grab(in);
      came = rule.time.nanoTime();
      long weight;
      try {
        weight = rule.weight.applyAsLong(element);
      } catch (Exception failure) {
        if (supervision.goesOn(failure, this::drop)) {
          proceed();
        }
        return;
      }
      if (weight < 0) {
        failStage(
            new IllegalArgumentException(
                "a weight must not be negative: " + weight + " of " + element));
        return;
      }
      boolean first = group.isEmpty();
      group.add(element, weight);
      if (first) {
        begin();
      }
      proceed();
    }

    private void drop() {
      group.clear();
      leaving = null;
      lingers = false;
      lastCall.cancel();
      giveUpPlace();
    }

    /**
     * Begins a batch with the last element that came in, perhaps too heavy for the batch before.
     */
    private void begin() {
      long until = came + rule.withinNanos;
      lingers = until - rule.time.nanoTime() > 0;
      if (lingers) {
        lastCall.at(until, this::lingersNoMore);
      }
    }

    private void lingersNoMore() {
      lingers = false;
      proceed();
    }

    // ---- out

    @Override
    public void onPull() {
      proceed();
    }

    /** Does what can be done after any change. */
    private void proceed() {
      if (isAvailable(out) && place == null && isDue()) {
        depart();
      }
      if (group.isOpen() && !hasBeenPulled(in) && !isClosed(in)) {
        pull(in);
      }
    }

    private boolean isDue() {
      return !group.isEmpty() && (!lingers || group.isFull() || isClosed(in));
    }

    private void depart() {
      Cost price = Cost.ONE;
      if (rule.cost != null) {
        List<T> batch = group.take();
        beginNext();
        try {
          price = requireNonNull(rule.cost.apply(batch), "the cost function returned null");
        } catch (Exception failure) {
          if (supervision.goesOn(failure, this::drop)) {
            completeIfDone();
            proceed();
          }
          return;
        }
        leaving = batch;
      }
      depart(price);
    }

    private void depart(Cost price) {
      try {
        Permit permit = limiter.poll(price);
        if (permit != null) {
          emit(permit);
        } else {
          place = limiter.acquireAsync(price, turns::invoke, this::emit);
          lookAtPlace();
        }
      } catch (RefusedException | IllegalArgumentException refused) {
        failStage(refused);
      }
    }

    private void emit(Permit permit) {
      List<T> batch = leaving;
      place = null;
      leaving = null;
      if (batch == null) {
        batch = group.take();
        beginNext();
      }
      push(out, batch);
      permit.answered();
      completeIfDone();
    }

    private void completeIfDone() {
      if (group.isEmpty() && leaving == null && isClosed(in)) {
        completeStage();
      }
    }

    private void beginNext() {
      lingers = false;
      lastCall.cancel();
      if (!group.isEmpty()) {
        begin();
      }
    }

    private void onTurn(Runnable task) {
      task.run();
      if (!isClosed(out)) {
        lookAtPlace();
        proceed();
      }
    }

    /** Handles a refusal by the limiter, if there is one. */
    private void lookAtPlace() {
      if (place != null && place.isCompletedExceptionally()) {
        failStage(place.handle((permit, refused) -> refused).join());
      }
    }

    // ---- ends

    @Override
    public void onUpstreamFinish() {
      completeIfDone();
      proceed();
    }

    @Override
    public void postStop() {
      lastCall.cancel();
      giveUpPlace();
      source.release(limiter);
    }

    private void giveUpPlace() {
      if (place != null) {
        place.cancel(false);
        place = null;
      }
    }
  }
}
