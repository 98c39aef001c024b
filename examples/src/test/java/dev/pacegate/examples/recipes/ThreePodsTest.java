package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.embedded.RedisServer;

/** Three clients of Redis, as three pods are, before one server. */
@Timeout(60)
class ThreePodsTest {

  @Test
  void togetherTheyKeepTheLimit() throws Exception {
    int port = freePort();
    RedisServer redis =
        RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    redis.start();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    String uri = "redis://127.0.0.1:" + port;
    try (var server = new CountingServer();
        var one = new ThreePods(server, uri);
        var two = new ThreePods(server, uri);
        var three = new ThreePods(server, uri)) {
      List<Callable<String>> jobs = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        List.of(one, two, three).forEach(pod -> jobs.add(() -> pod.fetch("page")));
      }
      for (Future<String> answer : threads.invokeAll(jobs, 40, TimeUnit.SECONDS)) {
        assertEquals("sent page", answer.get());
      }
      server.assertKept("peer(10/1s)");
      for (ThreePods pod : List.of(one, two, three)) {
        assertTrue(pod.api.snapshot().granted() > 0);
        assertEquals(0, pod.api.snapshot().open());
        assertEquals(0, pod.api.snapshot().waiting());
      }
    } finally {
      threads.shutdownNow();
      redis.stop();
    }
  }

  private static int freePort() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
