package dev.pacegate.reactive;

import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Reactor's context, as it is when downstream subscribes. Loaded only if Reactor is there. */
/*
 * It keeps the context and not the subscriber, which must be forgotten when it cancels.
 */
final class ReactorContext implements StreamContext {

  private final Context context;

  private ReactorContext(Context context) {
    this.context = context;
  }

  static StreamContext of(Subscriber<?> downstream) {
    return downstream instanceof CoreSubscriber<?> reactors
        ? new ReactorContext(reactors.currentContext())
        : NONE;
  }

  /** {@code Flux.from}, as Reactor sets thread-locals for signals of publishers it has wrapped. */
  @Override
  public <T> void subscribe(Publisher<T> upstream, Subscriber<T> stage) {
    Subscriber<T> withContext = new ContextSubscriber<>(stage, context);
    Flux.from(upstream).subscribe(withContext);
  }

  /**
   * Lets Reactor itself set thread-locals, as only it knows whether it is to: see {@link
   * reactor.core.publisher.Hooks#enableAutomaticContextPropagation}. Setting them is code of the
   * user's, and so is putting back what was there.
   */
  @Override
  public void run(Runnable action, Consumer<Throwable> unset) {
    var once = new ContextRun(action, unset);
    try {
      Mono.fromRunnable(once).contextWrite(none -> context).subscribe(nothing -> {}, once::failed);
    } catch (Throwable failure) {
      once.failed(failure);
    }
  }

  /** Runs an action once, whatever is around it. */
  private static final class ContextRun implements Runnable {
    private final Runnable action;
    private final Consumer<Throwable> unset;
    private boolean begun;

    ContextRun(Runnable action, Consumer<Throwable> unset) {
      this.action = action;
      this.unset = unset;
    }

    @Override
    public void run() {
      begun = true;
      action.run();
    }

    void failed(Throwable failure) {
      if (begun) {
        Thread here = Thread.currentThread();
        here.getUncaughtExceptionHandler().uncaughtException(here, failure);
      } else {
        unset.accept(failure);
        run();
      }
    }
  }

  private record ContextSubscriber<T>(Subscriber<T> stage, Context currentContext)
      implements CoreSubscriber<T> {

    @Override
    public void onSubscribe(Subscription subscription) {
      stage.onSubscribe(subscription);
    }

    @Override
    public void onNext(T element) {
      stage.onNext(element);
    }

    @Override
    public void onError(Throwable reason) {
      stage.onError(reason);
    }

    @Override
    public void onComplete() {
      stage.onComplete();
    }
  }
}
