package dev.pacegate.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a {@link FirstHead} into each connection to a server that speaks both protocols, and makes a
 * {@link FirstWord} of each connection to an upstream that begins to speak by itself.
 */
final class WatchedTransport extends NioTransport implements Transport {

  private final Duration head;
  private final Optional<Duration> word;
  private final Consumer<String> log;

  /**
   * @param head how long a client may take for its first head
   * @param word how long an upstream may take to begin; empty if it waits for requests
   * @param log takes a line if no connection can be accepted
   */
  WatchedTransport(Duration head, Optional<Duration> word, Consumer<String> log) {
    this.head = head;
    this.word = word;
    this.log = log;
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return word.isEmpty() || domainSocket
        ? super.channelFactory(domainSocket)
        : () -> new FirstWord(word.get());
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    super.configure(options, domainSocket, bootstrap);
    boolean both = options instanceof HttpServerOptions http && http.isHttp2ClearTextEnabled();
    bootstrap.handler(both ? new FirstHeads() : new FailedAccepts(log));
  }

  @Override
  public String name() {
    return "nio";
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return null;
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return this;
  }

  /** Sees connections before Vert.x does. */
  @Sharable
  private final class FirstHeads extends FailedAccepts {

    FirstHeads() {
      super(log);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      ((Channel) accepted).pipeline().addFirst(new FirstHead(head));
      context.fireChannelRead(accepted);
    }
  }
}
