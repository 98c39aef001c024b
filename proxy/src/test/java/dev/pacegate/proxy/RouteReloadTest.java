package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is read again loses no request, and no mistake in it changes anything. */
class RouteReloadTest {

  private static final Duration LONG = Duration.ofDays(1);

  private static final String OTHERS =
      """
      limits: {b: 50/100ms, api: starts(30/100ms)}
      routes: [{match: {path: /3}, limit: b}, {limit: api}]
      """;

  private static String api(String limit) {
    return "limits: {api: " + limit + "}\nroutes: [{limit: api}]\n";
  }

  @Test
  void requestsThatWaitKeepTheirPlaces() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"), LONG)) {
      assertEquals(200, rig.get("/spent"));
      var sent = new ArrayList<CompletableFuture<Integer>>();
      for (int i = 0; i < 4; i++) {
        sent.add(rig.sendAndWait("api", "/" + i));
      }
      for (int i = 0; i < 4; i++) {
        rig.reload(api("starts(" + (2 + i) + "/1h)"));
        assertEquals(200, sent.get(i).get(), "each change lets one more through");
        assertEquals("GET /" + i, rig.arrived.get(i + 1));
      }
      assertEquals(5, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void aRequestThatCanNeverPassAnyMoreIsToldSo() throws Exception {
    String text = "limits: {api: starts(%d/1h)}\nroutes: [{limit: api, cost: header:C}]\n";
    try (var rig = new RoutedRig(text.formatted(5), LONG)) {
      assertEquals(200, rig.get("/", "C", "5"));
      CompletableFuture<Integer> waits = rig.sendAndWait("api", "/", "C", "5");
      rig.reload(text.formatted(2));
      assertEquals(500, waits.get());
      assertEquals(1, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void permitsOfBeforeCountOn() throws Exception {
    try (var rig = new RoutedRig(api("starts(3/1h)"))) {
      assertEquals(200, rig.get("/"));
      assertEquals(200, rig.get("/"));
      Limiter before = rig.limiter("api");
      String told =
          rig.reload("limits: {other: 1/1s, api: starts(2/1h)}\nroutes: [{limit: api}]\n");
      assertTrue(
          told.endsWith(
              " is in force: 1 route; limits changed: api; new: other; limit other: no route names it"),
          told);
      assertSame(before, rig.limiter("api"));
      assertEquals(429, rig.get("/"));
      told = rig.reload("limits: {other: 1/1s}\nroutes: [{limit: other}]\n");
      assertTrue(told.endsWith(" is in force: 1 route; no longer named: api"), told);
      rig.reload(api("starts(2/1h)"));
      assertEquals(429, rig.get("/"), "also if it was not named for a while");
      assertEquals(2, rig.arrived.size());
    }
  }

  @Test
  void aRequestThatWaitsIsSentByTheRouteThatItHad() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"), LONG)) {
      assertEquals(200, rig.get("/"));
      CompletableFuture<Integer> waits = rig.sendAndWait("api", "/waits");
      rig.reload("to: http://127.0.0.1:1\nlimits: {new: 5/1s} #UPSTREAM\nroutes: [{limit: new}]\n");
      assertEquals(502, rig.get("/"), "others go by the new routes");
      rig.reload(api("starts(2/1h)"));
      assertEquals(200, waits.get());
      assertEquals(List.of("GET /", "GET /waits"), rig.arrived);
      rig.atRest();
    }
  }

  @Test
  void theNumberOfLimitsIsBounded() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      rig.reload(limits(999));
      rig.reload(api("starts(2/1h)"));
      var refused = assertThrows(IllegalArgumentException.class, () -> rig.reload(limits(1000)));
      assertTrue(
          String.valueOf(refused.getMessage())
              .endsWith(
                  ": there would be more than 1000 limits, with those that are no longer named:"
                      + " restart the proxy"),
          refused.getMessage());
      assertEquals(1000, rig.routes.limiters().size());
      assertEquals(200, rig.get("/"));
    }
  }

