package dev.pacegate.pekko;

import dev.pacegate.time.Time;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/** The stage of {@link Pulse}. */
final class PulseStage<T> extends GraphStage<FlowShape<T, T>> {

  private final Inlet<T> in = Inlet.create("Pulse.in");
  private final Outlet<T> out = Outlet.create("Pulse.out");
  private final FlowShape<T, T> shape = FlowShape.of(in, out);
  private final long interval;
  private final boolean initiallyOpen;
  private final Time time;

  PulseStage(long interval, boolean initiallyOpen, Time time) {
    this.interval = interval;
    this.initiallyOpen = initiallyOpen;
    this.time = time;
  }

  @Override
  public FlowShape<T, T> shape() {
    return shape;
  }

  @Override
  public Attributes initialAttributes() {
    return Attributes.name("pacegatePulse");
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final Appointment opening = new Appointment(time, createAsyncCallback(Runnable::run));
    private long opensAt;

    Logic() {
      super(shape);
      setHandlers(in, out, this);
    }

    @Override
    public void preStart() {
      opensAt = time.nanoTime() + (initiallyOpen ? 0 : interval);
    }

    @Override
    public void onPull() {
      if (time.nanoTime() - opensAt >= 0) {
        pull(in);
      } else {
        opening.at(opensAt, () -> pull(in));
      }
    }

    @Override
    public void onPush() {
      opensAt = time.nanoTime() + interval;
      push(out, grab(in));
    }

    @Override
    public void postStop() {
      opening.cancel();
    }
  }
}
