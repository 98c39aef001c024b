package dev.pacegate.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The servers that have the limits: one, or the primaries of a cluster. Thread-safe. */
interface Nodes extends ScriptRunner {

  /**
   * Lets people do something with a limit, and waits for it.
   *
   * @throws io.lettuce.core.RedisException if it cannot be done
   */
  <T> T with(Address address, Function<Node, T> operation);

  /**
   * Returns all that grant, each once.
   *
   * @throws io.lettuce.core.RedisException if one of them cannot be reached
   */
  List<Node> all();

  /** The keys of a limit are used from now on: warns where a server may drop them. */
  void keyed(String name);

  /** Waits for calls that are under way, for that long at most; later ones are not made. */
  void finish(Duration longest);

  /** Closes all connections. */
  void close();
}
