package dev.pacegate.pekko;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/**
 * The calls that one materialisation has under way, those in the limiter's line included. As a
 * stage it stands behind the calls, passes on what comes of them, and cancels them when the stream
 * ends: so nothing is called for a stream that is no more.
 */
final class Calls<R> extends GraphStage<FlowShape<R, R>> {

  private final Inlet<R> in = Inlet.create("Calls.in");
  private final Outlet<R> out = Outlet.create("Calls.out");
  private final FlowShape<R, R> shape = FlowShape.of(in, out);
  private final Set<CompletableFuture<R>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
  CompletableFuture<R> add(CompletableFuture<R> call) {
    open.add(call);
    var unused = call.whenComplete((result, failure) -> open.remove(call));
    if (ended) {
      call.cancel(false);
    }
    return call;
  }

  private void end() {
    ended = true;
    open.forEach(call -> call.cancel(false));
  }

  @Override
  public FlowShape<R, R> shape() {
    return shape;
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    Logic() {
      super(shape);
      setHandlers(in, out, this);
    }

    @Override
    public void onPush() {
      push(out, grab(in));
    }

    @Override
    public void onPull() {
      pull(in);
    }

    @Override
    public void postStop() {
      end();
    }
  }
}
