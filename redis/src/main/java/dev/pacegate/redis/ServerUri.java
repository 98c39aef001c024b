package dev.pacegate.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;

/** Reads the address of a server. */
final class ServerUri {

  private ServerUri() {}

  /**
   * Returns the address, with the user and password that it names, if any.
   *
   * @throws IllegalArgumentException if this is no such address
   */
  static RedisURI parse(String text) {
    RedisURI uri = RedisURI.create(text);
    // For a password from a text, Lettuce 7.7 goes on with its handshake on another thread. It may
    // then report a wrong one only as "Connection closed prematurely".
    uri.setCredentialsProvider(
        new StaticCredentialsProvider(
            uri.getCredentialsProvider().resolveCredentials().toFuture().join()));
    return uri;
  }
}
