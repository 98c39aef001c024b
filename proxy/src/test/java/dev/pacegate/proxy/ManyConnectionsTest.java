package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import dev.pacegate.Limiter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;

/** Four thousand connections that do nothing, or whose requests wait. */
@Tag("heavy")
@Timeout(600)
class ManyConnectionsTest {

  private static final int MANY = 4000;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final long WINDOW_NANOS = 100_000_000;

  private final ConcurrentLinkedQueue<Long> instants = new ConcurrentLinkedQueue<>();

  private ProxyRig rig(String limit, Duration idle) {
    return new ProxyRig(
        Limiter.of(limit),
        this::answer,
        options -> options.times(idle, LONG).maxWait(LONG).maxWaiting(MANY));
  }

  private void answer(HttpExchange exchange) throws IOException {
    instants.add(System.nanoTime());
    ProxyRig.answer(exchange, 200, "ok");
  }

  private void assertNeverMoreThan(int most) {
    long[] sorted = instants.stream().mapToLong(Long::longValue).sorted().toArray();
    for (int i = most; i < sorted.length; i++) {
      assertTrue(sorted[i] - sorted[i - most] >= WINDOW_NANOS, "at " + i);
    }
  }

  /** Half of them have had an answer, the others have never said a word. */
  @Test
  void idleOnesAreSmallAndHoldNothingUp() throws Exception {
    try (var rig = rig("peer(20/100ms)", LONG)) {
      assertEquals(200, rig.get("/").statusCode());
      long before = ProxyMemoryTest.used();
      List<SocketChannel> idle = connect(rig);
      rig.limiter.pause();
      List<SocketChannel> speaking = idle.subList(0, MANY / 2);
      for (SocketChannel speaks : speaking) {
        write(speaks, "GET / HTTP/1.1\r\nHost: a\r\nPacegate-Max-Wait: 1ms\r\n\r\n");
      }
      for (SocketChannel spoken : speaking) {
        assertEquals("HTTP/1.1 429", status(spoken));
      }
      rig.limiter.resume();
      if (OS.LINUX.isCurrentOs()) {
        assertTrue(KernelSockets.ESTABLISHED.to(rig.proxy.address().getPort()) >= MANY);
      }
      long each = (ProxyMemoryTest.used() - before) / MANY;
      assertTrue(each < 32 * 1024, each + " bytes for each");
      var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
      for (int i = 0; i < 100; i++) {
        var request = HttpRequest.newBuilder(rig.uri("/" + i)).timeout(LONG).build();
        answers.add(rig.client.sendAsync(request, BodyHandlers.discarding()));
      }
      for (var answer : answers) {
        assertEquals(200, answer.get().statusCode());
      }
      assertEquals(101, rig.arrived.get());
      assertNeverMoreThan(20);
      close(idle);
      rig.atRest();
    }
  }

  @Test
  void idleOnesAreClosed() throws Exception {
    try (var rig = rig("peer(20/100ms)", Duration.ofSeconds(1))) {
      for (SocketChannel idle : connect(rig)) {
        assertEquals(-1, idle.read(ByteBuffer.allocate(1)));
        idle.close();
      }
      assertEquals(200, rig.get("/").statusCode());
      rig.atRest();
    }
  }

  /** Each fourth client stays until its turn comes. The upstream keeps 200 connections at most. */
  @Test
  void thoseThatWaitAreSentOnceAndThoseThatGoAreNot() throws Exception {
    try (var rig = rig("peer(150/100ms)", LONG)) {
      rig.limiter.pause();
      List<SocketChannel> clients = connect(rig);
      for (int i = 0; i < MANY; i++) {
        write(clients.get(i), "GET /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n");
      }
      awaitWaiting(rig, MANY);
      for (int i = 0; i < MANY; i++) {
        if (i % 4 != 0) {
          clients.get(i).close();
        }
      }
      awaitWaiting(rig, MANY / 4);
      rig.limiter.resume();
      for (int i = 0; i < MANY; i += 4) {
        assertEquals("HTTP/1.1 200", status(clients.get(i)), "of " + i);
      }
      rig.atRest();
      assertEquals(MANY / 4, rig.arrived.get());
      assertEquals(MANY / 4, new HashSet<>(rig.targets).size());
      assertNeverMoreThan(150);
      close(clients);
    }
  }

  private static void awaitWaiting(ProxyRig rig, int requests) throws InterruptedException {
    while (rig.limiter.snapshot().waiting() != requests) {
      Thread.sleep(5); // polls: so many may take a busy machine longer than others
    }
  }

  private static List<SocketChannel> connect(ProxyRig rig) throws IOException {
    var to = new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.proxy.address().getPort());
    var clients = new ArrayList<SocketChannel>();
    for (int i = 0; i < MANY; i++) {
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

  private static String status(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(12);
    while (bytes.hasRemaining() && client.read(bytes) >= 0) {
      // as far as the status
    }
    return new String(bytes.array(), 0, bytes.position(), US_ASCII);
  }

  private static void close(List<SocketChannel> clients) throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
  }
}
