package dev.pacegate.result;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Job;
import dev.pacegate.Permit;
import dev.pacegate.context.ContextPropagator;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The context of a caller, captured where it calls, in which its job runs: once, on any thread. */
/*
 * The propagator is user code around user code: it may throw before the job and after it, run it
 * never, twice or on another thread, and keep its exception to itself. What the job has returned or
 * thrown counts, whatever is around it, as its request may be under way.
 */
public final class CallerContext {

  private static final CallerContext NONE = new CallerContext(ContextPropagator.none());

  private static final ClassValue<AtomicBoolean> LOGGED =
      new ClassValue<>() {
        @Override
        protected AtomicBoolean computeValue(Class<?> type) {
          return new AtomicBoolean();
        }
      };

  private final ContextPropagator propagator;
  private @Nullable Runnable wrapped; // runs the job; null if there is nothing to carry
  private @Nullable InContext<?, ?> running; // set and read by the thread that runs it

  private CallerContext(ContextPropagator propagator) {
    this.propagator = propagator;
  }

  /** Returns the context of a job that runs where it is called. */
  static CallerContext none() {
    return NONE;
  }

  /** Captures the calling thread's context. Throws what the propagator throws. */
  public static CallerContext capture(ContextPropagator propagator) {
    if (propagator == ContextPropagator.none()) {
      return NONE;
    }
    var context = new CallerContext(propagator);
    Runnable wrapped = propagator.wrap(context::run);
    context.wrapped = requireNonNull(wrapped, "the context propagator returned null");
    return context;
  }

  /**
   * Captures the calling thread's context for what runs when a permit comes, unless that is on this
   * thread now. If the propagator throws, the place in the queue is given up.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  public static CallerContext capture(
      ContextPropagator propagator, CompletableFuture<Permit> place) {
    if (place.isDone()) {
      return NONE;
    }
    try {
      return capture(propagator);
    } catch (Throwable failure) {
      place.whenComplete((permit, refused) -> giveBack(permit));
      place.cancel(false);
      throw failure;
    }
  }

  private static void giveBack(@Nullable Permit permit) {
    if (permit != null) {
      permit.notSent();
    }
  }

  /** As {@link #call(Job)}; {@code permit} ends as not sent if the job has not begun. */
  public <T extends @Nullable Object, X extends Exception> T call(Permit permit, Job<T, X> job)
      throws X {
    return wrapped == null ? job.call() : call(wrapped, permit, job);
  }

  /**
   * Runs {@code job} in this context, on this thread. Throws what it throws, or what the propagator
   * throws before it.
   */
  public <T extends @Nullable Object, X extends Exception> T call(Job<T, X> job) throws X {
    return wrapped == null ? job.call() : call(wrapped, null, job);
  }

  private <T extends @Nullable Object, X extends Exception> T call(
      Runnable wrapped, @Nullable Permit permit, Job<T, X> job) throws X {
    var inside = new InContext<T, X>(job);
    Throwable thrown = null;
    running = inside;
    try {
      wrapped.run();
    } catch (Throwable failure) {
      thrown = failure;
    }
    running = null;
    if (!inside.begun) {
      giveBack(permit);
      throw InContext.<RuntimeException>as(thrown == null ? notRun() : thrown);
    }
    if (thrown != null && thrown != inside.failure) {
      log(thrown);
    }
    return inside.result();
  }

  private void run() {
    InContext<?, ?> inside = running;
    if (inside == null || !inside.mayBegin()) {
      throw notRun();
    }
    inside.run();
  }

  private static IllegalStateException notRun() {
    return new IllegalStateException(
        "a context propagator must run the job once, on the thread on which its runnable is run");
  }

  private void log(Throwable failure) {
    try {
      if (LOGGED.get(propagator.getClass()).compareAndSet(false, true)) {
        String line = "a context propagator failed after the job; the thread may keep its context";
        System.getLogger("dev.pacegate").log(Level.ERROR, line, failure);
      }
    } catch (Throwable ofTheLogger) {
      // There is no other way left to report it.
    }
  }

  /** A job that runs inside the propagator's code, and its outcome. Used by one thread. */
  private static final class InContext<T extends @Nullable Object, X extends Exception> {
    private final Thread thread = Thread.currentThread();
    private final Job<T, X> job;
    private boolean begun;
    private @Nullable T result;
    private @Nullable Throwable failure;

    InContext(Job<T, X> job) {
      this.job = job;
    }

    boolean mayBegin() {
      return Thread.currentThread() == thread && !begun;
    }

    void run() {
      begun = true;
      try {
        result = job.call();
      } catch (Throwable thrown) {
        failure = thrown;
        throw InContext.<RuntimeException>as(thrown); // the propagator may want to see it
      }
    }

    @SuppressWarnings("NullAway") // null if T is
    T result() throws X {
      if (failure != null) {
        throw InContext.<X>as(failure);
      }
      return result;
    }

    /** Returns nothing: throws {@code failure}, checked or not. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> E as(Throwable failure) throws E {
      throw (E) failure;
    }
  }
}
