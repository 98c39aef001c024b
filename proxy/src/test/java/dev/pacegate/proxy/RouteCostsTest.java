package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request costs is known before its permit, or it is refused. */
class RouteCostsTest {

  private static RoutedRig rig(String limit, String cost) throws Exception {
    return new RoutedRig(
        "limits: {api: starts(" + limit + ")}\nroutes: [{limit: api, cost: '" + cost + "'}]\n");
  }

  @Test
  void aRequestMayCostMoreThanOne() throws Exception {
    try (var rig = rig("5/1h", "2")) {
      assertEquals(200, rig.get("/"));
      assertEquals(200, rig.get("/"));
      assertEquals(429, rig.get("/"), "one is left");
      assertEquals(2, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void aHeaderMayStateTheCost() throws Exception {
    try (var rig = rig("5/1h", "header:X-Cost")) {
      assertEquals(200, rig.get("/", "X-Cost", "4"));
      assertEquals(429, rig.get("/", "X-Cost", "2"));
      assertEquals(200, rig.get("/"), "without the header it costs 1");
      assertEquals(429, rig.get("/"));
      assertEquals(2, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void aRefusalTellsTheWaitOfThatCost() throws Exception {
    String text = "limits: {api: starts(1000/1h)}\nroutes: [{limit: api, cost: header:X-Cost}]\n";
    try (var rig = new RoutedRig(text, Duration.ofDays(1), 0)) {
      assertEquals(200, rig.get("/"));
      var refused =
          rig.client.send(
              rig.request("/").header("X-Cost", "1000").build(), BodyHandlers.discarding());
      assertEquals(429, refused.statusCode());
      long seconds = refused.headers().firstValueAsLong("Retry-After").orElse(0);
      assertTrue(seconds > 500, () -> "after " + seconds);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1.5", "many", "1234567890", "1, 2"})
  void aHeaderThatIsNoCostIsRefused(String stated) throws Exception {
    try (var rig = rig("5/1h", "header:X-Cost")) {
      assertEquals(400, rig.get("/", "X-Cost", stated));
      assertEquals(List.of(), rig.arrived);
      assertEquals(400, rig.get("/", "X-Cost", "1", "X-Cost", "1"), "and two of them are none");
      assertEquals(200, rig.get("/", "X-Cost", "5"), "nothing was charged");
      rig.atRest();
    }
  }

  @Test
  void aBodyMayCostItsLength() throws Exception {
    try (var rig = rig("100/1h", "bytes")) {
      assertEquals(200, post(rig, "x".repeat(90)).statusCode());
      assertEquals(429, post(rig, "x".repeat(11)).statusCode());
      assertEquals(200, post(rig, "x".repeat(10)).statusCode());
      assertEquals(200, rig.get("/"), "no body, no cost");
      HttpResponse<String> tooLarge = post(rig, "x".repeat(101));
      assertEquals(500, tooLarge.statusCode());
      assertTrue(tooLarge.body().contains("101"), tooLarge.body());
      assertEquals(3, rig.arrived.size());
      rig.atRest();
    }
  }

  private static HttpResponse<String> post(RoutedRig rig, String body) throws Exception {
    return rig.client.send(
        rig.request("/").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  /** Its length is not known before it is in, and a permit is taken before that. */
  @Test
  void aBodyOfUnknownLengthIsRefused() throws Exception {
    try (var rig = rig("100/1h", "bytes")) {
      String head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
      String answer = rig.raw(head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
      assertTrue(answer.startsWith("HTTP/1.1 411 "), answer);
      assertTrue(answer.contains("state a Content-Length"), answer);
      assertEquals(List.of(), rig.arrived);
      rig.atRest();
    }
  }
}
