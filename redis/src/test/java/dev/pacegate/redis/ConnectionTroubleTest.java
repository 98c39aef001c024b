package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Permit;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A network in trouble: requests wait or are refused, never is one let through too much, and soon
 * after the network is well all go on.
 */
@Tag("slow")
@Timeout(180)
class ConnectionTroubleTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private RedisServer server;
  private CutProxy proxy;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    proxy = new CutProxy(server.port());
  }

  @AfterEach
  void close() throws Exception {
    try (var one = server;
        var other = proxy) {
      // Closes both, whatever happens to the other.
    }
  }

  @Test
  void slow() throws Exception {
    proxy.delay(Duration.ofMillis(50), Duration.ofMillis(50));
    try (var traffic = Traffic.by(proxy.uri(server), "peer(40/1s, margin=0s, unanswered=50ms)")) {
      int before = traffic.count();
      Await.until("more than two bursts", SOON, () -> traffic.count() - before > 80);
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  /** Each reply is late, and what it grants is valid for half a second yet. */
  @Test
  void lateReplies() throws Exception {
    String limit = "peer(20/8s, margin=0s, unanswered=50ms)";
    try (var traffic = Traffic.byOwnClient(proxy.uri(server), limit)) {
      proxy.delay(Duration.ZERO, Duration.ofMillis(1500));
      Thread.sleep(4_000); // what was leased before is over
      int before = traffic.count();
      Await.until("late replies let it send", SOON, () -> traffic.count() - before > 20);
      traffic.awaitRefusal("no answer for 1s");
      proxy.delay(Duration.ZERO, Duration.ZERO);
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  /** What each reply grants is over when it comes, but for what is granted ahead of time. */
  @Test
  void repliesThatComeAfterSeconds() throws Exception {
    try (var traffic = Traffic.byOwnClient(proxy.uri(server), "peer(20/4s, unanswered=50ms)")) {
      for (int seconds : new int[] {2, 5}) {
        proxy.delay(Duration.ZERO, Duration.ofSeconds(seconds));
        traffic.awaitRefusal("no answer for 1s");
        Thread.sleep(seconds * 1000L); // the reply comes, and the next call is made
        proxy.delay(Duration.ZERO, Duration.ZERO);
        traffic.awaitRecovery();
      }
      traffic.end(server);
    }
  }

  /** It takes what is late for lost: each such call fails, and is repeated. */
  @Test
  void repliesThatTheProgramsOwnClientDoesNotAwait() throws Exception {
    try (var traffic =
        Traffic.byImpatientClient(proxy.uri(server), Traffic.SHORT, Duration.ofMillis(150))) {
      proxy.delay(Duration.ZERO, Duration.ofMillis(200));
      traffic.awaitRefusal("Command timed out");
      traffic.assertStands();
      proxy.delay(Duration.ZERO, Duration.ZERO);
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  /** Closing waits for them no longer than for a server that is away. */
  @Test
  void endedWhileRepliesAreLate() throws Exception {
    try (var traffic = Traffic.byOwnClient(proxy.uri(server), Traffic.SHORT)) {
      proxy.delay(Duration.ZERO, SOON);
      traffic.awaitRefusal("no answer for 1s");
      long began = System.nanoTime();
      traffic.close();
      assertTrue(System.nanoTime() - began < SOON.toNanos());
      proxy.cut();
      traffic.end(server);
    }
  }

  @Test
  void tooSlow() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.delay(Duration.ofMillis(60), Duration.ofMillis(60));
      Thread.sleep(1000); // every lease is over before it comes
      proxy.delay(Duration.ZERO, Duration.ZERO);
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void tooFarForPlaces() throws Exception {
    proxy.delay(Duration.ofMillis(60), Duration.ofMillis(60));
    try (var log = new LoggedLines();
        var redis = RedisLimiters.builder(proxy.uri(server)).fresh().connect()) {
      Future<Permit> waiting = redis.limiter("far", "concurrent(20)").acquireAsync();
      Await.until(
          "it is told with numbers",
          SOON,
          () -> !log.with("and must take less than 100ms for concurrent(20)").isEmpty());
      assertFalse(waiting.isDone());
      proxy.delay(Duration.ZERO, Duration.ZERO);
      waiting.get(SOON.toSeconds(), TimeUnit.SECONDS).answered();
    }
  }

  @Test
  void paused() throws Exception {
    try (var traffic = Traffic.by(server.uri())) {
      for (int i = 0; i < 10; i++) {
        server.command("CLIENT", "PAUSE", "100");
        Thread.sleep(130); // the pause, and a while to go on
      }
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void awayAgainAndAgain() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      for (int i = 0; i < 6; i++) {
        proxy.refuse();
        Thread.sleep(i * 30L); // away for a while
        proxy.heal();
        Thread.sleep(i * 30L); // back, perhaps before a client has seen it
      }
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void refused() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.refuse();
      traffic.awaitRefusal("Connection refused");
      traffic.assertStands();
      proxy.heal();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void cutInMidReply() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      for (int bytes = 0; bytes < 160; bytes += 10) {
        proxy.cutAfter(bytes);
        Thread.sleep(40); // meanwhile it is cut, and connected again
      }
      proxy.heal();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void killedByTheServer() throws Exception {
    try (var traffic = Traffic.by(server.uri())) {
      for (int i = 0; i < 20; i++) {
        server.command("CLIENT", "KILL", "TYPE", "normal");
        Thread.sleep(40); // while it reconnects, and after
      }
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void heldUp() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.hold();
      traffic.awaitRefusal("no answer for 1s");
      traffic.assertStands();
      proxy.heal();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void forgotten() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.hold();
      traffic.awaitRefusal("no answer");
      proxy.forget();
      proxy.heal();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void forgottenWhileConnecting() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.hold();
      server.command("CLIENT", "KILL", "TYPE", "normal");
      proxy.cut();
      Thread.sleep(500); // by then it connects anew, and hears nothing
      proxy.forget();
      proxy.heal();
      traffic.awaitRecovery();
      traffic.end(server);
    }
  }

  @Test
  void endedWhileItIsAway() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.refuse();
      traffic.awaitRefusal("Connection refused");
      long began = System.nanoTime();
      traffic.end(server);
      assertTrue(System.nanoTime() - began < SOON.toNanos());
    }
  }

  @Test
  void endedWhileItIsHeldUp() throws Exception {
    try (var traffic = Traffic.by(proxy.uri(server))) {
      proxy.hold();
      traffic.awaitRefusal("no answer");
      long began = System.nanoTime();
      traffic.close();
      assertTrue(System.nanoTime() - began < SOON.toNanos());
      proxy.heal();
      traffic.end(server);
    }
  }
}
