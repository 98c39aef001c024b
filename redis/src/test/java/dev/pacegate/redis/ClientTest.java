package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.SslOptions;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of the user's own, and TLS. */
@Timeout(120)
class ClientTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String UNTRUSTED =
      "its certificate is of no authority that this program trusts";

  @Test
  void aClientOfTheUsersOwnStaysOpen() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var client = RedisClient.create(server.uri())) {
      use(client);
      use(client);
      assertEquals("PONG", client.connect().sync().ping());
    }
  }

  @Test
  @Tag("servers") // of the machine's own Redis, which speaks TLS
  void aServerWithTlsIsUsedIfItsCertificateIsTrusted() throws Exception {
    try (var server = RedisServer.with(Version.V7).tls().start();
        var client = RedisClient.create(server.uri())) {
      var refused =
          assertThrows(RedisConnectionException.class, () -> RedisLimiters.connect(server.uri()));
      assertTrue(("" + refused.getMessage()).contains(UNTRUSTED), refused::toString);
      assertInstanceOf(SSLHandshakeException.class, refused.getCause());
      client.setOptions(trusting(server));
      use(client);
    }
  }

  @Test
  void aClientThatAsksSentinelIsUsed() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var sentinel = RedisServer.with(Version.V6_2).sentinelOf(server).start();
        var client =
            RedisClient.create("redis-sentinel://127.0.0.1:" + sentinel.port() + "/0#primary")) {
      use(client);
      assertEquals("PONG", client.connect().sync().ping());
    }
  }

  @Test
  void aClientWithAPasswordStaysOpen() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).password("secret").start();
        var client = RedisClient.create(server.uri())) {
      use(client);
      assertEquals("PONG", client.connect().sync().ping());
    }
  }

  @Test
  @Tag("servers")
  void anOutageTellsThatACertificateIsNotTrusted() throws Exception {
    try (var server = RedisServer.with(Version.V7).tls().start();
        var other = RedisServer.with(Version.V7).tls().start();
        var proxy = new CutProxy(server.port());
        var client = RedisClient.create(proxy.uri(server));
        var log = new LoggedLines()) {
      client.setOptions(trusting(server));
      try (var redis = RedisLimiters.builder(client).fresh().connect()) {
        Limiter api = redis.limiter("api", "peer(1/100ms, unanswered=10ms)");
        api.acquire().answered();
        proxy.redirect(other.port());
        for (int i = 0; i < 100; i++) { // more than it may have in hand
          var unused = api.acquireAsync().thenAccept(Permit::answered);
        }
        Await.until(
            () -> "the reason is told; but " + log.with(""),
            SOON,
            () ->
                !log.with("api: the store does not answer: cannot connect: " + UNTRUSTED)
                    .isEmpty());
      }
    }
  }

  private static ClientOptions trusting(RedisServer server) {
    var certificate = SslOptions.builder().trustManager(server.certificate().toFile()).build();
    return ClientOptions.builder().sslOptions(certificate).build();
  }

  private static void use(RedisClient client) throws InterruptedException {
    try (var redis = RedisLimiters.builder(client).fresh().connect()) {
      redis.limiter("api", "peer(10/1s)").acquire().answered();
    }
  }
}
