package dev.pacegate.redis.contest;

/** A limiter that processes share, as one of them uses it. Used by several threads. */
interface Contender extends AutoCloseable {

  /** A request to the peer, which returns when it is answered. */
  interface Request {
    void send() throws Exception;
  }

  /**
   * Waits for a permit and then sends the request. What has to be told when the request has ended
   * is told before this returns.
   */
  void call(Request request) throws Exception;
}
