package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
@Timeout(180)
class ThreePodsTest {

  @Test
  void togetherTheyKeepTheLimit() throws Exception {
    RedisServer redis = startRedis();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    String uri = "redis://127.0.0.1:" + redis.ports().get(0);
    try (var server = new CountingServer();
        var one = new ThreePods(server, uri);
        var two = new ThreePods(server, uri);
        var three = new ThreePods(server, uri)) {
      List<Callable<String>> jobs = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        List.of(one, two, three).forEach(pod -> jobs.add(() -> pod.fetch("page")));
      }
      for (Future<String> answer : threads.invokeAll(jobs, 120, TimeUnit.SECONDS)) {
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

  /** A port that was free may be taken before the server has it. */
  private static RedisServer startRedis() throws Exception {
    for (int attempt = 1; ; attempt++) {
      RedisServer redis =
          RedisServer.newRedisServer()
              .port(freePort())
              .bind("127.0.0.1")
              .setting("save \"\"")
              .build();
      try {
        redis.start();
        return redis;
      } catch (IOException e) {
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  private static int freePort() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
