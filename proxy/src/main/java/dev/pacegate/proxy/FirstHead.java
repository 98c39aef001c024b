package dev.pacegate.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.concurrent.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.ShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The first in the pipeline of a connection, until its first head is in. A server of both protocols
 * says nothing of a connection before that, so it is closed here if the head is too long in coming.
 *
 * <p>An offer to go over to HTTP/2 is taken away: Vert.x would accept it, and then read the rest of
 * the body without bounds. HTTP/2 is spoken to clients that begin with it.
 */
final class FirstHead extends ChannelInboundHandlerAdapter {

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** How Vert.x calls its handler that accepts offers. */
  private static final String UPGRADE_HANDLER = "h2c";

  private final Duration longest;
  private int matched; // bytes that were those of the preface
  private boolean decided;
  private @Nullable Future<?> late;

  FirstHead(Duration longest) {
    this.longest = longest;
  }

  /** The first head is in. */
  static void removeFrom(HttpConnection connection) {
    var pipeline = ((ConnectionBase) connection).channel().pipeline();
    if (pipeline.get(FirstHead.class) != null) {
      pipeline.remove(FirstHead.class);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void handlerAdded(ChannelHandlerContext context) {
    Runnable close = context::close;
    late = context.executor().schedule(close, longest.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (late != null) {
      late.cancel(false);
    }
  }

  /** At the end of the server: there is no request to wait for. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ShutdownEvent) {
      context.close();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    var bytes = (ByteBuf) message;
    if (decided) {
      context.fireChannelRead(bytes);
      return;
    }
    int begin = matched;
    while (matched < PREFACE.length
        && bytes.isReadable(matched - begin + 1)
        && bytes.getByte(bytes.readerIndex() + matched - begin) == PREFACE[matched]) {
      matched++;
    }
    decided = matched == PREFACE.length || bytes.isReadable(matched - begin + 1);
    if (decided && matched < PREFACE.length) {
      // At the first byte that is none of the preface, Vert.x makes the pipeline of HTTP/1.1.
      context.fireChannelRead(bytes.readRetainedSlice(matched - begin + 1));
      dropOffers(context);
    }
    context.fireChannelRead(bytes);
  }

  private static void dropOffers(ChannelHandlerContext context) {
    if (context.pipeline().get(UPGRADE_HANDLER) != null) {
      context.pipeline().addBefore(UPGRADE_HANDLER, null, new OfferDropper());
    }
  }

  /** Takes the offer out of the first request. Only there it is looked for. */
  private static final class OfferDropper extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        List<String> offers = request.headers().getAll(HttpHeaderNames.UPGRADE);
        request
            .headers()
            .set(
                HttpHeaderNames.UPGRADE,
                offers.stream()
                    .filter(offer -> !offer.strip().equalsIgnoreCase(UPGRADE_HANDLER))
                    .toList());
      }
      context.pipeline().remove(this);
      context.fireChannelRead(message);
    }
  }
}
