package dev.pacegate.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the call of a script is for: it says what is asked, and gets the reply. */
interface Caller {

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
   * There is no answer yet, after {@link Store#LATE} and whenever the call has taken twice as long,
   * whether it waits for its turn or for the server. May come when there is one already.
   */
  void late(Throwable why);

  /** Gets the reply, or else why there is none; once. */
  void answered(@Nullable Reply reply, @Nullable Throwable failure);
}
