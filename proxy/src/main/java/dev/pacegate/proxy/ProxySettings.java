package dev.pacegate.proxy;

import java.time.Duration;

/**
 * How long things may take, and how much of them may be there.
 *
 * @param maxWait the longest wait for a permit
 * @param queue how many requests may wait
 * @param perClient how many requests of one address may wait
 * @param head how long a client may take for the head of a request, also with none under way
 * @param body how long nothing may come of a body that is read before there is a permit
 * @param connect how long it may take to connect to the upstream
 * @param silence how long the upstream, and a client that sends to it, may be silent
 */
record ProxySettings(
    Duration maxWait,
    int queue,
    int perClient,
    Duration head,
    Duration body,
    Duration connect,
    Duration silence) {

  private static final Duration LONGEST = Duration.ofDays(20_000);

  static final ProxySettings STANDARD =
      new ProxySettings(
          Duration.ofSeconds(25),
          1000,
          Integer.MAX_VALUE,
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofMinutes(5));

  ProxySettings withMaxWait(Duration maxWait) {
    return new ProxySettings(maxWait, queue, perClient, head, body, connect, silence);
  }

  ProxySettings withQueue(int queue) {
    return new ProxySettings(maxWait, queue, perClient, head, body, connect, silence);
  }

  ProxySettings withPerClient(int perClient) {
    return new ProxySettings(maxWait, queue, perClient, head, body, connect, silence);
  }

  /** Bounds what clients and the upstream may take: tests do not wait for the usual times. */
  ProxySettings withTimes(Duration head, Duration body, Duration upstream) {
    return new ProxySettings(maxWait, queue, perClient, head, body, connect, upstream);
  }

  /** Bounds how long it may take to connect: tests do not wait for the usual time. */
  ProxySettings withConnect(Duration connect) {
    return new ProxySettings(maxWait, queue, perClient, head, body, connect, silence);
  }

  /**
   * Returns how long a client may take for all that is read of a body before there is a permit: a
   * byte now and then must not hold a connection for ever.
   */
  Duration bodyInAll() {
    return body.multipliedBy(20);
  }

  /** Returns how long a connection may be silent on which a request is under way. */
  Duration idle() {
    Duration rest = silence.plus(body).plusSeconds(1);
    return maxWait.compareTo(LONGEST) > 0 ? LONGEST : maxWait.plus(rest);
  }
}
