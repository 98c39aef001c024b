package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;

/** Makes the limiters: in this process alone, or shared through a store. */
interface LimiterMaker extends AutoCloseable {

  /** Counts in this process alone. */
  static LimiterMaker local(ContextPropagator context) {
    return (name, limit) -> Limiter.builder(limit).name(name).context(context).build();
  }

  /**
   * Refuses a limit that no limiter of this maker can keep.
   *
   * @throws IllegalArgumentException if it is one
   */
  default void check(String name, Limit limit) {}

  /** Returns whether a store keeps the limits in force, so that a property only asks for one. */
  default boolean shares() {
    return false;
  }

  /**
   * Returns a limiter.
   *
   * @throws IllegalArgumentException if it cannot keep the limit
   */
  Limiter make(String name, Limit limit);

  @Override
  default void close() {}
}
