package dev.pacegate.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Waits in a pipeline for the next bytes of the peer, whatever they are: the answer to a ping may
 * stand behind megabytes of others. Ends with the first of them, or with the connection.
 */
final class SignOfLife extends ChannelInboundHandlerAdapter {

  private final Runnable ended;

  SignOfLife(Runnable ended) {
    this.ended = ended;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    context.pipeline().remove(this);
    context.fireChannelRead(bytes);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    ended.run();
  }
}
