package dev.pacegate.pekko;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BidiShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;

/**
 * Stands on both sides of Pekko's {@code mapAsync}: passes it what begins the call of an element,
 * passes on the results, and knows the calls that are under way or wait in the limiter's queue. It
 * cancels them when the stream ends, so that no function is called for a stream that has ended.
 */
/*
 * Not a stage downstream of `mapAsync` that is made in `Flow.fromMaterializer`: within that, each element
 * passes two callbacks of the actor, which take three times as long as all the rest.
 */
final class Calls<T, R> extends GraphStage<BidiShape<T, Supplier<CompletableFuture<R>>, R, R>> {

  /** Makes the call of an element with a permit. */
  interface ElementCaller<T, R> {

    /**
     * Calls now, or when there is a permit.
     *
     * @param made run when the call is made
     */
    CompletableFuture<R> call(T element, Runnable made);
  }

  private final Inlet<T> elements = Inlet.create("Calls.elements");
  private final Outlet<Supplier<CompletableFuture<R>>> calls = Outlet.create("Calls.calls");
  private final Inlet<R> results = Inlet.create("Calls.results");
  private final Outlet<R> out = Outlet.create("Calls.out");
  private final BidiShape<T, Supplier<CompletableFuture<R>>, R, R> shape =
      BidiShape.of(elements, calls, results, out);
  private final ElementCaller<T, R> caller;

  private Calls(ElementCaller<T, R> caller) {
    this.caller = caller;
  }

  /** Returns a flow of the results of the calls. */
  static <T, R> Flow<T, R, NotUsed> of(int parallelism, ElementCaller<T, R> caller) {
    return BidiFlow.fromGraph(new Calls<T, R>(caller))
        .join(Flow.<Supplier<CompletableFuture<R>>>create().mapAsync(parallelism, Supplier::get));
  }

  @Override
  public BidiShape<T, Supplier<CompletableFuture<R>>, R, R> shape() {
    return shape;
  }

  @Override
  public Attributes initialAttributes() {
    return Attributes.name("pacegateCalls");
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends GraphStageLogic {

    /** The calls under way, and those that wait. Of each, whether it has been made. */
    private final Map<CompletableFuture<R>, AtomicBoolean> open = new ConcurrentHashMap<>();

    Logic() {
      super(shape);
      setHandler(elements, new ElementsIn());
      setHandler(calls, new CallsOut());
      setHandler(results, new ResultsIn());
      setHandler(out, new ResultsOut());
    }

    @SuppressWarnings("CollectionUndefinedEquality") // compares by identity
    private CompletableFuture<R> call(T element) {
      var made = new AtomicBoolean();
      CompletableFuture<R> call = caller.call(element, () -> made.set(true));
      if (call.isDone()) {
        return call;
      }
      open.put(call, made);
      var unused = call.whenComplete((result, failure) -> open.remove(call));
      return call;
    }

    @Override
    public void postStop() {
      // Those that wait first: one that is cancelled may let the next one go.
      open.forEach(
          (call, made) -> {
            if (!made.get()) {
              call.cancel(false);
            }
          });
      open.keySet().forEach(call -> call.cancel(false));
    }

    private final class ElementsIn extends AbstractInHandler {
      @Override
      public void onPush() {
        T element = grab(elements);
        push(calls, () -> call(element));
      }

      @Override
      public void onUpstreamFinish() {
        complete(calls);
      }

      @Override
      public void onUpstreamFailure(Throwable failure) {
        fail(calls, failure);
      }
    }

    private final class CallsOut extends AbstractOutHandler {
      @Override
      public void onPull() {
        pull(elements);
      }

      @Override
      public void onDownstreamFinish(Throwable cause) {
        cancel(elements, cause);
      }
    }

    private final class ResultsIn extends AbstractInHandler {
      @Override
      public void onPush() {
        push(out, grab(results));
      }

      @Override
      public void onUpstreamFinish() {
        complete(out);
      }

      @Override
      public void onUpstreamFailure(Throwable failure) {
        fail(out, failure);
      }
    }

    private final class ResultsOut extends AbstractOutHandler {
      @Override
      public void onPull() {
        pull(results);
      }

      @Override
      public void onDownstreamFinish(Throwable cause) {
        cancel(results, cause);
      }
    }
  }
}
