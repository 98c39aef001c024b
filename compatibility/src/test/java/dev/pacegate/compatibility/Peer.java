package dev.pacegate.compatibility;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * An HTTP server on the loopback that counts the requests that arrive, and treats each as its path
 * says: {@code /500} is answered with that status, {@code /stall} never.
 */
final class Peer implements AutoCloseable {

  private final ServerSocket listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
  private final String root;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  Peer() throws IOException {
    this("/stall");
  }

  /** One that treats {@code /} as {@code root}, for clients that know no other path. */
  Peer(String root) throws IOException {
    this.root = root;
    start(this::accept);
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "peer");
    thread.setDaemon(true);
    thread.start();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + path);
  }

  /** Returns when requests arrived, in order. */
  List<Long> arrivals() {
    return arrivals.stream().sorted().toList();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      } catch (IOException over) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      for (String path = read(in); path != null; path = read(in)) {
        arrivals.add(System.nanoTime());
        answer(path, socket);
      }
    } catch (IOException | InterruptedException over) {
      // The client has gone, or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private String read(BufferedReader in) throws IOException {
    String first = in.readLine();
    if (first == null) {
      return null;
    }
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(line.indexOf(':') + 1).trim());
      }
    }
    in.skip(length);
    return first.split(" ", -1)[1].replaceAll("^/$", root);
  }

  private void answer(String path, Socket socket) throws IOException, InterruptedException {
    switch (path) {
      case "/stall" -> closed.await();
      case "/reset" -> {
        socket.setSoLinger(true, 0); // so that the client sees a reset
        socket.close();
      }
      case "/close" -> socket.close();
      case "/cut" -> {
        write(
            socket,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":");
        socket.close();
      }
      case "/half" -> {
        write(
            socket,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":");
        closed.await();
      }
      case "/json" -> status(socket, 200, "{}");
      case "/nonsense" -> status(socket, 200, "{nonsense}");
      default -> status(socket, Integer.parseInt(path.replaceAll("\\D", "")), "{}");
    }
  }

  private static void status(Socket socket, int status, String body) throws IOException {
    write(
        socket,
        "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(status, body.length(), body));
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
