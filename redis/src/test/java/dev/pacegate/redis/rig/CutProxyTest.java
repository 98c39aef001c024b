package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CutProxyTest {

  private RedisServer redis;
  private CutProxy proxy;

  @BeforeEach
  void start() throws Exception {
    redis = RedisServer.start(Version.V6_2);
    proxy = new CutProxy(redis.port());
  }

  @AfterEach
  void close() throws Exception {
    try (var server = redis;
        var before = proxy) {
      // Closes both, whatever happens to the other.
    }
  }

  private RespConnection connect() throws IOException {
    return new RespConnection(socket(60_000));
  }

  private Socket socket(int millis) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(millis);
    return socket;
  }

  @Test
  void passesOn() throws Exception {
    try (var connection = connect()) {
      String value = "x".repeat(1_000_000);
      assertEquals("OK", connection.call("SET", "key", value));
      assertEquals(value, connection.call("GET", "key"));
    }
    assertEquals("redis://127.0.0.1:" + proxy.port(), proxy.uri(redis));
  }

  @Test
  void delaysEachWay() throws Exception {
    try (var connection = connect()) {
      proxy.delay(Duration.ofMillis(30), Duration.ofMillis(50));
      long start = System.nanoTime();
      connection.call("PING");
      assertTrue(System.nanoTime() - start >= Duration.ofMillis(80).toNanos());
    }
  }

  @Test
  void cutsAllAndAcceptsNewOnes() throws Exception {
    try (var connection = connect();
        var other = connect()) {
      connection.call("PING");
      other.call("PING");
      proxy.cut();
      assertThrows(IOException.class, () -> connection.call("PING"));
      assertThrows(IOException.class, () -> other.call("PING"));
    }
    try (var next = connect()) {
      assertEquals("PONG", next.call("PING"));
    }
    assertEquals(0, connectionsLeft());
  }

  private int connectionsLeft() throws InterruptedException {
    Await.until(
        "connections are forgotten", Duration.ofSeconds(60), () -> proxy.connections() == 0);
    return proxy.connections();
  }

  @Test
  void cutsInMidReply() throws Exception {
    try (var connection = connect()) {
      connection.call("PING");
      proxy.cutAfter(3);
      var cut = assertThrows(EOFException.class, () -> connection.call("SET", "key", "value"));
      assertEquals("closed after \"+OK\"", cut.getMessage());
    }
    assertEquals("value", redis.command("GET", "key"), "what the server has done");
    try (var next = connect()) {
      assertEquals("value", next.call("GET", "key"));
    }
  }

  @Test
  void cutsBeforeTheReply() throws Exception {
    try (var connection = connect()) {
      proxy.cutAfter(0);
      var cut = assertThrows(EOFException.class, () -> connection.call("INCR", "key"));
      assertEquals("closed after \"\"", cut.getMessage());
    }
    assertEquals("1", redis.command("GET", "key"));
  }

  @Test
  void refusesUntilHealed() throws Exception {
    try (var connection = connect()) {
      connection.call("PING");
      proxy.refuse();
      assertThrows(IOException.class, () -> connection.call("PING"));
      assertThrows(IOException.class, () -> connect().call("PING"));
      proxy.heal();
    }
    try (var next = connect()) {
      assertEquals("PONG", next.call("PING"));
    }
  }

  @Test
  void holdsUntilHealed() throws Exception {
    proxy.hold();
    try (var connection = new RespConnection(socket(200))) {
      assertThrows(SocketTimeoutException.class, () -> connection.call("SET", "key", "value"));
      assertEquals(0L, redis.command("EXISTS", "key"));
      proxy.heal();
      Await.until(
          "the request arrives",
          Duration.ofSeconds(60),
          () -> Objects.equals(redis.command("EXISTS", "key"), 1L));
    }
  }

  @Test
  void forgetsConnectionsWithoutAWord() throws Exception {
    Socket socket = socket(60_000);
    try (var connection = new RespConnection(socket)) {
      connection.call("PING");
      socket.setSoTimeout(200);
      proxy.forget();
      assertThrows(SocketTimeoutException.class, () -> connection.call("SET", "key", "value"));
      assertEquals(0L, redis.command("EXISTS", "key"));
      try (var next = connect()) {
        assertEquals("PONG", next.call("PING"));
      }
    }
    assertEquals(0, connectionsLeft());
  }
}
