package dev.pacegate.pekko;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;

/**
 * The calls of one materialisation that are under way or wait in the limiter's queue. As a stage it
 * is downstream of the calls, passes on their results, and cancels them when the stream ends, so
 * that no function is called for a stream that has ended.
 */
final class Calls<R> extends FlowStage<R, R> {

  private final Set<CompletableFuture<R>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  Calls() {
    super("Calls");
  }

  @SuppressWarnings("CollectionUndefinedEquality") // compares by identity
  CompletableFuture<R> add(CompletableFuture<R> call) {
    if (call.isDone()) {
      return call;
    }
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
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    Logic() {
      super(shape());
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
