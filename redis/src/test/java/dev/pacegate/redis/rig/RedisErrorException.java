package dev.pacegate.redis.rig;

import java.io.IOException;

/** A server's reply that is an error, such as {@code NOAUTH Authentication required.} */
public final class RedisErrorException extends IOException {

  RedisErrorException(String message) {
    super(message);
  }
}
