package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A user has the rights that docs/cluster.md lists, or is told at once which one it lacks. */
@Timeout(120)
class RightsTest {

  private static final Path PAGE = Path.of("..", "docs", "cluster.md");
  private static final String SECRET = "sixteen characters";

  /** By these a server is asked what may be left unasked. */
  private static final List<String> OPTIONAL = List.of("+config|get", "+scan");

  private static final String WAIT = "+wait";

  @Test
  void theRightsOfThePageAreEnough() throws Exception {
    useWithRightsOfThePage(Version.V6_2);
  }

  @Test
  @Tag("servers")
  void theRightsOfThePageAreEnoughForAServerOfTheMachine() throws Exception {
    useWithRightsOfThePage(Version.V7);
  }

  private static void useWithRightsOfThePage(Version version) throws Exception {
    try (var server = RedisServer.start(version)) {
      user(server, rights());
      use(server);
      for (String right : OPTIONAL) {
        user(server, without(right));
        connect(server).close();
      }
    }
  }

  private static void use(RedisServer server) throws Exception {
    try (var redis = connect(server)) {
      redis.limiter("api", "peer(10/1s)").acquire().answered();
      try (var keyed = redis.keyed("accounts", "peer(10/1s)").build()) {
        keyed.acquire("key").answered();
      }
      assertEquals(List.of("accounts", "api"), redis.operations().names());
      redis.operations().resume("api", "");
    }
  }

  @Test
  void aRightThatIsMissingIsNamedAtOnce() throws Exception {
    refuseWithoutARight(Version.V6_2);
  }

  @Test
  @Tag("servers")
  void aRightThatIsMissingIsNamedAtOnceByAServerOfTheMachine() throws Exception {
    refuseWithoutARight(Version.V7);
  }

  private static void refuseWithoutARight(Version version) throws Exception {
    try (var server = RedisServer.start(version)) {
      for (String right : rights()) {
        if (right.startsWith("+") && !OPTIONAL.contains(right)) {
          user(server, without(right));
          assertRefuses(server, right.substring(1).toUpperCase(Locale.ROOT), right);
        }
      }
      user(server, List.of("~pacegate:*", "+@all", "-time", "-del"));
      assertRefuses(server, "TIME and DEL", "+time +del");
      user(server, List.of("~pacegate:*", "-@all", "+@read", "+@scripting", "+info", "+time"));
      assertRefuses(server, "DEL and SET", "+del +set");
    }
  }

  @Test
  void keysOutOfReachAreNamedAtOnce() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      for (String pattern : List.of("~other:*", "~pacegate:{api}*", "~pacegate:{*}")) {
        user(server, List.of("+@all", pattern));
        assertRefuses(server, "EVAL", "the keys ~pacegate:*");
      }
    }
  }

  @Test
  @Tag("servers") // of 7.0, since which keys may be readable only
  void keysThatMayOnlyBeReadAreNamedAtOnce() throws Exception {
    try (var server = RedisServer.start(Version.V7)) {
      user(server, List.of("+@all", "%R~pacegate:*"));
      assertRefuses(server, "EVAL", "the keys ~pacegate:*");
    }
  }

  @Test
  void aCommandOfAnotherNameIsNamedAtOnce() throws Exception {
    for (String command : List.of("EVAL", "EVALSHA", "TIME", "SET")) {
      try (var server = renaming(Version.V6_2, command)) {
        refuseRenamed(server, command);
      }
    }
  }

  @Test
  @Tag("servers")
  void aCommandOfAnotherNameIsNamedAtOnceByAServerOfTheMachine() throws Exception {
    for (String command : List.of("EVAL", "EVALSHA", "TIME", "SET")) {
      try (var server = renaming(Version.V7, command)) {
        refuseRenamed(server, command);
      }
    }
  }

  private static RedisServer renaming(Version version, String command) throws Exception {
    return RedisServer.with(version).set("rename-command", command + " \"\"").start();
  }

  private static void refuseRenamed(RedisServer server, String command) {
    var refused =
        assertThrows(IllegalStateException.class, () -> RedisLimiters.connect(server.uri()));
    assertSays(command, refused);
    assertSays("under these names", refused);
  }

  /** A first replica may come later: then nothing would be granted any more. */
  @Test
  void waitIsNeededUnlessAPartitionIsStated() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      user(server, without(WAIT));
      assertRefuses(server, "WAIT", WAIT);
      RedisLimiters.builder(server.uri("app", "pw")).partition(Duration.ZERO).connect().close();
      user(server, rights());
      connect(server).close();
    }
  }

  /** What passes is no matter of rights: requests wait for its end, as they do later. */
  @Test
  void aServerThatIsFullIsConnectedTo() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).maxMemory("1", "noeviction").start()) {
      connect(server.uri()).close();
    }
  }

  private static RedisLimiters connect(RedisServer server) {
    return connect(server.uri("app", "pw"));
  }

  private static RedisLimiters connect(String uri) {
    return RedisLimiters.builder(uri).fresh().secret(SECRET).connect();
  }

  private static void assertRefuses(RedisServer server, String command, String right) {
    var refused = assertThrows(IllegalStateException.class, () -> connect(server));
    assertSays(command, refused);
    assertSays("needs " + right, refused);
    assertTrue(!("" + refused.getMessage()).contains("user_script"), refused::toString);
  }

  private static void assertSays(String text, Throwable failure) {
    assertTrue(("" + failure.getMessage()).contains(text), failure::toString);
  }

  private static void user(RedisServer server, List<String> rules) throws Exception {
    String all = "on >pw -@all " + String.join(" ", rules);
    server.command("ACL", "DELUSER", "app");
    server.command(("ACL SETUSER app " + all).split(" "));
  }

  /** Returns the rights as the page lists them. */
  private static List<String> rights() throws Exception {
    String line =
        Files.readAllLines(PAGE).stream()
            .filter(each -> each.startsWith("- **Rights**"))
            .findFirst()
            .orElseThrow();
    return Pattern.compile("[+~][a-z:*|]+")
        .matcher(line)
        .results()
        .map(MatchResult::group)
        .toList();
  }

  private static List<String> without(String right) throws Exception {
    return rights().stream().filter(each -> !each.equals(right)).toList();
  }
}
