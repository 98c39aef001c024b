package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that two programs might read differently, and what becomes of each. */
class HostileRequestsTest {

  /**
   * A request as it is on the wire, without the last empty line.
   *
   * @param status the status line's number; 0 if the connection is closed without an answer
   * @param arrived how many requests the upstream gets
   */
  private record Case(String head, String body, int status, int arrived) {}

  private static final String H = "Host: x\r\nConnection: close\r\n";

  private static final String OFFER_OF_H2C =
      String.join(
          "\r\n",
          "GET / HTTP/1.1",
          "Host: x",
          "Upgrade: h2c",
          "HTTP2-Settings: AA",
          "Connection: Upgrade, HTTP2-Settings",
          "");

  private static final List<Case> CASES =
      List.of(
          new Case("GET / HTTP/1.1\r\n" + H, "", 200, 1),
          new Case(
              "POST / HTTP/1.1\r\n" + H + "Content-Length: 4\r\nContent-Length: 5\r\n",
              "abcd",
              400,
              0),
          new Case("POST / HTTP/1.1\r\n" + H + "Content-Length: +4\r\n", "abcd", 400, 0),
          new Case("POST / HTTP/1.1\r\n" + H + "Content-Length: 4, 5\r\n", "abcd", 400, 0),
          new Case("POST / HTTP/1.1\r\n" + H + "Content-Length: -1\r\n", "", 400, 0),
          new Case(
              "POST / HTTP/1.1\r\n" + H + "Transfer-Encoding: gzip, chunked\r\n",
              "0\r\n\r\n",
              501,
              0),
          new Case(
              "POST / HTTP/1.0\r\n" + H + "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", 400, 0),
          new Case(
              "POST / HTTP/1.1\r\n" + H + "Transfer-Encoding: chunked\r\n", "zz\r\n\r\n", 0, 0),
          new Case(
              "POST / HTTP/1.1\r\n" + H + "Transfer-Encoding: chunked\r\n",
              "4;a=b\r\nabcd\r\n0\r\n\r\n",
              200,
              1),
          new Case("GET http://other/ HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET other:80 HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("CONNECT other:80 HTTP/1.1\r\n" + H, "", 501, 0),
          new Case("GET /a/../b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a/%2e%2E/b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a/..;x/b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a\\b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a%5cb HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a%00b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a%zzb HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a%2f..%2fb HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a/..%3bx/b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /\u00e9 HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /?x=\u00e9 HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /?x=\u0001 HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a#b HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET /a?b#c HTTP/1.1\r\n" + H, "", 400, 0),
          new Case("GET / HTTP/1.1\r\nConnection: close\r\n", "", 400, 0),
          new Case("GET / HTTP/1.0\r\n", "", 200, 1),
          new Case(
              "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n", "abcd", 200, 1),
          new Case(
              "POST /a HTTP/1.1\r\n" + H + "Content-Length: 60\r\nTransfer-Encoding: chunked\r\n",
              "0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: x\r\n\r\n",
              400,
              0),
          new Case("GET /a%2Fb..c/...?x=/../ HTTP/1.1\r\n" + H, "", 200, 1),
          new Case("GET / HTTP/1.1\r\nHost: x\r\n" + H, "", 400, 0),
          new Case(
              "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
              "",
              501,
              0),
          new Case(OFFER_OF_H2C, "", 200, 1),
          new Case("GET /" + "a".repeat(40_000) + " HTTP/1.1\r\n" + H, "", 414, 0),
          new Case("GET / HTTP/1.1\r\n" + H + "X: " + "a".repeat(40_000) + "\r\n", "", 431, 0));

  @Test
  void eachIsAnsweredAsTheTableSays() throws Exception {
    var wrong = new ArrayList<String>();
    for (Case request : CASES) {
      try (var rig =
          new ProxyRig(
              Limiter.of("1000/1s"),
              exchange -> ProxyRig.answer(exchange, 200, "ok"),
              options -> options.times(Duration.ofMillis(500), Duration.ofSeconds(5)))) {
        String answer = rig.raw(request.head() + "\r\n" + request.body());
        String status = answer.isEmpty() ? "0" : answer.split(" ", 3)[1];
        if (!status.equals("" + request.status()) || rig.arrived.get() != request.arrived()) {
          wrong.add(
              status
                  + " "
                  + rig.arrived.get()
                  + " of "
                  + request.status()
                  + " "
                  + request.arrived()
                  + ": "
                  + request.head().substring(0, Math.min(90, request.head().length())));
        }
        rig.atRest();
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  @Test
  void aClientThatSendsNoWholeHeadIsClosed() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("1000/1s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.times(Duration.ofMillis(300), Duration.ofSeconds(5)))) {
      assertEquals("", rig.raw("GET / HT"));
      assertEquals("", rig.raw("GET / HTTP/1.1\r\nHost: x\r\nX: "));
      String late = rig.raw("POST / HTTP/1.1\r\n" + H + "Content-Length: 10\r\n\r\nabc");
      assertTrue(late.startsWith("HTTP/1.1 408 "), late);
      assertEquals(0, rig.arrived.get());
      rig.atRest();
    }
  }

  /** The second one waits for longer than a head may take. */
  @Test
  void aRequestThatWaitsIsNotTakenForASilentClient() throws Exception {
    try (var rig =
        new ProxyRig(
            Limiter.of("1/2s"),
            exchange -> ProxyRig.answer(exchange, 200, "ok"),
            options -> options.times(Duration.ofMillis(300), Duration.ofSeconds(5)))) {
      for (int i = 0; i < 2; i++) {
        String answer = rig.raw("GET / HTTP/1.1\r\n" + H + "\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
      }
      rig.atRest();
    }
  }

  @Test
  void headersOfOneConnectionDoNotPass() throws Exception {
    var seen = new ArrayList<String>();
    try (var rig =
        new ProxyRig(
            Limiter.of("1000/1s"),
            exchange -> {
              seen.addAll(exchange.getRequestHeaders().keySet());
              ProxyRig.answer(exchange, 200, "ok");
            },
            options -> options.times(Duration.ofMillis(500), Duration.ofSeconds(5)))) {
      rig.raw(
          String.join(
              "\r\n",
              "GET / HTTP/1.1",
              "Host: x",
              "Connection: close, X-Secret",
              "X-Secret: 1",
              "Keep-Alive: 1",
              "TE: trailers",
              "Proxy-Authorization: b",
              "X-Forwarded-For: 10.0.0.1",
              "Forwarded: for=a",
              "X-Own: 1",
              "Authorization: c",
              "",
              ""));
      assertEquals(1, rig.arrived.get());
      seen.removeAll(List.of("Host", "X-own", "Authorization", "Connection"));
      assertEquals(List.of(), seen);
    }
  }
}
