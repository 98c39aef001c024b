package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a server is left for the one that has its place now, in virtual time. */
@Timeout(60)
class OneServerTest {

  private static final String REPLICA = "READONLY You can't write against a read only replica.";
  private static final String MISSING =
      "ERR the replica 127.0.0.1:2 is unavailable, but must confirm each permit";

  private static RedisClient client;

  private final ManualTime time = ManualTime.manual(Long.MAX_VALUE - 5);
  private final ServerDouble server = server();
  private final OneServer one = new OneServer(server.node(time), () -> {}, time);

  @BeforeAll
  static void create() {
    client = RedisClient.create();
  }

  @AfterAll
  static void shutDown() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static ServerDouble server() {
    return new ServerDouble(client, ServerCheck.STANDALONE, Duration.ofMinutes(1));
  }

  /** Makes a call, which is answered with an error. */
  private void fail(String error) {
    Asked call = call();
    call.completeExceptionally(new RedisCommandExecutionException(error));
  }

  private Asked call() {
    one.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(List::of, why -> {}, (reply, failure) -> {}));
    return server.asked.stream()
        .filter(each -> each.isScript(Script.ACQUIRE) && !each.isDone())
        .findFirst()
        .orElseThrow();
  }

  private long left() {
    return server.quits;
  }

  @Test
  void aReplicaIsLeftAtOnceAndAgainAfterAWhile() {
    fail(REPLICA);
    assertEquals(1, left());
    time.advance(Duration.ofMillis(499));
    fail(REPLICA);
    assertEquals(1, left());
    time.advance(Duration.ofMillis(1));
    fail(REPLICA);
    assertEquals(2, left());
  }

  @Test
  void aPrimaryWhoseReplicasAreMissingForAWhileIsLeft() {
    time.advance(Duration.ofSeconds(60));
    call().complete(ReplyFields.of("10/1s").toReply()); // it serves
    time.advance(Duration.ofMillis(1999));
    fail(MISSING);
    assertEquals(0, left());
    time.advance(Duration.ofMillis(1));
    fail(MISSING);
    assertEquals(1, left());
    time.advance(Duration.ofMillis(1999));
    fail(MISSING);
    assertEquals(1, left());
    time.advance(Duration.ofMillis(1));
    fail(MISSING);
    assertEquals(2, left());
  }

  @Test
  void aPrimaryThatRefusesForOtherReasonsIsKept() {
    time.advance(Duration.ofSeconds(60));
    for (String error : List.of("OOM command not allowed", "LOADING", "ERR of a script")) {
      fail(error);
      time.advance(Duration.ofSeconds(10));
    }
    assertEquals(0, left());
  }
}
