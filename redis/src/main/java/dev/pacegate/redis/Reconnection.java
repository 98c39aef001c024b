package dev.pacegate.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * Why a connection that was lost cannot be made again. A call on it says no more than that it is
 * lost; the client tells the reason elsewhere.
 *
 * <p>Thread-safe.
 */
final class Reconnection {

  private final Disposable events;
  private final Predicate<@Nullable SocketAddress> here;
  private volatile @Nullable Throwable failure;

  /**
   * Begins to listen.
   *
   * @param here whether a connection to that address is this one
   */
  Reconnection(ClientResources resources, Predicate<@Nullable SocketAddress> here) {
    this.here = here;
    this.events = resources.eventBus().get().subscribe(this::see);
  }

  private void see(Event event) {
    if (event instanceof ReconnectFailedEvent failed && here.test(failed.remoteAddress())) {
      failure = failed.getCause();
    } else if (event instanceof ConnectionActivatedEvent made && here.test(made.remoteAddress())) {
      failure = null;
    }
  }

  /** Returns why a call failed that was made while the connection was lost. */
  Throwable problem(Throwable ofCall) {
    Throwable known = failure;
    return known == null
        ? ofCall
        : new RedisConnectionException("cannot connect: " + Causes.ofConnecting(known), ofCall);
  }

  void close() {
    events.dispose();
  }
}
