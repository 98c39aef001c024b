package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures what docs/proxy-routes.md says of memory: the heap and Netty's buffers, with the
 * client's end of each connection, which is in the same process here.
 */
@Tag("slow")
class ProxyMemoryTest {

  private static final int COUNT = 1000;
  private static final int LARGE_COUNT = 200;

  private static final String FILE =
      "limits: {api: starts(1/1h)}\nroutes: [{match: {path: /wait}, limit: api}]\n";

  @Test
  void connectionsAndRequestsThatWaitAreSmall() throws Exception {
    try (var rig = new RoutedRig(FILE, Duration.ofDays(1000))) {
      rig.get("/wait");
      long before = used();
      List<SocketChannel> clients = connect(rig, COUNT);
      for (SocketChannel client : clients) {
        write(client, "GET /wait HTTP/1.1\r\nHost: a\r\nPacegate-Max-Wait: 1ms\r\n\r\n");
        readAnswer(client);
      }
      long idle = used();
      for (SocketChannel client : clients) {
        write(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
      }
      ProxyRig.eventually(() -> rig.limiter("api").snapshot().waiting() == COUNT);
      long waiting = used();
      tell("a connection", idle - before, COUNT, 32);
      tell("a request that waits", waiting - idle, COUNT, 32);
      close(clients);
      rig.atRest();
    }
  }

  @Test
  void aBodyThatIsReadAheadIsBounded() throws Exception {
    try (var rig = new RoutedRig(FILE, Duration.ofDays(1000))) {
      rig.get("/wait");
      long before = used();
      List<SocketChannel> clients = connect(rig, LARGE_COUNT);
      String body = "x".repeat(ClientBody.MOST_AHEAD);
      for (SocketChannel client : clients) {
        write(client, "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n" + body);
      }
      ProxyRig.eventually(() -> rig.limiter("api").snapshot().waiting() == LARGE_COUNT);
      tell("a connection with a large body that waits", used() - before, LARGE_COUNT, 320);
      close(clients);
      rig.atRest();
    }
  }

  static long used() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(50); // what the collector hands over is cleared by a thread of its own
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory()
        - runtime.freeMemory()
        + Math.max(0, PlatformDependent.usedDirectMemory());
  }

  private static void tell(String what, long bytes, int count, int mostKilobytes) {
    double kilobytes = bytes / 1024.0 / count;
    System.out.printf(Locale.ROOT, "%s: %.1f KB%n", what, kilobytes);
    assertTrue(kilobytes < mostKilobytes, what + " takes " + kilobytes + " KB");
  }

  private static List<SocketChannel> connect(RoutedRig rig, int count) throws IOException {
    var to = new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.proxy.address().getPort());
    var clients = new ArrayList<SocketChannel>();
    for (int i = 0; i < count; i++) {
      clients.add(SocketChannel.open(to));
    }
    return clients;
  }

  private static void write(SocketChannel client, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(US_ASCII));
    while (bytes.hasRemaining()) {
      client.write(bytes);
    }
  }

  private static void readAnswer(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    String answer;
    do {
      client.read(bytes);
      answer = new String(bytes.array(), 0, bytes.position(), US_ASCII);
    } while (!answer.matches("(?s).*\r\n\r\npacegate: .*\n"));
  }

  private static void close(List<SocketChannel> clients) throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
  }
}
