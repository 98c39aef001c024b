package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;

/** What a limiter's steering acts on: the limiter as a whole, or one key of it. */
public interface Steered {

  /** Returns the name of the limiter, or of the key. */
  String name();

  /** Returns the limit in force. */
  Limit limit();

  /**
   * Puts another limit in force.
   *
   * @throws IllegalArgumentException if lanes cannot have the shares of it that they should, or a
   *     state file cannot keep it
   */
  void setLimit(Limit next);

  /** Lets no request through for {@code nanos}; FOREVER is until resumed. */
  void pauseFor(long nanos);

  /** Ends any pause. */
  void resume();

  /**
   * Turns on or off that all requests are let through, and only judged.
   *
   * @throws UnsupportedOperationException if this is a key
   */
  void dryRun(boolean on);

  /**
   * Returns the lane of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   * @throws UnsupportedOperationException if this is a key
   */
  Lane lane(String name);

  /** Returns the state of this moment. */
  Snapshot snapshot();

  /** Turns all callers away: of a key, those who wait. */
  void close();
}
