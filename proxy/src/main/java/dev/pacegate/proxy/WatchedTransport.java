package dev.pacegate.proxy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts a {@link FirstHead} into each connection to a server that speaks both protocols, and makes a
 * {@link FirstWord} of each connection to an upstream that begins to speak by itself.
 */
final class WatchedTransport extends NioTransport implements Transport {

  private final Duration head;
  private final Optional<Duration> word;

  /**
   * @param head how long a client may take for its first head
   * @param word how long an upstream may take to begin; empty if it waits for requests
   */
  WatchedTransport(Duration head, Optional<Duration> word) {
    this.head = head;
    this.word = word;
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
    if (options instanceof HttpServerOptions http && http.isHttp2ClearTextEnabled()) {
      bootstrap.handler(new FirstHeads());
    }
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
  private final class FirstHeads extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      ((Channel) accepted).pipeline().addFirst(new FirstHead(head));
      context.fireChannelRead(accepted);
    }
  }
}
