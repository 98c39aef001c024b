package dev.pacegate.adapter.tck;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * As much of a server of HTTP/2 as tests need, with TLS or without: it records the requests that
 * arrive, without reading them, and does to each what a test wants. Without TLS the first request
 * of a connection asks for an upgrade, or the client knows the protocol beforehand. Thread-safe.
 */
public final class H2Server implements AutoCloseable {

  private static final Pattern LENGTH =
      Pattern.compile("content-length: (\\d+)", Pattern.CASE_INSENSITIVE);

  /** The preface of HTTP/2 up to its first empty line, and the length of what is left. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\n";

  private static final int PREFACE_LEFT = 6;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PUSH_PROMISE = 5;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ACK = 1;

  /** What is done about a request. */
  public interface StreamScript {

    /**
     * Answers the request that arrived as the {@code arrival}th, or does anything else to its
     * stream. An exception closes the connection, whose thread calls this.
     */
    void answer(int arrival, H2Stream stream) throws IOException;
  }

  /** One request and its response. */
  public static final class H2Stream {

    private final Socket socket;
    private final DataOutputStream out;
    private final int id;
    private final Seen seen;

    private H2Stream(Socket socket, DataOutputStream out, int id, Seen seen) {
      this.socket = socket;
      this.out = out;
      this.id = id;
      this.seen = seen;
    }

    /** Returns the socket. */
    public Socket socket() {
      return socket;
    }

    /** Answers with status 200 and a body. */
    public void ok(String body) throws IOException {
      headers(END_HEADERS, 0x88); // the status 200 has this number in every table
      frame(DATA, END_STREAM, id, body.getBytes(StandardCharsets.US_ASCII));
    }

    /** Begins a body that does not end. */
    public void half() throws IOException {
      headers(END_HEADERS, 0x88);
      frame(DATA, 0, id, new byte[] {'x'});
    }

    /** Redirects to a path of at most 126 characters. */
    public void redirect(String location) throws IOException {
      byte[] text = location.getBytes(StandardCharsets.US_ASCII);
      var block = new ByteArrayOutputStream();
      block.write(new byte[] {8, 3, '3', '0', '2', 0x0f, 0x1f, (byte) text.length});
      block.write(text);
      frame(HEADERS, END_HEADERS | END_STREAM, id, block.toByteArray());
    }

    /** Promises a response that was not asked for, and sends it. */
    public void push(String body) throws IOException {
      int promised = id + 1;
      byte[] name = ("localhost:" + socket.getLocalPort()).getBytes(StandardCharsets.US_ASCII);
      var block = new ByteArrayOutputStream();
      block.write(new byte[] {0, 0, 0, (byte) promised});
      boolean secure = socket instanceof SSLSocket;
      block.write(new byte[] {(byte) 0x82, (byte) (secure ? 0x87 : 0x86), (byte) 0x84});
      block.write(new byte[] {1, (byte) name.length}); // :authority
      block.write(name);
      frame(PUSH_PROMISE, END_HEADERS, id, block.toByteArray());
      new H2Stream(socket, out, promised, seen).ok(body);
    }

    /** Resets the stream with a code, such as 7: refused. */
    public void reset(int code) throws IOException {
      frame(RESET, 0, id, new byte[] {0, 0, 0, (byte) code});
    }

    /** Says that this request, and all after it, have not been looked at. */
    public void goAway() throws IOException {
      int last = Math.max(0, id - 2);
      frame(GO_AWAY, 0, 0, new byte[] {0, 0, 0, (byte) last, 0, 0, 0, 0});
    }

    private void headers(int flags, int field) throws IOException {
      frame(HEADERS, flags, id, new byte[] {(byte) field});
    }

    private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
      seen.writes();
      write(out, type, flags, stream, payload);
    }
  }

  private final ServerSocket listener;
  private final StreamScript script;
  private final AtomicInteger arrivals = new AtomicInteger();
  private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Starts a server without TLS at a free port. */
  public H2Server(StreamScript script) throws IOException {
    this(script, null);
  }

  /** Starts a server at a free port, with TLS unless {@code context} is null. */
  public H2Server(StreamScript script, @Nullable SSLContext context) throws IOException {
    this.script = script;
    this.listener =
        (context == null ? ServerSocketFactory.getDefault() : context.getServerSocketFactory())
            .createServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "h2 server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the address of a path, which begins with a slash. */
  public URI uri(String path) {
    String scheme = listener instanceof SSLServerSocket ? "https" : "http";
    return URI.create(scheme + "://localhost:" + listener.getLocalPort() + path);
  }

  /** Returns how many requests have arrived. */
  public int arrivals() {
    return arrivals.get();
  }

  /** Returns when requests arrived, in order: nanoseconds of {@link System#nanoTime}. */
  public List<Long> instants() {
    return seen.stream().map(each -> each.arrived).sorted().toList();
  }

  List<Seen> seen() {
    return List.copyOf(seen);
  }

  private Seen arrives() {
    var arrival = new Seen();
    seen.add(arrival);
    return arrival;
  }

  private void answer(Seen arrival, Socket socket, DataOutputStream out, int id)
      throws IOException {
    script.answer(arrivals.incrementAndGet(), new H2Stream(socket, out, id, arrival));
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        if (socket instanceof SSLSocket secure) {
          SSLParameters parameters = secure.getSSLParameters();
          parameters.setApplicationProtocols(new String[] {"h2"});
          secure.setSSLParameters(parameters);
        }
        open.add(socket);
        start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      var in = new DataInputStream(socket.getInputStream());
      var out = new DataOutputStream(socket.getOutputStream());
      String head = readHead(in);
      if (head.startsWith(PREFACE)) {
        begin(in, out, PREFACE_LEFT);
      } else { // GET with Upgrade: the first request
        Seen arrival = arrives();
        out.writeBytes(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n");
        begin(in, out, PREFACE.length() + PREFACE_LEFT);
        answer(arrival, socket, out, 1);
      }
      while (!socket.isClosed()) {
        readFrame(socket, in, out);
      }
    } catch (IOException over) {
      // The client has gone, or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private static void begin(DataInputStream in, DataOutputStream out, int preface)
      throws IOException {
    write(out, SETTINGS, 0, 0, new byte[0]);
    in.readNBytes(preface);
  }

  /** Reads a request of HTTP/1.1, whose body is all it tells, or most of the preface of HTTP/2. */
  private static String readHead(DataInputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    Matcher length = LENGTH.matcher(head);
    if (length.find()) {
      in.readNBytes(Integer.parseInt(length.group(1)));
    }
    return head.toString();
  }

  private void readFrame(Socket socket, DataInputStream in, DataOutputStream out)
      throws IOException {
    int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int id = in.readInt();
    byte[] payload = in.readNBytes(length);
    if (type == SETTINGS && (flags & ACK) == 0) {
      write(out, SETTINGS, ACK, 0, new byte[0]);
    } else if (type == PING && (flags & ACK) == 0) {
      write(out, PING, ACK, 0, payload);
    } else if (type == HEADERS) {
      answer(arrives(), socket, out, id);
    }
  }

  private static void write(DataOutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    synchronized (out) {
      out.writeShort(payload.length >> 8);
      out.writeByte(payload.length);
      out.writeByte(type);
      out.writeByte(flags);
      out.writeInt(stream);
      out.write(payload);
      out.flush();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
