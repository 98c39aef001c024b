package dev.pacegate.compatibility;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Ports of the loopback at which no connection is made. */
final class Ports {

  private Ports() {}

  /** Returns a port that was free a moment ago. */
  static int refusing() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** A port whose queue of connections is full, so that the next one is not made. */
  static final class Full implements AutoCloseable {

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> queued = new ArrayList<>();

    Full() throws IOException {
      for (int i = 0; i < 20 && connects(); i++) {
        // How many fit is the system's affair.
      }
    }

    private boolean connects() throws IOException {
      var socket = new Socket();
      queued.add(socket);
      try {
        socket.connect(new InetSocketAddress(listener.getInetAddress(), port()), 200);
        return true;
      } catch (SocketTimeoutException full) {
        return false;
      }
    }

    int port() {
      return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : queued) {
        socket.close();
      }
      listener.close();
    }
  }
}
