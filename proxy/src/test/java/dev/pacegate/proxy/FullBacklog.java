package dev.pacegate.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * A port whose queue of connections is full: Linux drops what asks for one more, as a machine that
 * is gone does.
 */
final class FullBacklog implements AutoCloseable {

  private final ServerSocket server;
  private final List<Socket> fillers = new ArrayList<>();

  FullBacklog() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    var at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    while (true) {
      var filler = new Socket();
      fillers.add(filler);
      try {
        filler.connect(at, 200);
      } catch (SocketTimeoutException full) {
        filler.close();
        fillers.remove(filler);
        return;
      }
    }
  }

  int port() {
    return server.getLocalPort();
  }

  /** Ends what fills the queue, and takes all that is in it. */
  Socket next() throws IOException {
    for (int i = 0; i < fillers.size(); i++) {
      server.accept().close();
    }
    return server.accept();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket filler : fillers) {
      filler.close();
    }
  }
}
