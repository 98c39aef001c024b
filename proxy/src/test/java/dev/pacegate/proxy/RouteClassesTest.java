package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Interactive requests go before those of a batch, which still go. Where both have waited for their
 * first turn, the one that came first has it.
 */
class RouteClassesTest {

  private static String byHeader(int released) {
    return "limits: {api: starts("
        + released
        + "/1h)}\nroutes: [{limit: api, class: header:X-Class}]\n";
  }

  @Test
  void interactiveRequestsOvertakeABatchThatTakesEveryTenthTurn() throws Exception {
    try (var rig = new RoutedRig(byHeader(1), Duration.ofDays(1))) {
      assertEquals(200, rig.get("/first", "X-Class", "batch"));
      var sent = new ArrayList<CompletableFuture<Integer>>();
      for (int i = 0; i < 3; i++) {
        sent.add(rig.sendAndWait("api", "/b" + i, "X-Class", "batch"));
      }
      for (int i = 0; i < 20; i++) {
        sent.add(rig.sendAndWait("api", "/i" + i, "X-Class", "interactive"));
      }
      for (int released = 2; released <= 24; released++) {
        rig.reload(byHeader(released));
        int arrived = released;
        ProxyRig.eventually(() -> rig.arrived.size() == arrived);
      }
      for (CompletableFuture<Integer> answer : sent) {
        assertEquals(200, answer.get());
      }
      List<String> batch = rig.arrived.stream().filter(line -> line.contains("/b")).toList();
      assertEquals(List.of("GET /b0", "GET /b1", "GET /b2"), batch, "in their order");
      List<Integer> turns = batch.stream().map(rig.arrived::indexOf).toList();
      assertEquals(List.of(1, 12, 22), turns, rig.arrived::toString);
      rig.atRest();
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"-, i", "interactive, i", "batch, b", "Batch, b", "urgent, i"})
  void aHeaderNamesTheClass(String given, String category) throws Exception {
    try (var rig = new RoutedRig(byHeader(1), Duration.ofDays(1))) {
      assertEquals(200, rig.get("/first", "X-Class", "batch"));
      var goesFirst = rig.sendAndWait("api", "/waits", "X-Class", "batch");
      var waits = rig.sendAndWait("api", "/waits", "X-Class", "batch");
      var asked =
          given == null
              ? rig.sendAndWait("api", "/asked")
              : rig.sendAndWait("api", "/asked", "X-Class", given);
      rig.reload(byHeader(2));
      assertEquals(200, goesFirst.get());
      rig.reload(byHeader(3));
      ProxyRig.eventually(() -> rig.arrived.size() == 3);
      assertEquals(category.equals("i") ? "GET /asked" : "GET /waits", rig.arrived.get(2));
      rig.reload(byHeader(4));
      assertEquals(200, waits.get());
      assertEquals(200, asked.get());
    }
  }

  @Test
  void aBatchLeavesAFifthOfTheQueueToInteractiveRequests() throws Exception {
    try (var rig = new RoutedRig(byHeader(1), Duration.ofDays(1), 5)) {
      assertEquals(200, rig.get("/first"));
      var batch = new ArrayList<CompletableFuture<Integer>>();
      for (int i = 0; i < 4; i++) {
        batch.add(rig.sendAndWait("api", "/b" + i, "X-Class", "batch"));
      }
      assertEquals(429, rig.get("/b", "X-Class", "batch"));
      var asked = rig.sendAndWait("api", "/i");
      assertEquals(429, rig.get("/i"), "the queue is full");
      rig.reload(byHeader(3));
      assertEquals(200, asked.get());
      assertEquals(200, batch.get(0).get());
    }
  }

  @Test
  void eachLimitHasAQueueOfItsOwn() throws Exception {
    String text =
        """
        limits: {a: starts(1/1h), b: starts(%d/1h)}
        routes: [{match: {path: /a}, limit: a}, {limit: b}]
        """;
    try (var rig = new RoutedRig(text.formatted(1), Duration.ofDays(1), 2)) {
      assertEquals(200, rig.get("/a"));
      assertEquals(200, rig.get("/b"));
      var waits = List.of(rig.sendAndWait("a", "/a"), rig.sendAndWait("a", "/a"));
      assertEquals(429, rig.get("/a"));
      var asked = rig.sendAndWait("b", "/b");
      rig.reload(text.formatted(2));
      assertEquals(200, asked.get());
      assertFalse(waits.get(0).isDone());
    }
  }

  @Test
  void aRouteMayBeABatchAsAWhole() throws Exception {
    String text =
        """
        limits: {api: starts(%d/1h)}
        routes: [{match: {path: /report}, limit: api, class: batch}, {limit: api}]
        """;
    try (var rig = new RoutedRig(text.formatted(1), Duration.ofDays(1))) {
      assertEquals(200, rig.get("/report"));
      var first = rig.sendAndWait("api", "/report");
      var second = rig.sendAndWait("api", "/report");
      var asked = rig.sendAndWait("api", "/asked");
      rig.reload(text.formatted(2));
      assertEquals(200, first.get());
      rig.reload(text.formatted(3));
      assertEquals(200, asked.get());
      rig.reload(text.formatted(4));
      assertEquals(200, second.get());
      assertEquals(List.of("GET /report", "GET /report", "GET /asked", "GET /report"), rig.arrived);
      rig.atRest();
    }
  }
}
