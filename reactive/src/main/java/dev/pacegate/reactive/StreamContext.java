package dev.pacegate.reactive;

import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;

/**
 * The context that a library attaches to its subscribers. It must reach upstream, and whatever
 * continues on a thread of the limiter.
 */
interface StreamContext {

  /** That of libraries that have none. */
  StreamContext NONE =
      new StreamContext() {
        @Override
        public <T> void subscribe(Publisher<T> upstream, Subscriber<T> stage) {
          upstream.subscribe(stage);
        }

        @Override
        public void run(Runnable action, Consumer<Throwable> unset) {
          action.run();
        }
      };

  /** Returns the context of a subscriber. */
  static StreamContext of(Subscriber<?> downstream) {
    return IS_REACTOR_THERE ? ReactorContext.of(downstream) : NONE;
  }

  /** Whether {@link ReactorContext} can be loaded: since Reactor 3.4. */
  boolean IS_REACTOR_THERE = isThere("reactor.util.context.ContextView");

  private static boolean isThere(String type) {
    try {
      Class.forName(type, false, StreamContext.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError absent) {
      return false;
    }
  }

  /** Subscribes {@code stage} so that {@code upstream} finds this context. */
  <T> void subscribe(Publisher<T> upstream, Subscriber<T> stage);

  /**
   * Runs {@code action}, which must not throw, with the thread-locals that belong to it. If they
   * cannot be set, tells {@code unset} why and then runs it without them: it ends what waits for
   * it.
   */
  void run(Runnable action, Consumer<Throwable> unset);
}
