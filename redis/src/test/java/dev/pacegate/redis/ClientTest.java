package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.SslOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of the user's own, and TLS. */
@Timeout(120)
class ClientTest {

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
      assertThrows(RedisConnectionException.class, () -> RedisLimiters.connect(server.uri()));
      var trusting = SslOptions.builder().trustManager(server.certificate().toFile()).build();
      client.setOptions(ClientOptions.builder().sslOptions(trusting).build());
      use(client);
    }
  }

  private static void use(RedisClient client) throws InterruptedException {
    try (var redis = RedisLimiters.builder(client).fresh().connect()) {
      redis.limiter("api", "peer(10/1s)").acquire().answered();
    }
  }
}
