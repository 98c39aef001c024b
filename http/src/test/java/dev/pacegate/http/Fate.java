package dev.pacegate.http;

import dev.pacegate.adapter.tck.RawServer;

/** What may become of a request of HTTP/1.1. */
enum Fate implements RawServer.ServerScript {
  CLOSED((request, connection) -> connection.close()),
  RESET((request, connection) -> connection.reset()),
  HALF_CLOSED((request, connection) -> connection.socket().shutdownOutput()),
  NEVER_ANSWERED((request, connection) -> Thread.sleep(500)), // longer than anybody waits
  LATE(
      (request, connection) -> {
        Thread.sleep(40); // too late for some
        connection.ok("late");
      }),
  RESET_IN_THE_STATUS(
      (request, connection) -> {
        connection.write("HTTP/1.1 2");
        connection.reset();
      }),
  BROKEN_BODY(
      (request, connection) -> {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal");
        connection.close();
      }),
  BODY_UNTIL_THE_END(
      (request, connection) -> {
        connection.write("HTTP/1.1 200 OK\r\n\r\nx");
        connection.socket().shutdownOutput();
      }),
  CHUNKS(
      (request, connection) -> {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
        Thread.sleep(3); // so that it is a segment of its own
        connection.write("0\r\n\r\n");
      }),
  TRICKLE(
      (request, connection) -> {
        for (char c : "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".toCharArray()) {
          connection.write(String.valueOf(c));
          Thread.sleep(1); // so that each is a segment of its own
        }
      }),
  ONLY_INTERIM(
      (request, connection) -> {
        connection.write("HTTP/1.1 102 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n");
        Thread.sleep(500); // longer than anybody waits
      }),
  NEGATIVE_LENGTH(
      (request, connection) -> {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n");
        connection.close(); // as long as it is open the JDK's client waits for a body
      }),
  NO_HTTP((request, connection) -> connection.write("no HTTP at all\r\n\r\n")),
  REDIRECT((request, connection) -> connection.status(302, "Location: /")),
  REDIRECT_TO_NOWHERE((request, connection) -> connection.status(302, "Location: http://[")),
  CHALLENGE((request, connection) -> connection.status(401, "WWW-Authenticate: Basic")),
  REFUSAL_FOR_EVER(
      (request, connection) ->
          connection.status(429, "retry-after: -1", "RETRY-AFTER: " + "9".repeat(5_000))),
  REFUSAL_UNTIL_THE_PAST(
      (request, connection) ->
          connection.status(429, "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT")),
  REFUSAL_WITH_GARBAGE(
      (request, connection) ->
          connection.status(
              503,
              "X-RateLimit-Remaining: x",
              "x-ratelimit-remaining: -1",
              "RateLimit: \"a;r=-1;t=\"",
              "Retry-After: 1e400")),
  ANSWER((request, connection) -> connection.ok("hello"));

  @SuppressWarnings("ImmutableEnumChecker") // the scripts know nothing but their arguments
  private final RawServer.ServerScript script;

  Fate(RawServer.ServerScript script) {
    this.script = script;
  }

  /** Returns the one of that number; of every three numbers one stands for an answer. */
  static Fate any(int number) {
    return number % 3 == 0 ? ANSWER : values()[number / 3];
  }

  @Override
  public void answer(RawServer.Received request, RawServer.Connection connection) throws Exception {
    script.answer(request, connection);
  }
}
