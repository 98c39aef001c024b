package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server of names on a port of the loopback, as much of one as tests need: it knows all names but
 * those under {@code .invalid}, at 127.0.0.1, fails at those under {@code .broken}, and answers
 * when it may.
 */
final class NameServer implements AutoCloseable {

  private static final int HEADER = 12;
  private static final int ADDRESS = 1; // the type of a question
  private static final int FAILED = 2; // a code of an answer, as is the next
  private static final int NO_SUCH_NAME = 3;

  final AtomicInteger asked = new AtomicInteger();
  private final DatagramSocket socket;
  private final BlockingQueue<DatagramPacket> held = new LinkedBlockingQueue<>();
  private boolean answers; // guarded by this

  NameServer(boolean answers) throws IOException {
    this.answers = answers;
    this.socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    var thread = new Thread(this::serve, "name-server");
    thread.setDaemon(true);
    thread.start();
  }

  String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  private void serve() {
    try {
      while (true) {
        var question = new DatagramPacket(new byte[512], 512);
        socket.receive(question);
        take(question);
        asked.incrementAndGet();
      }
    } catch (IOException closed) {
      // as the test has ended
    }
  }

  private synchronized void take(DatagramPacket question) throws IOException {
    if (answers) {
      answer(question);
    } else {
      held.add(question);
    }
  }

  /** Answers what was asked, and all that will be. */
  synchronized void answer() throws IOException {
    answers = true;
    for (DatagramPacket question = held.poll(); question != null; question = held.poll()) {
      answer(question);
    }
  }

  /** By RFC 1035, section 4.1: the question once more, and an address of that name. */
  private void answer(DatagramPacket question) throws IOException {
    byte[] asked = Arrays.copyOf(question.getData(), question.getLength());
    int code = code(text(asked));
    boolean found = code == 0 && asked[asked.length - 3] == ADDRESS;
    ByteBuffer reply = ByteBuffer.allocate(asked.length + 16).put(asked);
    reply.putShort(2, (short) (0x8180 | code));
    reply.putShort(6, (short) (found ? 1 : 0));
    if (found) {
      reply.putShort((short) (0xC000 | HEADER)).putShort((short) 1).putShort((short) 1);
      reply.putInt(60).putShort((short) 4).put(new byte[] {127, 0, 0, 1});
    }
    socket.send(new DatagramPacket(reply.array(), reply.position(), question.getSocketAddress()));
  }

  private static int code(String question) {
    if (question.contains("broken")) {
      return FAILED;
    }
    return question.contains("invalid") ? NO_SUCH_NAME : 0;
  }

  private static String text(byte[] packet) {
    return new String(packet, ISO_8859_1).toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() {
    socket.close();
  }
}
