package dev.pacegate.adapter.tck;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
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
 * A server of HTTP/1.1 on the loopback that does to a connection whatever a test wants, and records
 * the requests that arrive. A request that expects {@code 100-continue} gets it, unless its path is
 * {@code /refused}: its body does not come. Thread-safe.
 */
public final class RawServer implements AutoCloseable {

  /**
   * A request that has arrived.
   *
   * @param method its method
   * @param path its path, with the query
   * @param headers its headers, with names in lower case
   * @param body its body
   * @param number how many requests the connection has had, this one included
   */
  public record Received(
      String method, String path, Map<String, String> headers, String body, int number) {}

  /** What is done about a request. */
  public interface ServerScript {

    /**
     * Answers a request, or does anything else to its connection, which is kept unless it is
     * closed. An exception closes it. Called by a thread for each connection.
     */
    void answer(Received request, Connection connection) throws Exception;
  }

  /** The connection of a request. */
  public static final class Connection {

    private final Socket socket;
    private final Seen seen;

    private Connection(Socket socket, Seen seen) {
      this.socket = socket;
      this.seen = seen;
    }

    /** Returns the socket. */
    public Socket socket() {
      return socket;
    }

    /** Answers with status 200 and a body. */
    public void ok(String body) throws IOException {
      write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Answers with a status, headers such as {@code Location: /}, and no body. */
    public void status(int status, String... headers) throws IOException {
      write("HTTP/1.1 " + status + " X\r\n" + lines(headers) + "Content-Length: 0\r\n\r\n");
    }

    private static String lines(String... headers) {
      var lines = new StringBuilder();
      for (String header : headers) {
        lines.append(header).append("\r\n");
      }
      return lines.toString();
    }

    /** Writes bytes as they are. */
    public void write(String text) throws IOException {
      seen.writes();
      write(socket, text);
    }

    private static void write(Socket socket, String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }

    /** Closes the connection. */
    public void close() throws IOException {
      socket.close();
    }

    /** Closes so that the other side sees a reset. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private final ServerSocket listener;
  private final ServerScript script;
  private final AtomicInteger arrivals = new AtomicInteger();
  private final Queue<Received> requests = new ConcurrentLinkedQueue<>();
  private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Starts a server at a free port. */
  public RawServer(ServerScript script) throws IOException {
    this(script, InetAddress.getLoopbackAddress());
  }

  /** Starts a server at a free port of an address, such as that of all addresses. */
  public RawServer(ServerScript script, InetAddress address) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 200, address);
    start(this::accept);
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "raw server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the address of a path, which begins with a slash. */
  public URI uri(String path) {
    return URI.create("http://localhost:" + port() + path);
  }

  /** Returns the port. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Returns how many requests have arrived. */
  public int arrivals() {
    return arrivals.get();
  }

  /** Returns the requests that have arrived. */
  public List<Received> requests() {
    return new ArrayList<>(requests);
  }

  /** Returns when requests arrived, in order: nanoseconds of {@link System#nanoTime}. */
  public List<Long> instants() {
    return seen.stream().map(each -> each.arrived).sorted().toList();
  }

  List<Seen> seen() {
    return List.copyOf(seen);
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
      for (int number = 1; !socket.isClosed(); number++) {
        Received request = read(in, socket, number);
        if (request == null) {
          return;
        }
        var arrival = new Seen();
        seen.add(arrival);
        requests.add(request);
        arrivals.incrementAndGet();
        script.answer(request, new Connection(socket, arrival));
      }
    } catch (Exception over) {
      // The client has gone, or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private static @Nullable Received read(InputStream in, Socket socket, int number)
      throws IOException {
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
    boolean refused = words[1].equals("/refused"); // by its headers: there will be no body
    if (headers.containsKey("expect") && !refused) {
      Connection.write(socket, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    int length = refused ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "0"));
    String body = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
    return new Received(words[0], words[1], headers, body, number);
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
