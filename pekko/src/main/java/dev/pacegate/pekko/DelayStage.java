package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.Supplier;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.DelayStrategy;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/** The stage of {@link Delay}. */
final class DelayStage<T> extends FlowStage<T, T> {

  private final Supplier<? extends DelayStrategy<? super T>> strategies;
  private final Time time;

  DelayStage(Supplier<? extends DelayStrategy<? super T>> strategies, Time time) {
    super("Delay");
    this.strategies = strategies;
    this.time = time;
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(attributes);
  }

  private DelayStrategy<? super T> newStrategy() {
    return requireNonNull(strategies.get(), "no strategy");
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final StageSupervision supervision;
    private final Appointment departure = new Appointment(time, createAsyncCallback(Runnable::run));
    private DelayStrategy<? super T> strategy = newStrategy();
    private boolean holds;

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
      long came = time.nanoTime();
      T element = grab(in);
      Duration delay;
      try {
        delay = requireNonNull(strategy.nextDelay(element), "the strategy returned null");
      } catch (Exception failure) {
        if (supervision.goesOn(failure, () -> strategy = newStrategy())) {
          pull(in);
        }
        return;
      }
      long nanos = SpanNanos.lenient(delay);
      if (nanos == 0) {
        push(out, element);
      } else {
        holds = true;
        departure.at(came + nanos, () -> depart(element));
      }
    }

    private void depart(T element) {
      holds = false;
      push(out, element);
      if (isClosed(in)) {
        completeStage();
      }
    }

    @Override
    public void onUpstreamFinish() {
      if (!holds) {
        completeStage();
      }
    }

    @Override
    public void postStop() {
      departure.cancel();
    }
  }
}
