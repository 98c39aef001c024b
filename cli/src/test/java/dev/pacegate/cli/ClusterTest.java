package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code pacegate cluster}, at a real server. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class ClusterTest {

  private static Session cluster(RedisServer server, String... arguments) {
    return Session.given("")
        .inRealTime()
        .run(
            Stream.of(
                    Stream.of("cluster"),
                    Arrays.stream(arguments),
                    Stream.of("--store", server.uri()))
                .flatMap(each -> each)
                .toArray(String[]::new));
  }

  private static RedisLimiters connect(RedisServer server) {
    return RedisLimiters.builder(server.uri()).fresh().label("sender").connect();
  }

  @Test
  void statusTellsWhatIsSpentWhoHoldsItAndWhatWasDone() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      Limiter api = redis.limiter("api", "peer(10/1m) & concurrent(3)");
      var permit = api.acquireUninterruptibly();
      cluster(server, "pause", "api", "--for", "1h", "--why", "maintenance").succeeds();
      List<String> lines = cluster(server, "status").succeeds().lines();
      assertEquals("api: peer(10/1m) & concurrent(3)", lines.get(0));
      assertEquals("  a loss would cost a fence of 1m10s", lines.get(1));
      assertTrue(lines.get(2).matches("  paused for (1h|59m59s): maintenance"), lines::toString);
      assertEquals("  peer(10/1m): 1 of 10 spent, the most at once 1", lines.get(3));
      assertEquals("  concurrent(3): 1 of 3 spent, the most at once 1", lines.get(4));
      assertEquals("  sender has 1 & 1", lines.get(5));
      assertTrue(lines.get(6).matches("  \\S+Z pause by \\S+: maintenance"), lines::toString);
      permit.answered();
    }
  }

  @Test
  void linesFitTheTerminal() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      String why = "a reason of many words ".repeat(8).trim();
      cluster(server, "pause", "api", "--why", why).succeeds();
      for (int width : new int[] {60, 80, 120}) {
        var session = Session.given("").inRealTime().in(Map.of("COLUMNS", "" + width));
        session.run("cluster", "status", "api", "--store", server.uri()).succeeds();
        int longest = session.lines().stream().mapToInt(String::length).max().orElseThrow();
        assertTrue(longest <= width && longest > width - 20, () -> width + ": " + longest);
      }
    }
  }

  @Test
  void setPutsAnotherLimitInForceThatCountsAsTheFirst() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      Limiter api = redis.limiter("api", "peer(10/1s, unanswered=1s)");
      api.acquireUninterruptibly().answered();
      cluster(server, "set", "api", "20/1s", "--why", "larger plan")
          .succeeds(
              "api: the limit was peer(10/1s, unanswered=1s), and is now peer(20/1s,"
                  + " unanswered=1s)\n");
      while (!api.limit().toString().equals("peer(20/1s, unanswered=1s)")) {
        api.acquireUninterruptibly().answered();
      }
    }
  }

  @Test
  void unfenceEndsAFence() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = RedisLimiters.connect(server.uri())) {
      Limiter api = redis.limiter("api", "peer(10/1s, unanswered=1h)");
      var permit = api.acquireAsync();
      while (redis.operations().names().isEmpty()) {
        Thread.onSpinWait();
      }
      String fenced = String.join(" ", cluster(server, "status").succeeds().lines());
      assertTrue(fenced.matches(".*fence: no permits are granted for (1h|59m\\d+s).*"), fenced);
      String out = cluster(server, "unfence", "api", "--why", "a test").succeeds().out();
      assertTrue(
          out.matches(
              "api: the fence that would have lasted for (1h|59m\\d+s) more is over, as a test\n"),
          out);
      permit.get().answered();
    }
  }

  @Test
  void aReplicaThatIsGoneIsForgottenForAReason() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).minReplicasToWrite(1, 10).start();
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start()) {
      replica.awaitInStep(server);
      try (var redis = connect(server)) {
        redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      }
      List<String> lines = cluster(server, "status").succeeds().lines();
      String address = "127.0.0.1:" + replica.port();
      assertTrue(lines.contains("  permits are confirmed by " + address), lines::toString);
      cluster(server, "forget", "api", "10.0.0.2:6379", "--why", "a test")
          .fails(2, "the limit api has no replica 10.0.0.2:6379; it has [" + address + "]");
      replica.kill9();
      server.command("CONFIG", "SET", "min-replicas-to-write", "0"); // it writes nothing else
      Session forgotten = cluster(server, "forget", "api", address, "--why", "its disk burnt");
      forgotten.succeeds(
          "api: "
              + address
              + " is forgotten, as its disk burnt; no replica confirms permits now\n");
      String last = lastLine(cluster(server, "status").succeeds());
      assertTrue(last.matches("  \\S+Z forget " + address + " by \\S+: its disk burnt"), last);
    }
  }

  @Test
  void aReplicaThatIsGoneIsForgottenByAllLimitsThatNameIt(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "a secret of all nodes\n");
    try (var server = RedisServer.with(Version.V6_2).minReplicasToWrite(1, 10).start();
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start()) {
      replica.awaitInStep(server);
      nameReplica(server);
      String address = "127.0.0.1:" + replica.port();
      replica.kill9();
      server.command("CONFIG", "SET", "min-replicas-to-write", "0"); // it writes nothing else
      cluster(server, "forget", "--all", "10.0.0.2:6379", "--why", "a test")
          .fails(2, "no limit has the replica 10.0.0.2:6379");
      Session some = cluster(server, "forget", "--all", address, "--why", "its disk burnt");
      assertEquals(List.of(forgotten("api", address), forgotten("other", address)), some.lines());
      some.fails(
          2,
          "not of all limits: accounts: accounts is the limit of keys: set the secret of its"
              + " processes");
      cluster(
              server,
              "forget",
              "--all",
              address,
              "--why",
              "its disk burnt",
              "--secret-file",
              file.toString())
          .succeeds(forgotten("accounts", address) + "\n");
    }
  }

  private static String forgotten(String name, String address) {
    return name
        + ": "
        + address
        + " is forgotten, as its disk burnt; no replica confirms permits now";
  }

  private static void nameReplica(RedisServer server) throws Exception {
    try (var redis =
            RedisLimiters.builder(server.uri()).fresh().secret("a secret of all nodes").connect();
        var accounts = redis.keyed("accounts", "peer(10/1s, unanswered=1s)").<String>build()) {
      redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      redis.limiter("other", "peer(10/1m)").acquireUninterruptibly().answered();
      accounts.acquire("a").answered();
    }
  }

  @Test
  void aPauseThatAReplicaHasNotConfirmedIsSaidToBeDone() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).minReplicasToWrite(1, 60).start();
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start()) {
      replica.awaitInStep(server);
      try (var redis = connect(server)) {
        redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      }
      replica.stop();
      cluster(server, "pause", "api")
          .fails(
              2,
              "the store redis://127.0.0.1:"
                  + server.port()
                  + ": it is done, and not confirmed by all replicas (127.0.0.1:"
                  + replica.port()
                  + "): it is lost if one of them takes over that does not have it. Repeat it");
      replica.cont();
      assertTrue(cluster(server, "status").succeeds().out().contains("paused until it is ended"));
    }
  }

  private static String lastLine(Session session) {
    List<String> lines = session.lines();
    return lines.get(lines.size() - 1);
  }

  @Test
  void unfenceAndTheEndOfAPauseDoNothingWhereThereIsNone() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      cluster(server, "unfence", "api", "--why", "a test").succeeds("api: there is no fence\n");
      cluster(server, "pause", "api", "--end").succeeds("api: there is no pause\n");
      assertEquals(List.of(), redis.operations().status("api").orElseThrow().audit());
    }
  }

  @Test
  void pauseTellsWhatWasAndWhatIsAndUntilWhen() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      String hour = "paused for (1h|59m\\d+s), until \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
      String first = cluster(server, "pause", "api", "--for", "1h").succeeds().out();
      assertTrue(first.matches("api: " + hour + "\n"), first);
      String next = cluster(server, "pause", "api").succeeds().out();
      assertTrue(
          next.matches(
              "api: was "
                  + hour.replace("for", "for another")
                  + "; is now paused until it is ended\n"),
          next);
      cluster(server, "pause", "api", "--end")
          .succeeds("api: was paused until it is ended; the pause is over\n");
    }
  }

  @Test
  void setAsksWhereTheLimitInForceDoesNotTellWhatIsCounted() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      redis.limiter("api", "concurrent(3)").acquireUninterruptibly().answered();
      cluster(server, "set", "api", "20/1s")
          .fails(
              2,
              "the limit in force, concurrent(3), does not tell what 20/1s counts: write"
                  + " starts(20/1s) or peer(20/1s)");
    }
  }

  @Test
  void ofALimitOfKeysOnlyTheLimitIsToldAndChangingItNeedsTheSecret(@TempDir Path folder)
      throws Exception {
    String secret = "a secret of all nodes";
    Path file = Files.writeString(folder.resolve("secret"), secret + "\n");
    try (var server = RedisServer.start(Version.V6_2);
        var redis = RedisLimiters.builder(server.uri()).fresh().secret(secret).connect();
        var accounts = redis.keyed("accounts", "peer(10/1s, unanswered=1s)").<String>build()) {
      accounts.acquire("a").answered();
      List<String> lines = cluster(server, "status").succeeds().lines();
      assertEquals("accounts: peer(10/1s, unanswered=1s) for each key", lines.get(0));
      assertFalse(lines.toString().contains("spent"), lines::toString);
      cluster(server, "pause", "accounts")
          .fails(2, "accounts is the limit of keys: set the secret of its processes");
      cluster(server, "pause", "accounts", "--secret-file", file.toString()).succeeds();
      String paused = cluster(server, "status").succeeds().lines().toString();
      assertTrue(paused.contains("paused until it is ended"), paused);
    }
  }

  /** What differs between the tags is told; what is done to them, and for which it fails. */
  @Test
  void keysThatAreSpreadAreToldAndChangedAsOneLimit(@TempDir Path folder) throws Exception {
    String secret = "a secret of all nodes";
    Path file = Files.writeString(folder.resolve("secret"), secret + "\n");
    String[] pause = {"pause", "accounts", "--why", "later", "--secret-file", file.toString()};
    try (var server = RedisServer.start(Version.V6_2);
        var redis = RedisLimiters.builder(server.uri()).fresh().secret(secret).connect();
        var accounts =
            redis.spread(2).keyed("accounts", "peer(10/1m, unanswered=1s)").<String>build()) {
      for (int key = 0; key < 20; key++) {
        accounts.acquire("key" + key).answered();
      }
      String head = "accounts: peer(10/1m, unanswered=1s) for each key, spread over 2 tags";
      List<String> lines = cluster(server, "status").succeeds().lines();
      assertEquals(List.of(head, "  a loss would cost a fence of up to 1m5s"), lines);

      cluster(server, pause).succeeds();
      lines = cluster(server, "status").succeeds().lines();
      assertEquals("  paused until it is ended: later", lines.get(2));
      assertEquals(4, lines.size(), lines::toString); // and the one that did it

      String second = "" + server.command("KEYS", "pacegate:{accounts:*}:{1}");
      server.command("SET", second.replaceAll("[\\[\\]]", ""), "something else");
      Session half = cluster(server, pause);
      assertEquals(2, half.status());
      assertTrue(half.err().contains("it is done for 1 of 2 tags, and not for 1: "), half.err());
      String all =
          String.join(" ", cluster(server, "status").succeeds().lines()).replaceAll(" +", " ");
      assertTrue(all.contains(" tag 0: peer(10/1m, unanswered=1s), no fence, paused"), all);
      assertTrue(all.contains(" tag 1: "), all);
      assertTrue(all.contains("a part of the keys cannot be looked at: "), all);
    }
  }

  @Test
  void anUnreadableLimitDoesNotHideTheRest() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      redis.limiter("api", "peer(10/1m)").acquireUninterruptibly().answered();
      server.command("SET", "pacegate:{other}", "of another version");
      List<String> lines = cluster(server, "status").succeeds().lines();
      assertEquals("api: peer(10/1m)", lines.get(0));
      String all = String.join(" ", lines);
      assertTrue(
          all.matches(".* other: \\S+ is not a record of this version of Pacegate: .*"), all);
      assertFalse(all.contains("user_script"), all);
    }
  }

  @Test
  void aMistakeIsToldInOneLine() throws Exception {
    Session.given("")
        .run("cluster", "status")
        .fails(2, "no --store is given, such as --store redis://localhost:6379");
    Session.given("")
        .run("cluster")
        .fails(2, "No command is given (try 'pacegate cluster --help')");
    Session.given("")
        .run("cluster", "pause", "api", "--end", "--for", "1s")
        .fails(2, "--end and --for exclude each other");
    Session.given("")
        .run("cluster", "forget", "10.0.0.2:6379", "--why", "a test")
        .fails(
            2,
            "give the name of a limit and the address of the replica; --all in place of the name is"
                + " for all limits");
    try (var server = RedisServer.start(Version.V6_2)) {
      cluster(server, "status", "other").fails(2, "the store does not know the name other");
      cluster(server, "pause", "other")
          .fails(2, "the store does not know the name other; it knows []");
      cluster(server, "set", "other", "10/1x")
          .fails(
              2,
              "\"10/1x\", column 4: \"1x\" has unit \"x\", expected one of ns us ms s m min h d");
    }
  }

  @Test
  @Tag("servers") // redis-server is on the path
  void theDemonstrationShowsThatTheLimitIsKept() {
    var session = Session.given("").inRealTime().run("cluster", "demo", "--seconds", "2");
    session.succeeds();
    String last = session.lines().get(session.lines().size() - 1);
    assertTrue(
        last.matches("The peer counted \\d+ requests, in the worst second \\d+ of 50."), last);
    // On a loaded machine the processes may send less than they are let.
    String status = "  peer\\(50/1s, unanswered=1s\\): \\d+ of 50 spent, the most at once \\d+";
    assertTrue(
        session.lines().stream().anyMatch(line -> line.matches(status)),
        () -> session.lines().toString());
  }
}
