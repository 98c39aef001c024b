package dev.pacegate.benchmarks.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way between a client and a server: holds up each request and each part of an answer for a
 * random time, and tells of requests. A request that the client has given up still arrives, as on a
 * real network.
 */
final class Wire implements AutoCloseable {

  static final Duration LONGEST_THERE = Duration.ofMillis(40);
  static final Duration LONGEST_BACK = Duration.ofMillis(10);

  private final ServerSocket entrance;
  private final int server;
  private final Runnable onRequest;
  private final Random seeds;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /**
   * Opens it.
   *
   * @param server the port of the server
   * @param onRequest called when a request leaves the client
   */
  Wire(int server, long seed, Runnable onRequest) throws IOException {
    this.server = server;
    this.seeds = new Random(seed);
    this.onRequest = onRequest;
    this.entrance = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + entrance.getLocalPort() + "/");
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "wire");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        connect(entrance.accept());
      }
    } catch (IOException closed) {
      close();
    }
  }

  private void connect(Socket client) throws IOException {
    Socket there = opened(new Socket(InetAddress.getLoopbackAddress(), server));
    opened(client);
    var random = new Random(seeds.nextLong());
    var randomBack = new Random(seeds.nextLong());
    start(() -> copy(client, there, random, LONGEST_THERE, onRequest));
    start(() -> copy(there, client, randomBack, LONGEST_BACK, () -> {}));
  }

  private Socket opened(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  /** A request is small enough to come in one part, and the next one comes after its answer. */
  private void copy(Socket from, Socket to, Random random, Duration longest, Runnable onPart) {
    var part = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        onPart.run();
        travel(random, longest);
        out.write(part, 0, length);
      }
      travel(random, longest); // the end of a connection takes its time, too
    } catch (IOException | InterruptedException broken) {
      // as at the end: both sides learn it
    } finally {
      close(from);
      close(to);
    }
  }

  private static void travel(Random random, Duration longest) throws InterruptedException {
    Thread.sleep(random.nextInt((int) longest.toMillis() + 1)); // the way
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException closed) {
      // is closed
    }
  }

  @Override
  public void close() {
    try {
      entrance.close();
    } catch (IOException closed) {
      // is closed
    }
    sockets.forEach(this::close);
  }
}
