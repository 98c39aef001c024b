package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a server is checked, in virtual time. */
@Timeout(60)
class NodeTest {

  private static RedisClient client;

  private final ManualTime time = ManualTime.manual(-1);
  private final ServerDouble server = server(Duration.ofMinutes(1));
  private final Node node = server.node(time);
  private final List<String> told = new ArrayList<>(); // why calls failed

  @BeforeAll
  static void create() {
    client = RedisClient.create();
  }

  @AfterAll
  static void shutDown() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static ServerDouble server(Duration timeout) {
    return new ServerDouble(client, ServerCheck.STANDALONE, timeout);
  }

  private void call() {
    node.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(List::of, why -> {}, (reply, failure) -> told.add(Causes.ofCall(failure))));
  }

  private long scripts() {
    return server.asked.stream().filter(each -> each.isScript(Script.ACQUIRE)).count();
  }

  /** A client of the user's own would keep all that until it is connected again. */
  @Test
  void aConnectionThatIsLostIsAskedNothing() {
    call();
    server.lose();
    server.asked.clear();
    server.isSilent = true;
    for (int i = 0; i < 100; i++) {
      call();
      time.advance(Duration.ofSeconds(1));
    }
    assertEquals(List.of(), server.asked);
    assertEquals(100, told.size());
    assertEquals("does not answer: not connected", told.get(99));
  }

  @Test
  void aServerThatDoesNotAnswerIsAskedOnceAndPassesLate() {
    server.isSilent = true;
    call();
    int asked = server.asked.size();
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofSeconds(1));
      call();
    }
    assertEquals(asked, server.asked.size());
    assertEquals("does not answer: no answer for 2s", told.get(told.size() - 1));
    server.answerAll();
    assertEquals(0, server.asked.size() - scripts());
    assertTrue(scripts() > 0);
  }

  @Test
  void theNextConnectionIsChecked() {
    call();
    assertEquals(1, scripts());
    server.mode = ServerCheck.CLUSTER;
    server.reconnect();
    call();
    assertEquals(1, scripts());
    assertTrue(told.get(0).contains("it is in cluster mode"), told::toString);
  }

  /** The client repeats on the next connection what was not answered on the last. */
  @Test
  void answersOfTwoConnectionsAreNoCheck() {
    server.isSilent = true;
    call();
    Asked first = server.asked.remove(0);
    first.complete("redis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:first\r\n");
    server.reconnect();
    server.answerAll();
    assertEquals(0, scripts());
    assertEquals(List.of("does not answer: the connection was lost"), told);
    call();
    assertEquals(1, scripts());
  }

  @Test
  void aCheckOfTheConnectionThatWasLostDoesNotHoldUpTheNext() {
    server.isSilent = true;
    call();
    server.reconnect();
    server.isSilent = false;
    call();
    assertEquals(1, scripts());
    assertEquals(List.of("does not answer: the connection was lost"), told);
  }

  private static void awaitState(Thread thread, Thread.State state) {
    while (thread.getState() != state) {
      Thread.onSpinWait();
    }
  }

  /** It is stated as zero. */
  @Test
  void aClientWithoutALimitOfTimeIsWaitedFor() throws Exception {
    ServerDouble patient = server(Duration.ZERO);
    patient.isSilent = true;
    Node slow = patient.node(time);
    Thread waiting = Thread.currentThread();
    var answering =
        CompletableFuture.runAsync(
            () -> {
              awaitState(waiting, Thread.State.TIMED_WAITING);
              patient.answerAll();
            });
    slow.require();
    answering.get();
    assertNull(slow.pending());
  }
}
