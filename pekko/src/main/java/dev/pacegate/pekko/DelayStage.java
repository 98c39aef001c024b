package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.Supplier;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.DelayStrategy;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/** The stage of {@link Delay}. */
final class DelayStage<T> extends GraphStage<FlowShape<T, T>> {

  private final Inlet<T> in = Inlet.create("Delay.in");
  private final Outlet<T> out = Outlet.create("Delay.out");
  private final FlowShape<T, T> shape = FlowShape.of(in, out);
  private final Supplier<? extends DelayStrategy<? super T>> strategies;
  private final Time time;

  DelayStage(Supplier<? extends DelayStrategy<? super T>> strategies, Time time) {
    this.strategies = strategies;
    this.time = time;
  }

  @Override
  public FlowShape<T, T> shape() {
    return shape;
  }

  @Override
  public Attributes initialAttributes() {
    return Attributes.name("pacegateDelay");
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(new Verdicts(attributes));
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final Verdicts verdicts;
    private final Appointment departure = new Appointment(time, createAsyncCallback(Runnable::run));
    private DelayStrategy<? super T> strategy = requireNonNull(strategies.get(), "no strategy");
    private boolean holds;

    Logic(Verdicts verdicts) {
      super(shape);
      this.verdicts = verdicts;
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
        onFailure(failure);
        return;
      }
      long nanos = Spans.lenient(delay);
      if (nanos == 0) {
        push(out, element);
      } else {
        holds = true;
        departure.at(came + nanos, () -> depart(element));
      }
    }

    private void onFailure(Exception failure) {
      Supervision.Directive verdict = verdicts.on(failure);
      if (verdict == Supervision.stop()) {
        failStage(failure);
        return;
      }
      if (verdict == Supervision.restart()) {
        strategy = requireNonNull(strategies.get(), "no strategy");
      }
      pull(in);
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
