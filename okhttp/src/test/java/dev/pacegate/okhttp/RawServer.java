package dev.pacegate.okhttp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A server of HTTP/1.1 on the loopback that does to a connection whatever a test wants, and counts
 * the requests that arrive.
 */
final class RawServer implements AutoCloseable {

  /** A request that has arrived, the {@code number}th of its connection. */
  record Request(
      String method, String path, Map<String, String> headers, String body, int number) {}

  /** What is done about a request. The connection is kept unless it is closed. */
  interface Script {
    void answer(Request request, Connection connection) throws Exception;
  }

  /** The connection of a request. */
  record Connection(Socket socket) {

    void ok(String body) throws IOException {
      write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    void status(int status, String... headers) throws IOException {
      write("HTTP/1.1 " + status + " X\r\n" + lines(headers) + "Content-Length: 0\r\n\r\n");
    }

    private static String lines(String... headers) {
      var lines = new StringBuilder();
      for (String header : headers) {
        lines.append(header).append("\r\n");
      }
      return lines.toString();
    }

    void write(String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }

    void close() throws IOException {
      socket.close();
    }

    /** Closes so that the other side sees a reset. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private final ServerSocket listener;
  private final Script script;
  private final AtomicInteger arrivals = new AtomicInteger();
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final Queue<Long> instants = new ConcurrentLinkedQueue<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  RawServer(Script script) throws IOException {
    this(script, "127.0.0.1");
  }

  RawServer(Script script, String address) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 200, InetAddress.getByName(address));
    start(this::accept);
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "raw server");
    thread.setDaemon(true);
    thread.start();
  }

  String uri(String path) {
    return "http://localhost:" + port() + path;
  }

  int port() {
    return listener.getLocalPort();
  }

  int arrivals() {
    return arrivals.get();
  }

  List<Request> requests() {
    return new ArrayList<>(requests);
  }

  /** Returns when requests arrived, in order. */
  List<Long> instants() {
    return instants.stream().sorted().toList();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      var connection = new Connection(socket);
      for (int number = 1; !socket.isClosed(); number++) {
        Request request = read(in, number);
        if (request == null) {
          return;
        }
        instants.add(System.nanoTime());
        arrivals.incrementAndGet();
        requests.add(request);
        script.answer(request, connection);
      }
    } catch (Exception over) {
      // The client has gone, or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private static @Nullable Request read(InputStream in, int number) throws IOException {
    String first = line(in);
    if (first == null) {
      return null;
    }
    var headers = new TreeMap<String, String>();
    for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    String[] words = first.split(" ", -1);
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    String body = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    return new Request(words[0], words[1], headers, body, number);
  }

  private static @Nullable String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return null;
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
