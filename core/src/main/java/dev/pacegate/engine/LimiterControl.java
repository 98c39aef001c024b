package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import java.util.List;

/** The target of a limiter's control methods: the whole limiter, or one key of it. */
public interface LimiterControl {

  /** Returns the name of the limiter, or of the key. */
  String name();

  /** Returns the limit in force. */
  Limit limit();

  /** Returns all limits that a request must keep: of a key, its own and that of all keys. */
  List<Limit> limits();

  /**
   * Puts another limit in force.
   *
   * @throws IllegalArgumentException if lanes cannot have their shares of it, or a state file
   *     cannot keep it
   */
  void setLimit(Limit next);

  /** Lets no request through for {@code nanos}; until resumed if that is FOREVER. */
  void pauseFor(long nanos);

  /** Ends any pause. */
  void resume();

  /**
   * Turns dry-run mode on or off.
   *
   * @throws UnsupportedOperationException if this is a key
   */
  void dryRun(boolean on);

  /**
   * Returns the lane of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the lanes there are
   * @throws UnsupportedOperationException if this is a key
   */
  Lane lane(String name);

  /** Returns the state at this moment. */
  Snapshot snapshot();

  /** Refuses all callers; of a key, its present waiters. */
  void close();
}
