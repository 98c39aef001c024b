package dev.pacegate.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/** Closes connections whose other end reads nothing any more. */
final class Closing {

  private Closing() {}

  /**
   * Closes it before the handlers of Vert.x, which would wait until all that was written is read.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  static void atOnce(HttpConnection connection) {
    ChannelHandlerContext first = ((ConnectionBase) connection).channel().pipeline().firstContext();
    if (first != null) { // otherwise it is closed
      first.close();
    }
  }
}
