package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.RedisSetup;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store in trouble: requests wait or are refused, never is one let through too much, and soon
 * after the store is well all go on.
 */
@Tag("slow")
@Timeout(180)
class StoreTroubleTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void downAndBack() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      server.kill9();
      traffic.awaitRefusal("does not answer");
      traffic.assertStands();
      server.restart();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void goingAwayAgainAndAgain() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      for (int i = 0; i < 4; i++) {
        server.kill9();
        Thread.sleep(i * 50L); // away for a while
        server.restart();
        Thread.sleep(i * 200L); // back, for less than a fence or for more
      }
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void fullAndRefusingWrites() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      server.command("CONFIG", "SET", "maxmemory", "1");
      traffic.awaitRefusal("OOM"); // but a script that begins by deleting is carried out
      server.command("CONFIG", "SET", "maxmemory", "0");
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void fullAndDroppingOurKeys() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      String used = Objects.requireNonNull(server.info("memory", "used_memory"));
      server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      server.command("CONFIG", "SET", "maxmemory", "" + (Long.parseLong(used) + 2_000_000));
      for (int losses = 0; losses < 3; losses++) {
        var before = epoch(server);
        Await.until("the record is dropped", SOON, () -> fill(server) && isAnother(server, before));
        Thread.sleep(losses * 250L); // within the fence of the first loss, and after it
      }
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  private static boolean fill(RedisServer server) throws Exception {
    for (int i = 0; i < 8; i++) {
      server.command("SET", "other" + i, "x".repeat(400_000));
    }
    return true;
  }

  private static boolean isAnother(RedisServer server, @Nullable Object began) throws Exception {
    return !Objects.equals(began, epoch(server));
  }

  private static @Nullable Object epoch(RedisServer server) throws Exception {
    String script =
        "local record = redis.call('GET', KEYS[1])\n"
            + "return record and tostring(cmsgpack.unpack(record).began) or ''";
    return server.command("EVAL", script, "1", "pacegate:{api}");
  }

  @Test
  void becomingAReplicaForAWhile() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var other = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      server.follow(other);
      server.awaitInStep(other);
      traffic.awaitRefusal("READONLY");
      traffic.assertStands();
      server.promote();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void aWrongPassword() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).password("secret").start()) {
      var remains = new Remains();
      String wrong = server.uri().replace("secret", "wrong");
      Await.until( // a server that is slow at first is another reason
          "the password is refused",
          SOON,
          () -> {
            var refused =
                assertThrows(RedisConnectionException.class, () -> RedisLimiters.connect(wrong));
            return ("" + refused.getCause()).contains("WRONGPASS");
          });
      remains.assertNone(server);
    }
  }

  @Test
  void aPasswordThatIsChanged() throws Exception {
    try (var server = withUser("app on >pw ~* +@all").start();
        var traffic = Traffic.by(server.uri("app", "pw"))) {
      server.command("ACL", "SETUSER", "app", "resetpass", ">other");
      server.command("CLIENT", "KILL", "USER", "app");
      traffic.awaitRefusal("WRONGPASS");
      traffic.assertStands();
      server.command("ACL", "SETUSER", "app", "resetpass", ">pw");
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void aUserWhoMayNotCallInfo() throws Exception {
    try (var server = withUser("app on >pw ~* +@all -info").start()) {
      var remains = new Remains();
      var refused =
          assertThrows(
              IllegalStateException.class, () -> RedisLimiters.connect(server.uri("app", "pw")));
      assertTrue(("" + refused.getMessage()).contains("INFO"), refused::toString);
      remains.assertNone(server);
    }
  }

  @Test
  void aUserWhoMayNotCallInfoAnyMore() throws Exception {
    try (var server = withUser("app on >pw ~* +@all").start();
        var traffic = Traffic.by(server.uri("app", "pw"))) {
      server.command("ACL", "SETUSER", "app", "-info");
      traffic.awaitRefusal("INFO");
      traffic.assertStands();
      server.command("ACL", "SETUSER", "app", "+info");
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  private static RedisSetup withUser(String rules) {
    return RedisServer.with(Version.V6_2).user(rules);
  }

  @Test
  void aKeyOfAnotherType() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      // In one step, as the traffic would make the key anew in between.
      String replace =
          "redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], 'something else')";
      server.command("EVAL", replace, "1", "pacegate:{api}");
      traffic.awaitRefusal("WRONGTYPE");
      traffic.assertStands();
      server.command("DEL", "pacegate:{api}");
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void aKeyWithAnotherContent() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      server.command("SET", "pacegate:{api}", "something else");
      traffic.awaitRefusal("is not a record of this version");
      traffic.assertStands();
      server.command("DEL", "pacegate:{api}");
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void forgettingScripts() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var traffic = Traffic.by(server.uri())) {
      for (int i = 0; i < 30; i++) {
        server.command("SCRIPT", "FLUSH");
        Thread.sleep(20); // between calls of the scripts, and in them
      }
      traffic.assertNoErrorOfTheStore();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }
}
