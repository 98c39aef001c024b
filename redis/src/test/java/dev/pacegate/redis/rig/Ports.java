package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free ports of the loopback. */
public final class Ports {

  // Below the ports that Linux gives to outgoing connections: a client that tries again and again
  // to reach such a port while its server is away will in the end be connected to itself, and then
  // the server cannot come back.
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;

  private Ports() {}

  /** Returns a port that was free a moment ago. */
  public static int free() throws IOException {
    for (int i = 0; i < 100; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        // Tries another.
      }
    }
    throw new IOException("no free port from " + FIRST + " to " + LAST);
  }
}
