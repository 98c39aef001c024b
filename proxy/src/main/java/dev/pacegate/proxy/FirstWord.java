package dev.pacegate.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A connection to an upstream of HTTP/2, closed if nothing comes in time. Both sides begin with
 * their settings there; Vert.x would wait for them for ever. It also takes all handlers away when
 * it is connected, so the channel itself sees what comes.
 */
final class FirstWord extends NioSocketChannel {

  private boolean heard; // of the event loop

  FirstWord(Duration longest) {
    pipeline().addFirst(new WordTimer(longest));
  }

  @Override
  protected int doReadBytes(ByteBuf bytes) throws Exception {
    heard = true;
    return super.doReadBytes(bytes);
  }

  private final class WordTimer extends ChannelInboundHandlerAdapter {

    private final Duration longest;

    WordTimer(Duration longest) {
      this.longest = longest;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored")
    public void handlerAdded(ChannelHandlerContext context) {
      context.executor().schedule(this::look, longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void look() {
      if (!heard) {
        close();
      }
    }
  }
}