  private static String limits(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "n" + i + ": 1/1h")
        .collect(Collectors.joining(", ", "limits: {", "}\nroutes: [{limit: n0}]\n"));
  }

  @Test
  void aFileWithAMistakeChangesNothing() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      assertEquals(200, rig.get("/"));
      for (String wrong :
          List.of(
              "limits: {api: starts(9/1h), b: x}\nroutes: [{limit: api}]\n",
              "limits: {api: starts(9/1h)}\nroutes: [{limit: api}, {limit: api}]\n",
              "limits: {a: 9/1s, api: {limit: starts(9/1h), key: header:A}}\nroutes: [{limit: a}]\n",
              "")) {
        assertThrows(IllegalArgumentException.class, () -> rig.reload(wrong));
        assertEquals(429, rig.get("/"));
        assertEquals(List.of("limit api: starts(1/1h)"), rig.routes.lines().subList(0, 1));
      }
      Files.delete(rig.file());
      assertThrows(IOException.class, rig.routes::reload);
      assertEquals(429, rig.get("/"));
      assertEquals(1, rig.arrived.size());
    }
  }

  @Test
  void theLimitOfAllKeysChangesTheirHeaderDoesNot() throws Exception {
    String keyed =
        "limits: {each: {limit: starts(1/1h), key: header:K%s}}\nroutes: [{limit: each}]\n";
    try (var rig = new RoutedRig(String.format(keyed, ", within: starts(2/1h)"))) {
      assertEquals(200, rig.get("/", "K", "a"));
      assertEquals(200, rig.get("/", "K", "b"));
      rig.reload(String.format(keyed, ", within: starts(3/1h)"));
      assertEquals(429, rig.get("/", "K", "a"));
      assertEquals(200, rig.get("/", "K", "c"));
      assertEquals(429, rig.get("/", "K", "d"), "all keys keep the limit that is new");
      var wrong =
          assertThrows(
              IllegalArgumentException.class, () -> rig.reload(String.format(keyed, "ey")));
      assertTrue(
          String.valueOf(wrong.getMessage())
              .endsWith(
                  ", line 2, column 16: the keys of limit each cannot change while the proxy"
                      + " runs: give the limit another name, or restart the proxy"),
          wrong.getMessage());
      assertEquals(3, rig.arrived.size());
    }
  }

  /** Clients ask without a pause while the file changes a hundred times. */
  @Test
  void aHundredReloadsUnderLoadLoseNothing() throws Exception {
    try (var rig = new RoutedRig(api("starts(40/100ms)"))) {
      var going = new AtomicBoolean(true);
      List<Integer> statuses = Collections.synchronizedList(new ArrayList<>());
      List<Thread> clients =
          IntStream.range(0, 8)
              .mapToObj(
                  client ->
                      new Thread(
                          () -> {
                            while (going.get()) {
                              statuses.add(rig.send("/" + client).exceptionally(lost -> -1).join());
                            }
                          }))
              .toList();
      clients.forEach(Thread::start);
      try {
        for (int i = 0; i < 100; i++) {
          int before = statuses.size();
          rig.reload(i % 2 == 0 ? OTHERS : api("starts(40/100ms)"));
          ProxyRig.eventually(() -> statuses.size() > before);
        }
      } finally {
        going.set(false);
      }
      for (Thread client : clients) {
        client.join();
      }
      assertEquals(Collections.nCopies(statuses.size(), 200), statuses);
      assertEquals(statuses.size(), rig.arrived.size(), "each is sent once");
      rig.atRest();
      assertEquals(0, rig.proxy.open());
    }
  }

  @Test
  void aChangedFileIsReadOnceItHasSettled() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      var told = new ArrayList<String>();
      var follower =
          new FileFollower(
              rig.file(), Files.readAllBytes(rig.file()), rig.routes::apply, told::add);
      follower.look();
      follower.look();
      assertEquals(List.of(), told);
      rig.write(api("starts(2/1h)"));
      follower.look();
      assertEquals(List.of(), told, "it may still be written");
      follower.look();
      follower.look();
      assertEquals(1, told.size());
      assertTrue(told.get(0).endsWith("is in force: 1 route; limits changed: api"), told.get(0));
      rig.write(api("sterts(2/1h)"));
      follower.look();
      follower.look();
      follower.look();
      assertEquals(2, told.size(), "each content is told once");
      assertEquals(1, follower.refusals());
      assertTrue(told.get(1).contains(", line 2, column 15: "), told.get(1));
      assertTrue(told.get(1).endsWith("; the configuration in force stays"), told.get(1));
      Files.delete(rig.file());
      follower.look();
      assertEquals(2, told.size(), "it may be replaced");
      follower.look();
      follower.look();
      assertEquals(3, told.size());
      assertEquals(2, follower.refusals());
      assertTrue(told.get(2).contains("cannot be read: NoSuchFileException"), told.get(2));
      rig.write(api("starts(3/1h)"));
      follower.readNow();
      assertEquals(4, told.size(), "asked for, it need not settle");
      assertEquals(2, follower.refusals());
      assertEquals("starts(3/1h)", rig.limiter("api").limit().toString());
      assertFalse(told.get(3).contains("stays"), told.get(3));
    }
  }

  @Test
  void aFileThatIsFollowedIsReadWhenAsked() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      rig.routes.follow(rig.log::add);
      rig.routes.reloadSoon();
      ProxyRig.eventually(() -> rig.log.size() == 1); // no look tells of a file that is the same
      assertTrue(rig.log.get(0).endsWith(" is in force: 1 route"), rig.log::toString);
    }
  }

  @Test
  void aFileThatIsFollowedMayAlsoBeReloaded() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      rig.routes.follow(rig.log::add);
      rig.reload(api("starts(2/1h)"));
      rig.write(api("starts(1/1h)"));
      ProxyRig.eventually(() -> rig.limiter("api").limit().toString().equals("starts(1/1h)"));
    }
  }

  @Test
  void aLogThatThrowsStopsNothing() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      var told = new ArrayList<String>();
      var follower =
          new FileFollower(
              rig.file(),
              Files.readAllBytes(rig.file()),
              rig.routes::apply,
              line -> {
                told.add(line);
                throw new IllegalStateException("full");
              });
      rig.write(api("starts(2/1h)"));
      follower.readNow();
      assertEquals(1, told.size());
      assertTrue(told.get(0).endsWith("limits changed: api"), told.get(0));
      follower.close();
      Files.delete(rig.file());
      follower.readNow();
      assertEquals(1, told.size(), "no word after the end");
    }
  }

  @Test
  void nothingIsReadOnceItIsClosed() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      rig.routes.follow(rig.log::add);
      rig.routes.close();
      ProxyRig.eventually(() -> followers() == 0);
      rig.write("limits: {new: 1/1s}\nroutes: [{limit: new}]\n");
      assertThrows(IllegalStateException.class, rig.routes::reload);
      assertEquals(Set.of("api"), rig.routes.limiters().keySet());
    }
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      rig.routes.close();
      rig.routes.follow(rig.log::add);
      assertEquals(0, followers());
    }
  }

  private static long followers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("pacegate-proxy-config"))
        .count();
  }

  @Test
  void aRequestThatIsOpenCountsOn() throws Exception {
    try (var rig = new RoutedRig(api("concurrent(1)"), LONG)) {
      CompletableFuture<Integer> open = rig.send("/held");
      ProxyRig.eventually(() -> rig.arrived.size() == 1);
      rig.reload(api("concurrent(1) & starts(9/1h)"));
      CompletableFuture<Integer> waits = rig.sendAndWait("api", "/next");
      assertEquals(List.of("GET /held"), rig.arrived);
      rig.held.countDown();
      assertEquals(200, open.get());
      assertEquals(200, waits.get());
      rig.atRest();
    }
  }

  @Test
  void aLowerLimitKeepsTheOrder() throws Exception {
    try (var rig = new RoutedRig(api("starts(3/1h)"), LONG)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(200, rig.get("/spent"));
      }
      var first = rig.sendAndWait("api", "/first");
      var second = rig.sendAndWait("api", "/second");
      rig.reload(api("starts(2/1h)"));
      var third = rig.sendAndWait("api", "/third");
      rig.reload(api("starts(4/1h)"));
      assertEquals(200, first.get());
      rig.reload(api("starts(5/1h)"));
      assertEquals(200, second.get());
      rig.reload(api("starts(6/1h)"));
      assertEquals(200, third.get());
      assertEquals(6, rig.arrived.size());
      rig.atRest();
    }
  }

  @Test
  void aFileMayBeReplacedByAnother() throws Exception {
    try (var rig = new RoutedRig(api("starts(1/1h)"))) {
      var told = new ArrayList<String>();
      var follower =
          new FileFollower(
              rig.file(), Files.readAllBytes(rig.file()), rig.routes::apply, told::add);
      Path next = rig.file().resolveSibling(rig.file().getFileName() + ".next");
      Files.writeString(next, "to: http://a\n" + api("starts(2/1h)"));
      Files.move(next, rig.file(), StandardCopyOption.ATOMIC_MOVE);
      follower.look();
      follower.look();
      assertEquals("starts(2/1h)", rig.limiter("api").limit().toString(), told::toString);
    }
  }

  /** A change that fails with an error may pass later: it is tried again, but ever more rarely. */
  @Test
  void aChangeThatGoesOnFailingIsTriedEverMoreRarely(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("routes");
    Files.writeString(file, "first");
    var tried = new ArrayList<String>();
    var told = new ArrayList<String>();
    var follower =
        new FileFollower(
            file,
            Files.readAllBytes(file),
            content -> {
              tried.add(new String(content, StandardCharsets.UTF_8));
              if (content.length == "second".length()) {
                throw new StackOverflowError("expected");
              }
              if (Arrays.equals(content, "wrong".getBytes(StandardCharsets.UTF_8))) {
                throw new IllegalArgumentException("wrong");
              }
              return "in force";
            },
            told::add);
    Files.writeString(file, "second");
    for (int look = 0; look < 1024; look++) {
      follower.look();
    }
    assertEquals(Collections.nCopies(10, "second"), tried);
    assertEquals(10, told.size());
    follower.readNow();
    assertEquals(11, tried.size(), "who asks for it has it tried");
    Files.writeString(file, "the third");
    follower.look();
    follower.look();
    assertEquals("the third", tried.get(tried.size() - 1));
    assertEquals("in force", told.get(told.size() - 1));
    Files.writeString(file, "second");
    for (int look = 0; look < 4; look++) {
      follower.look();
    }
    assertEquals(14, tried.size(), "as at first");
    for (String other : List.of("the third", "wrong")) { // the one in force, and another
      for (int look = 0; look < 20; look++) {
        follower.look();
      }
      int before = Collections.frequency(tried, "second");
      Files.writeString(file, other);
      follower.look();
      follower.look();
      Files.writeString(file, "second");
      follower.look();
      follower.look();
      assertEquals(before + 1, Collections.frequency(tried, "second"), "after another content");
    }
  }
}
