package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --store}: several runs at once under one limit, through a real server. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class StoreTest {

  private static final String NOWHERE = "redis://localhost:1";
  private static final String REMEDY =
      "set PACEGATE_STORE_PASSWORD or use --store-password-file FILE";

  @TempDir Path folder;

  /** Makes a name known to the server, which otherwise lets nothing through for a while. */
  static void introduce(RedisServer server, String name, String limit) {
    try (var redis = RedisLimiters.builder(server.uri()).fresh().connect()) {
      Limiter limiter = redis.limiter(name, limit);
      limiter.acquireUninterruptibly().notSent();
    }
  }

  private static Session pipe(String input, String... options) {
    String[] command = {"pipe", "-q", "10/1s"};
    return Session.given(input)
        .inRealTime()
        .run(Stream.of(command, options).flatMap(Arrays::stream).toArray(String[]::new));
  }

  // ---- what is refused before anything is connected

  @Test
  void tellsWhichOptionIsMissing() {
    pipe("", "--store", NOWHERE)
        .fails(2, "--store needs --name: the processes that give the same share a limit");
    pipe("", "--name", "api")
        .fails(2, "--name needs --store, such as --store redis://localhost:6379");
    pipe("", "--store-password-file", "pw")
        .fails(2, "--store-password-file needs --store, such as --store redis://localhost:6379");
    pipe("", "--durable")
        .fails(2, "--durable needs --store, such as --store redis://localhost:6379");
    pipe("", "--store", NOWHERE, "--name", "").fails(2, "--name must not be empty");
    pipe("", "--store", NOWHERE, "--name", "api", "--state", "file")
        .fails(2, "--state cannot be used with --store: the store knows what was let through");
    pipe("", "--store", NOWHERE, "--name", "api", "--no-wait")
        .fails(
            2,
            "--no-wait cannot be used with --store, which must be waited for: use --state FILE,"
                + " or leave out --no-wait");
    Session.given("")
        .run("run", "1/1s", "--store", NOWHERE, "--", "echo")
        .fails(2, "--store needs --name: the processes that give the same share a limit");
  }

  @Test
  void takesSentinelsAndHidesThePassword() throws Exception {
    var address = StoreAddress.parse("redis-sentinel://app@a:26379,[::1]/2#main", "");
    assertEquals("redis-sentinel://app:p%40ss@a:26379,[::1]/2#main", address.uri("p@ss"));
    assertEquals("redis-sentinel://a:26379,[::1]/2#main", address.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "http://host:6379,http://host:6379",
    "host:6379,host:6379",
    "'',''",
    "redis://,redis://",
    "redis://host:0,redis://host:0",
    "redis://host:65536,redis://host:65536",
    "redis://host:6379/x,redis://host:6379/x",
    "redis://host:6379?timeout=1s,redis://host:6379?timeout=1s",
    "redis://host name,redis://host name",
    "redis-sentinel://host:6379,redis-sentinel://host:6379",
    "redis://host:6379#name,redis://host:6379#name",
    "'redis://a,b','redis://a,b'",
    "'redis-sentinel://a,#name','redis-sentinel://a,#name'",
    "redis://secret@,…@",
    "secret@host:6379,…@host:6379",
    "http://secret@host:6379,…@host:6379"
  })
  void tellsHowAnAddressIsWritten(String uri, String shown) {
    pipe("", "--store", uri, "--name", "api")
        .fails(
            2,
            "--store must be redis://HOST:PORT or rediss://HOST:PORT, with USER@ before HOST if"
                + " need be, or redis-sentinel://HOST:PORT,HOST:PORT#NAME: "
                + shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:secret@host:6379",
        "redis://user:secret@host:6379",
        "redis://user%3Asecret@host:6379",
        "rediss://user:se/c#r@et@host:6379",
        "user:secret@host:6379"
      })
  void refusesAPasswordAmongTheArgumentsAndDoesNotPrintIt(String uri) {
    pipe("", "--store", uri, "--name", "api")
        .fails(
            2,
            "--store must not contain a password because all users of this machine can see arguments: "
                + REMEDY);
  }

  @Test
  void tellsWhatIsWrongWithThePassword() throws Exception {
    pipe("", "--store", "redis://user@localhost:1", "--name", "api")
        .fails(2, "--store names a user, who needs a password: " + REMEDY);
    String empty = Files.writeString(folder.resolve("empty"), "\nsecret\n").toString();
    pipe("", "--store", NOWHERE, "--name", "api", "--store-password-file", empty)
        .fails(
            2,
            "the first line of " + empty + " must be the password of the store, but it is empty");
    String missing = folder.resolve("missing").toString();
    pipe("", "--store", NOWHERE, "--name", "api", "--store-password-file", missing)
        .fails(
            2,
            "cannot read the password of the store: " + missing + " (No such file or directory)");
    pipe("", "--store", NOWHERE, "--name", "api", "--store-password-file", folder.toString())
        .fails(2, "cannot read the password of the store: " + folder + " (Is a directory)");
  }

  // ---- what the store says

  @Test
  void tellsThatTheStoreIsNotThere() throws Exception {
    try (var held = new Socket()) { // does not listen, and no other process gets its port
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String uri = "redis://127.0.0.1:" + held.getLocalPort();
      Session pipe = pipe("1\n", "--store", uri, "--name", "api");
      pipe.fails(2, "the store " + uri + " cannot be used: Connection refused");
      assertEquals("", pipe.out());
      assertNothingIsLeft();
    }
  }

  @Test
  void refusesADurableServerThatKeepsNoFile() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      pipe("1\n", "--store", server.uri(), "--name", "api", "--durable")
          .fails(
              2,
              "the store "
                  + server.uri()
                  + " cannot be used: this server cannot share limits: --durable says that it loses"
                  + " nothing, but it has appendonly no and appendfsync everysec. Set appendonly yes"
                  + " and appendfsync always, or leave out --durable");
    }
  }

  @Test
  void takesThePasswordFromTheEnvironmentOrAFile() throws Exception {
    String password = "pw:/@%+#é";
    try (var server =
        RedisServer.with(Version.V6_2).password(password).user("app on >other ~* +@all").start()) {
      String uri = "redis://127.0.0.1:" + server.port();
      String[] options = {"pipe", "-q", "10/1s", "--store", uri, "--name", "api"};
      Session.given("")
          .inRealTime()
          .run(options)
          .fails(2, "the store " + uri + " cannot be used: it needs a password: " + REMEDY);
      Session.given("")
          .inRealTime()
          .in(Map.of("PACEGATE_STORE_PASSWORD", "wrong"))
          .run(options)
          .fails(
              2,
              "the store "
                  + uri
                  + " cannot be used: WRONGPASS invalid username-password pair or user is"
                  + " disabled.");
      Map<String, String> right = Map.of("PACEGATE_STORE_PASSWORD", password);
      Session.given("").inRealTime().in(right).run(options).succeeds("");
      options[4] = "redis://app@127.0.0.1:" + server.port() + "/0";
      Path file = Files.writeString(folder.resolve("file"), "other\r\nmore\n", UTF_8);
      String[] more = {"--store-password-file", file.toString()};
      // An option counts before the environment.
      Session.given("")
          .inRealTime()
          .in(right)
          .run(Stream.of(options, more).flatMap(Arrays::stream).toArray(String[]::new))
          .succeeds("");
    }
  }

  @Test
  void tellsInOneLineThatALimitCannotBeShared() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      String[] command = {"pipe", "-q", "aligned(10/1h)", "--store", server.uri(), "--name", "api"};
      Session pipe = Session.given("1\n").inRealTime().run(command);
      assertEquals(2, pipe.status());
      assertEquals("", pipe.out());
      assertEquals(1, pipe.err().lines().count(), pipe.err());
      assertTrue(pipe.err().contains("aligned(10/1h)"), pipe.err());
      assertFalse(pipe.err().contains("unexpected"), pipe.err());
      assertNothingIsLeft();
    }
  }

  // ---- what is shared

  @Test
  void runsShareALimit() throws Exception {
    String limit = "peer(10/1h)";
    try (var server = RedisServer.start(Version.V6_2)) {
      introduce(server, "api", limit);
      String[] store = {"--store", server.uri(), "--name", "api"};
      session("1\n2\n3\n", "pipe", "-q", limit, store).succeeds("1\n2\n3\n");
      session("4\n5\n", "run", "-q", "-j2", "-k", limit, store, "--", "echo").succeeds("4\n5\n");
      session("6\n7\n8\n9\n10\n", "pipe", "-q", limit, store).succeeds("6\n7\n8\n9\n10\n");
      assertNoneIsLeft(server, limit);
      assertNothingIsLeft();
    }
  }

  @Test
  void aLimitMayStateThatItCountsStarts() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      introduce(server, "api", "10/1h"); // by a start, which counts though nothing was sent
      String[] store = {"--store", server.uri(), "--name", "api"};
      session("1\n2\n3\n", "pipe", "-q", "starts(10/1h)", store).succeeds("1\n2\n3\n");
      session("4\n", "run", "-q", "-j2", "starts(10/1h)", store, "--", "echo").succeeds("4\n");
      session("5\n".repeat(5), "pipe", "-q", "10/1h", store).succeeds("5\n".repeat(5));
      assertNoneIsLeft(server, "10/1h");
    }
  }

  private static void assertNoneIsLeft(RedisServer server, String limit) throws Exception {
    try (var redis = RedisLimiters.connect(server.uri())) {
      Limiter limiter = redis.limiter("api", limit);
      assertTrue(limiter.tryAcquire(1, Duration.ofMillis(300)).isEmpty());
    }
  }

  /**
   * Others have put a limit in force that counts calls, so a permit for several lines would let
   * them all through as one.
   */
  @Test
  void eachLineTakesAPermitOfItsOwn() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      introduce(server, "api", "concurrent(3)");
      String[] store = {"--store", server.uri(), "--name", "api"};
      Session pipe = session("x\n".repeat(60), "pipe", "-q", "60/1h", "--report", store);
      assertEquals(Status.OK, pipe.status(), pipe.err());
      assertTrue(pipe.err().contains("60 requests within "), pipe.err());
      assertFalse(pipe.err().contains(" of cost "), pipe.err());
    }
  }

  /** Otherwise the line would count as lost, for 40 seconds. */
  @Test
  void tellsTheStoreAtTheEndThatItsLinesAreWritten() throws Exception {
    String limit = "peer(1/300ms, unanswered=40s)";
    try (var server = RedisServer.start(Version.V6_2)) {
      introduce(server, "api", limit);
      String[] store = {"--store", server.uri(), "--name", "api"};
      session("1\n", "pipe", "-q", limit, store).succeeds("1\n");
      long began = System.nanoTime();
      session("2\n", "pipe", "-q", limit, store).succeeds("2\n");
      assertTrue(System.nanoTime() - began < 30_000_000_000L);
    }
  }

  /** Each command notes when it began and ended, between which its permit was open. */
  @Test
  void aCommandCountsUntilItHasEnded() throws Exception {
    String limit = "peer(1/300ms, margin=0s, unanswered=1s)";
    try (var server = RedisServer.start(Version.V6_2)) {
      introduce(server, "api", limit);
      String[] store = {"--store", server.uri(), "--name", "api"};
      String script = "date +%s%N; sleep 0.2; date +%s%N";
      Session run =
          session("1\n2\n3\n", "run", "-q", "-j4", limit, store, "--", "sh", "-c", script);
      assertEquals("", run.err());
      List<Long> instants = run.out().lines().map(Long::valueOf).toList();
      assertEquals(6, instants.size(), run.out());
      for (int end = 1; end + 1 < instants.size(); end += 2) {
        long between = instants.get(end + 1) - instants.get(end);
        assertTrue(between >= 300_000_000L, () -> run.out());
      }
    }
  }

  private static Session session(String input, Object... words) {
    String[] command =
        Arrays.stream(words)
            .flatMap(word -> word instanceof String[] some ? Arrays.stream(some) : Stream.of(word))
            .toArray(String[]::new);
    return Session.given(input).inRealTime().run(command);
  }

  /**
   * The threads of the Redis client have these names. One that was told to end may still be there.
   */
  private static void assertNothingIsLeft() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("lettuce")) {
        thread.join(60_000);
        assertFalse(thread.isAlive(), thread::getName);
      }
    }
  }
}
