package dev.pacegate.redis;

import dev.pacegate.time.Time;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.AsyncCloseable;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server: the connection to it, and the scripts on it. The server is {@linkplain NodeCheck
 * checked} before the first script runs, and after each time the connection was lost.
 *
 * <p>Thread-safe. It owns the connection.
 */
final class Node implements ScriptRunner {

  private final AbstractRedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final Wire wire;
  private final Reconnection reconnection;
  private final MinReplicas minReplicas;
  private final Store store;
  private final NodeCheck check;
  private final Consumer<Eviction> found;
  private final AsyncCloseable whole;
  private final Time time;
  private volatile @Nullable Eviction eviction; // once it was checked

  /**
   * Creates a node.
   *
   * @param found is told what the server drops, once it was checked
   * @param whole the connection, or what it is a part of
   */
  Node(
      AbstractRedisClient client,
      StatefulRedisConnection<String, String> connection,
      Wire wire,
      NodeCheck.Demands demands,
      Consumer<Eviction> found,
      AsyncCloseable whole,
      Time time) {
    this.client = client;
    this.connection = connection;
    this.wire = wire;
    this.found = found;
    this.whole = whole;
    this.time = time;
    boolean isOneOfMany = demands.mode().equals(ServerCheck.CLUSTER);
    this.reconnection =
        new Reconnection(client.getResources(), at -> !isOneOfMany || wire.leadsTo(at));
    this.minReplicas = new MinReplicas(connection);
    this.store = new Store(connection, wire, reconnection::problem, minReplicas::named, time);
    this.check = new NodeCheck(connection, wire, demands, this::passed, time);
  }

  // Of a server that has not been seen before.
  private void passed(ServerFacts facts) {
    Eviction now = Eviction.of(facts);
    eviction = now;
    now.tell();
    found.accept(now);
    minReplicas.tell(facts);
  }

  /** Returns the check that is to be over before anything is called; null if there is none. */
  @Nullable CompletableFuture<Void> pending() {
    return check.pending();
  }

  /**
   * Waits until the server was checked.
   *
   * @throws UnfitServerException if it cannot keep the promise
   * @throws RedisException if it does not answer
   */
  void require() {
    Duration longest = connection.getTimeout();
    longest = longest.isZero() ? RedisURI.DEFAULT_TIMEOUT_DURATION : longest; // it has none
    CompletableFuture<Void> pending = check.pending(longest);
    if (pending != null) {
      RedisFailures.await(pending, longest);
    }
  }

  /** Returns what the server drops when its memory is full; null if it was not checked yet. */
  @Nullable Eviction eviction() {
    return eviction;
  }

  // While there is no connection nothing is asked: the user's client would keep all that for later.
  @Override
  public void run(Script script, Address address, int terms, Caller caller) {
    if (!store.isClosed() && !check.isOver() && !connection.isOpen()) {
      caller.answered(null, explained(new RedisException("not connected")));
      return;
    }
    CompletableFuture<Void> pending = store.isClosed() ? null : check.pending();
    if (pending == null) {
      store.run(script, address, terms, caller);
    } else {
      Awaiting.until(
          pending,
          time,
          caller,
          passed -> store.run(script, address, terms, caller),
          failure -> caller.answered(null, explained(failure)));
    }
  }

  private Throwable explained(Throwable failure) {
    return connection.isOpen() ? failure : reconnection.problem(failure);
  }

  /** What people do with the limits of a server. They wait for it. */
  StatefulRedisConnection<String, String> connection() {
    return connection;
  }

  Wire wire() {
    return wire;
  }

  /**
   * Breaks the connection, so that the client makes another, and looks anew where it is to lead.
   */
  void leave() {
    var unused = connection.async().quit();
  }

  @Override
  public boolean isClosed() {
    return store.isClosed();
  }

  /**
   * Returns whether the client has closed the connection and will make no other, such as that of a
   * cluster does when a look does not show the node.
   */
  boolean isGone() {
    return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
  }

  /** Waits for calls that are under way, for that long at most; later ones are not made. */
  void finish(Duration longest) {
    store.close(longest);
  }

  /** Closes the connection, without waiting. */
  void close() {
    var unused = whole.closeAsync();
    client.removeListener(wire);
    reconnection.close();
  }
}
