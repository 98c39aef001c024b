package dev.pacegate.okhttp;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * As much of a server of HTTP/2 as tests need, for clients that know that it is one: it counts the
 * requests that arrive, without reading them, and does to each what a test wants.
 */
final class H2Server implements AutoCloseable {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ACK = 1;

  /** What is done about the request that arrived as the {@code arrival}th. */
  interface Script {
    void answer(int arrival, Stream stream) throws IOException;
  }

  /** One request and its answer. */
  record Stream(Socket socket, DataOutputStream out, int id) {

    void ok(String body) throws IOException {
      headers(END_HEADERS, 0x88); // the status 200 has this number in every table
      frame(DATA, END_STREAM, id, body.getBytes(StandardCharsets.US_ASCII));
    }

    /** Begins a body that does not end. */
    void half() throws IOException {
      headers(END_HEADERS, 0x88);
      frame(DATA, 0, id, new byte[] {'x'});
    }

    void redirect(String location) throws IOException {
      byte[] text = location.getBytes(StandardCharsets.US_ASCII);
      var block = new ByteArrayOutputStream();
      block.write(new byte[] {8, 3, '3', '0', '2', 0x0f, 0x1f, (byte) text.length});
      block.write(text);
      frame(HEADERS, END_HEADERS | END_STREAM, id, block.toByteArray());
    }

    void reset(int code) throws IOException {
      frame(RESET, 0, id, new byte[] {0, 0, 0, (byte) code});
    }

    /** Says that this request, and all after it, have not been looked at. */
    void goAway() throws IOException {
      int last = Math.max(0, id - 2);
      frame(GO_AWAY, 0, 0, new byte[] {0, 0, 0, (byte) last, 0, 0, 0, 0});
    }

    private void headers(int flags, int field) throws IOException {
      frame(HEADERS, flags, id, new byte[] {(byte) field});
    }

    private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
      write(out, type, flags, stream, payload);
    }
  }

  private final ServerSocket listener;
  private final Script script;
  private final AtomicInteger arrivals = new AtomicInteger();
  private final Queue<Long> instants = new ConcurrentLinkedQueue<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  H2Server(Script script) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    var thread = new Thread(work, "h2 server");
    thread.setDaemon(true);
    thread.start();
  }

  String uri(String path) {
    return "http://localhost:" + listener.getLocalPort() + path;
  }

  int arrivals() {
    return arrivals.get();
  }

  /** Returns when requests arrived, in order. */
  List<Long> instants() {
    return instants.stream().sorted().toList();
  }

  private int arrives() {
    instants.add(System.nanoTime());
    return arrivals.incrementAndGet();
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
      var in = new DataInputStream(socket.getInputStream());
      var out = new DataOutputStream(socket.getOutputStream());
      begin(in, out);
      while (!socket.isClosed()) {
        readFrame(socket, in, out);
      }
    } catch (IOException over) {
      // The client has gone, or the test is over.
    } finally {
      open.remove(socket);
    }
  }

  private static void begin(DataInputStream in, DataOutputStream out) throws IOException {
    write(out, SETTINGS, 0, 0, new byte[0]);
    in.readNBytes(24); // the preface
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
      script.answer(arrives(), new Stream(socket, out, id));
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
