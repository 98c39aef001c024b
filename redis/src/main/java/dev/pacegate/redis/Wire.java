package dev.pacegate.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which connection the client has to the server: it makes another when one is lost, and repeats on
 * it what was not answered. What one command says of another holds only if both were answered on
 * the same.
 *
 * <p>The client tells that a connection is lost before it begins to make the next, and the address
 * of the next before it reads from it. Thread-safe.
 */
final class Wire implements RedisConnectionStateListener {

  private final Map<RedisChannelHandler<?, ?>, SocketAddress> addresses = new ConcurrentHashMap<>();
  private final AtomicLong lost = new AtomicLong();
  private volatile @Nullable StatefulRedisConnection<?, ?> only; // of a client that may have others

  /** Heeds this connection alone from now on. */
  void follow(StatefulRedisConnection<?, ?> connection) {
    only = connection;
    addresses.keySet().removeIf(each -> each != connection);
  }

  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
    if (isHeeded(connection)) {
      addresses.put(connection, address);
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    if (isHeeded(connection)) {
      lose();
    }
  }

  void lose() {
    lost.incrementAndGet();
  }

  private boolean isHeeded(RedisChannelHandler<?, ?> connection) {
    StatefulRedisConnection<?, ?> followed = only;
    return followed == null || followed == connection;
  }

  /** Returns the number of the connection: how many were lost before it. */
  long number() {
    return lost.get();
  }

  /** Returns where the connection leads, as {@code 10.0.0.1:6379}; empty if that is not known. */
  String address() {
    StatefulRedisConnection<?, ?> followed = only;
    return text(
        followed instanceof RedisChannelHandler<?, ?> handler ? addresses.get(handler) : null);
  }

  /** Returns whether the connection leads there, or did when there was one. */
  boolean leadsTo(@Nullable SocketAddress address) {
    return text(address).equals(address());
  }

  private static String text(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress of && of.getAddress() != null
        ? of.getAddress().getHostAddress() + ":" + of.getPort()
        : "";
  }
}
