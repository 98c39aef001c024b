package dev.pacegate.pekko;

import dev.pacegate.time.Time;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/** The stage of {@link Pulse}. */
final class PulseStage<T> extends FlowStage<T, T> {

  private final long interval;
  private final boolean initiallyOpen;
  private final Time time;

  PulseStage(long interval, boolean initiallyOpen, Time time) {
    super("Pulse");
    this.interval = interval;
    this.initiallyOpen = initiallyOpen;
    this.time = time;
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final Appointment opening = new Appointment(time, createAsyncCallback(Runnable::run));
    private long opensAt;

    Logic() {
      super(shape());
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
