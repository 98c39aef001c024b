package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUriTest {

  /** Fails if the client's handshake would need another thread. */
  private static RedisCredentials credentials(RedisURI uri) {
    return assertInstanceOf(ImmediateRedisCredentialsProvider.class, uri.getCredentialsProvider())
        .resolveCredentialsNow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://app:p%40%3A@localhost:6379/2",
        "rediss://app:p%40%3A@localhost",
        "redis-sentinel://app:p%40%3A@localhost:26379,other:26379/0#name"
      })
  void theUserAndThePasswordAreKnownAtOnce(String text) {
    RedisCredentials known = credentials(ServerUri.parse(text));
    assertEquals("app", known.getUsername());
    assertArrayEquals("p@:".toCharArray(), known.getPassword());
  }

  @Test
  void aServerMayNeedNone() {
    assertFalse(credentials(ServerUri.parse("redis://localhost")).hasPassword());
  }

  @Test
  void aPasswordAloneHasNoUser() {
    RedisCredentials known = credentials(ServerUri.parse("redis://secret@localhost"));
    assertFalse(known.hasUsername());
    assertArrayEquals("secret".toCharArray(), known.getPassword());
  }
}
