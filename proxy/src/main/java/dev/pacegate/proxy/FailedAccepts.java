package dev.pacegate.proxy;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Pauses when no connection can be accepted, as for want of file descriptors, and then goes on.
 * Netty does that, too, but tells its log first: an Error of the log would end the thread that
 * accepts, and with it the server.
 */
@Sharable
class FailedAccepts extends ChannelInboundHandlerAdapter {

  static final long PAUSE_SECONDS = 1;

  private final Consumer<String> log;

  FailedAccepts(Consumer<String> log) {
    this.log = log;
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    ChannelConfig config = context.channel().config();
    if (config.isAutoRead()) {
      config.setAutoRead(false);
      var unused =
          context
              .executor()
              .schedule(() -> config.setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
      log.accept("cannot accept connections: " + failure.getMessage());
    }
  }
}
