package dev.pacegate.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the call of a script is for: it says what is asked, and gets the reply. */
interface Caller {

  /** Of a call for which a request waits from the beginning. */
  CompletionStage<?> AT_ONCE = CompletableFuture.completedStage(null);

  /**
   * Returns what this shares calls with: those that name the same, for keys of one record, may go
   * in one call. Null if it goes by itself.
   */
  @Nullable Object source();

  /** Returns the arguments that are said once in a call, whichever of its callers is asked. */
  List<String> common();

  /** Returns the arguments of its own; asked when the call is made, once. */
  List<String> arguments();

  /**
   * Is done once a request waits for the reply, as of most calls at once. Until then the calls of
   * requests go first, and it is late only once it is made.
   */
  default CompletionStage<?> waitedFor() {
    return AT_ONCE;
  }

  /** Returns within what time the reply is of use, in nanoseconds from when the call is made. */
  default long usefulFor() {
    return Store.LATE.toNanos();
  }

  /**
   * There is no answer yet, after {@link Store#LATE} and whenever the call has taken twice as long,
   * whether it waits for its turn or for the server. May come when there is one already.
   */
  void late(Throwable why);

  /** Gets the reply, or else why there is none; once. */
  void answered(@Nullable Reply reply, @Nullable Throwable failure);
}
