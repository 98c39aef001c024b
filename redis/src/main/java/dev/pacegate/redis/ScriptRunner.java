package dev.pacegate.redis;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs scripts on limits, wherever those are. */
interface ScriptRunner {

  /**
   * Runs a script on the limit of that address, once not too many calls are under way.
   *
   * @param terms how many terms the limit has that the caller knows
   * @param arguments is asked for the arguments when the call is made
   * @param then gets the reply, or else why there is none; once
   */
  void run(
      Script script,
      Address address,
      int terms,
      Supplier<List<String>> arguments,
      BiConsumer<@Nullable Reply, @Nullable Throwable> then);

  /** Returns whether no call is made any more. */
  boolean isClosed();
}
