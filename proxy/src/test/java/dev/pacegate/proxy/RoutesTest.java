package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each request keeps the limit of the first route that matches it. */
class RoutesTest {

  @Test
  void theFirstRouteThatMatchesDecides() throws Exception {
    try (var rig =
        new RoutedRig(
            """
            limits: {one: starts(1/1h), two: starts(2/1h)}
            routes:
            - match: {path: /v1/chat}
              limit: one
            - match: {path: /v1/*}
              limit: two
            """)) {
      assertEquals(200, rig.get("/v1/chat?a=b"));
      assertEquals(429, rig.get("/v1/chat"));
      assertEquals(200, rig.get("/v1/models"));
      assertEquals(200, rig.get("/v1/chat/more"));
      assertEquals(429, rig.get("/v1/models"));
      assertEquals(List.of("GET /v1/chat?a=b", "GET /v1/models", "GET /v1/chat/more"), rig.arrived);
      rig.atRest();
    }
  }

  @Test
  void routesThatNameTheSameLimitShareIt() throws Exception {
    try (var rig =
        new RoutedRig(
            """
            limits: {api: starts(3/1h)}
            routes:
            - {match: {path: /a}, limit: api}
            - {match: {path: /b}, limit: api}
            """)) {
      assertEquals(200, rig.get("/a"));
      assertEquals(200, rig.get("/b"));
      assertEquals(200, rig.get("/a"));
      assertEquals(429, rig.get("/b"));
      assertEquals(429, rig.get("/a"));
      assertEquals(3, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void aRequestThatNoRouteMatchesIsNotSent() throws Exception {
    try (var rig =
        new RoutedRig(
            """
            limits: {api: starts(1/1h)}
            routes:
            - {match: {path: /secret/place}, limit: api}
            """)) {
      HttpResponse<String> refused =
          rig.client.send(
              rig.request("/secret/plaice").POST(BodyPublishers.ofString("body")).build(),
              BodyHandlers.ofString());
      assertEquals(404, refused.statusCode());
      assertEquals("pacegate: no route matches the request\n", refused.body());
      assertEquals(List.of(), rig.arrived);
      assertEquals(1, rig.proxy.rejected().get(404));
      ProxyRig.eventually(() -> !rig.log.isEmpty());
      assertFalse(rig.log.get(0).contains("secret"), rig.log::toString);
      assertEquals(200, rig.get("/secret/place"), "nothing was charged");
      rig.atRest();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{host: a.example.com} | GET / | a.example.com:80 | 200",
        "{host: a.example.com} | GET / | A.Example.com | 200",
        "{host: a.example.com} | GET / | b.a.example.com | 404",
        "{host: a.example.com} | GET / | a.example.com. | 200",
        "{host: a.example.com.} | GET / | a.example.com | 200",
        "{host: '[::1]'} | GET / | [::1]:80 | 200",
        "{host: a.example.com} | GET / | %61.example.com | 400",
        "{path: '/*'} | GET / | u@a.example.com | 400",
        "{path: '/*'} | GET / | a b | 400",
        "{path: '/*'} | GET / | a:99999 | 400",
        "{path: '/*'} | GET / | %61 | 400",
        "{host: '*.example.com'} | GET / | b.a.example.com | 200",
        "{host: '*.example.com'} | GET / | example.com | 404",
        "{host: '*.example.com'} | GET / | badexample.com | 404",
        "{method: POST} | GET / | a | 404",
        "{method: [POST, GET]} | GET / | a | 200",
        "{path: /v1/chat} | GET /v1/chat/ | a | 404",
        "{path: /v1/chat} | GET /v1/%63hat | a | 200",
        "{path: /v1/chat} | GET //v1///chat | a | 200",
        "{path: /v1/chat} | GET /v1%2Fchat | a | 404",
        "{path: '/m:go'} | GET /m%3Ago | a | 200",
        "{path: '/m@$!&()+,;=go'} | GET /m%40%24%21%26%28%29%2b%2C%3b%3Dgo | a | 200",
        "{path: '/a%2Fb'} | GET /a%2fb | a | 200",
        "{path: '/a%C3%A9'} | GET /a%c3%a9 | a | 200",
        "{path: /v1*} | GET /v1 | a | 200",
        "{path: /v1/*} | GET /v1 | a | 404",
        "{path: '/*'} | OPTIONS * | a | 404",
        "{headers: {X-Team: red}} | GET / | red | 200",
        "{headers: {x-team: red}} | GET / | blue | 404",
        "{headers: {X-Team: '*'}} | GET / | blue | 200",
        "{headers: {X-Other: '*'}} | GET / | blue | 404",
        "{method: GET, path: /a, headers: {X-Team: red}} | GET /b | red | 404"
      })
  void matchesByHostPathMethodAndHeaders(String match, String line, String named, int status)
      throws Exception {
    try (var rig =
        new RoutedRig("limits: {api: unlimited}\nroutes: [{match: " + match + ", limit: api}]")) {
      String answer =
          rig.raw(
              line
                  + " HTTP/1.1\r\nHost: "
                  + named
                  + "\r\nX-Team: "
                  + named
                  + "\r\nConnection: close\r\n\r\n");
      assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
      assertEquals(status == 200 ? 1 : 0, rig.arrived.size());
    }
  }

  @Test
  void aRouteMayHaveAnUpstreamOfItsOwn() throws Exception {
    try (var rig =
        new RoutedRig(
            """
            to: http://127.0.0.1:1
            limits: {api: starts(5/1h)}
            routes:
            - {match: {path: /here}, limit: api, to: UPSTREAM/base/}
            - limit: api
            """)) {
      assertEquals(200, rig.get("/here"));
      assertEquals(502, rig.get("/there"));
      assertEquals(List.of("GET /base/here"), rig.arrived);
      rig.atRest();
    }
  }

  @Test
  void aLimitMayBePerKey() throws Exception {
    try (var rig =
        new RoutedRig(
            """
            limits:
              each: {limit: starts(1/1h), key: header:X-Api-Key, within: starts(2/1h)}
            routes: [{limit: each}]
            """)) {
      assertEquals(200, rig.get("/", "X-Api-Key", "a"));
      assertEquals(429, rig.get("/", "X-Api-Key", "a"));
      assertEquals(200, rig.get("/", "X-Api-Key", "b"));
      assertEquals(429, rig.get("/", "X-Api-Key", "c"));
      assertEquals(2, rig.arrived.size());
      rig.atRest();
    }
  }
}
