package dev.pacegate.proxy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.EmptyHttp2Headers;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A client of HTTP/2, frame by frame: it can send what no other client would. */
final class H2Wire implements AutoCloseable {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RESET = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GO_AWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;
  private static final int ACK = 1;
  private static final int PRIORITY = 32;
  private static final int WINDOW = 65_535;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  /** What came back on a stream. */
  static final class Answer {
    Http2Headers head = EmptyHttp2Headers.INSTANCE;
    Http2Headers trailers = EmptyHttp2Headers.INSTANCE;
    final ByteArrayOutputStream body = new ByteArrayOutputStream();
    int continues;
    long received;
    boolean ended;
    boolean headOnly; // the end came with the head
    long reset = -1;

    boolean over() {
      return ended || reset >= 0;
    }

    String status() {
      return String.valueOf(head.status());
    }

    String text() {
      return body.toString(StandardCharsets.UTF_8);
    }
  }

  final Socket socket;
  final Map<Integer, Answer> answers = new HashMap<>();
  boolean takes = true; // whether what was read is made room for
  boolean keeps = true; // whether bodies are kept
  long goAway = -1;
  int lastStream = -1;
  boolean closed;
  private boolean pinged; // the answer to a ping has come
  private final Map<Integer, Integer> spent = new HashMap<>(); // of what may be sent
  private final DataInputStream in;
  private final DataOutputStream out;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);

  /** Connects, and sends the preface and settings. */
  H2Wire(ProxyRig rig, byte... settings) throws IOException {
    this(rig.proxy.address().getPort(), settings);
  }

  H2Wire(int port, byte... settings) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
    out.writeBytes(PREFACE);
    frame(SETTINGS, 0, 0, settings);
  }

  private H2Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = new DataOutputStream(socket.getOutputStream());
  }

  /** Sends one; what the other end does not take any more is not an error. */
  void frame(int type, int flags, int stream, byte... payload) {
    try {
      byte[] frame = bytes(type, flags, stream, payload);
      out.write(frame);
    } catch (IOException gone) {
      closed = true;
    }
  }

  static byte[] bytes(int type, int flags, int stream, byte... payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .putShort((short) (payload.length >> 8))
        .put((byte) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  /** Sends bytes as they are. */
  void raw(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException gone) {
      closed = true;
    }
  }

  /** Returns names and values as HPACK writes them at full length. */
  static byte[] block(String... fields) {
    var block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      block.write(0);
      text(block, fields[i]);
      text(block, fields[i + 1]);
    }
    return block.toByteArray();
  }

  private static void text(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < 127) {
      block.write(bytes.length);
    } else {
      block.write(127);
      int left = bytes.length - 127;
      for (; left >= 128; left /= 128) {
        block.write(left % 128 + 128);
      }
      block.write(left);
    }
    block.writeBytes(bytes);
  }

  static String[] fields(String method, String path, String... more) {
    String[] first = {":method", method, ":scheme", "http", ":authority", "x", ":path", path};
    var all = Arrays.copyOf(first, first.length + more.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return all;
  }

  void get(int stream, String path, String... more) {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, block(fields("GET", path, more)));
  }

  void post(int stream, String path, String... more) {
    frame(HEADERS, END_HEADERS, stream, block(fields("POST", path, more)));
  }

  void data(int stream, boolean last, byte... part) {
    frame(DATA, last ? END_STREAM : 0, stream, part);
  }

  void reset(int stream, int code) {
    frame(RESET, 0, stream, ByteBuffer.allocate(4).putInt(code).array());
  }

  void window(int stream, int more) {
    frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(more).array());
  }

  /** Sends a body as fast as the other end makes room for it. */
  void upload(int stream, int size, boolean last) throws IOException {
    int left = size;
    while (left > 0 && !closed) {
      readUntil(() -> room(stream) > 0 || answer(stream).over());
      if (answer(stream).over()) {
        return;
      }
      int part = Math.min(left, Math.min(room(stream), 16_384));
      left -= part;
      spent.merge(0, part, Integer::sum);
      spent.merge(stream, part, Integer::sum);
      data(stream, last && left == 0, new byte[part]);
    }
  }

  private int room(int stream) {
    return WINDOW - Math.max(spent.getOrDefault(0, 0), spent.getOrDefault(stream, 0));
  }

  Answer answer(int stream) {
    return answers.computeIfAbsent(stream, first -> new Answer());
  }

  /** Reads until then, or until the connection is closed. */
  void readUntil(BooleanSupplier reached) throws IOException {
    while (!closed && !reached.getAsBoolean()) {
      readOne();
    }
  }

  /** Returns once the proxy has read all that was sent. */
  void awaitRead() throws IOException {
    pinged = false;
    frame(PING, 0, 0, new byte[8]);
    readUntil(() -> pinged);
  }

  /** Returns what became of a stream: a status, or how it or the connection was ended. */
  String outcome(int stream) throws IOException {
    Answer answer = answer(stream);
    readUntil(() -> answer.over() || goAway > 0);
    if (answer.ended) {
      return answer.status();
    } else if (answer.reset >= 0) {
      return "reset " + answer.reset;
    }
    return goAway > 0 ? "goaway " + goAway : "closed";
  }

  void readOne() throws IOException {
    try {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt() & Integer.MAX_VALUE;
      take(type, flags, stream, in.readNBytes(length));
    } catch (EOFException | SocketException end) {
      closed = true;
    }
  }

  private void take(int type, int flags, int stream, byte[] payload) {
    switch (type) {
      case DATA -> {
        Answer answer = answer(stream);
        answer.received += payload.length;
        if (keeps) {
          answer.body.writeBytes(payload);
        }
        if (takes && payload.length > 0) {
          window(0, payload.length);
          window(stream, payload.length);
        }
        answer.ended |= (flags & END_STREAM) != 0;
      }
      case HEADERS -> {
        int begin = (flags & PRIORITY) == 0 ? 0 : 5;
        byte[] block = Arrays.copyOfRange(payload, begin, payload.length);
        head(stream, block, (flags & END_STREAM) != 0);
      }
      case RESET -> answer(stream).reset = ByteBuffer.wrap(payload).getInt();
      case GO_AWAY -> {
        lastStream = ByteBuffer.wrap(payload).getInt();
        goAway = ByteBuffer.wrap(payload).getInt(4);
      }
      case SETTINGS, PING -> {
        pinged |= type == PING && (flags & ACK) != 0;
        if ((flags & ACK) == 0) {
          frame(type, ACK, 0, type == PING ? payload : new byte[0]);
        }
      }
      case WINDOW_UPDATE -> spent.merge(stream, -ByteBuffer.wrap(payload).getInt(), Integer::sum);
      default -> {}
    }
  }

  private void head(int stream, byte[] block, boolean end) {
    Answer answer = answer(stream);
    Http2Headers fields = decoded(stream, block);
    if ("100".contentEquals(String.valueOf(fields.status()))) {
      answer.continues++;
    } else if (answer.head.isEmpty()) {
      answer.head = fields;
      answer.headOnly = end;
    } else {
      answer.trailers = fields;
    }
    answer.ended |= end;
  }

  private Http2Headers decoded(int stream, byte[] block) {
    try {
      return decoder.decodeHeaders(stream, Unpooled.wrappedBuffer(block));
    } catch (Http2Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
