package dev.pacegate.redis.contest;

/** A limiter that processes share, as one of them uses it. Used by several threads. */
interface Contender extends AutoCloseable {

  /**
   * The number of a sender that the peer is told is that of the process, times this, and the key.
   */
  int KEYS = 100;

  /** Stands for the instant at which a request was queued. */
  long QUEUED = 0;

  /** A request to the peer, which returns when it is answered. */
  interface Request {
    default void send() throws Exception {
      send(0, QUEUED);
    }

    /**
     * Sends it for one of {@link #KEYS} keys, by which the peer knows it too.
     *
     * @param since an instant that the peer is told in place of that at which it was queued
     */
    void send(int key, long since) throws Exception;
  }

  /**
   * Waits for a permit and then sends the request. What has to be told when the request has ended
   * is told before this returns.
   */
  void call(Request request) throws Exception;
}
