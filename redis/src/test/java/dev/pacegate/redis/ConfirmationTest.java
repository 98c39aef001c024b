package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call counts as answered once all replicas that its reply names have confirmed it. */
class ConfirmationTest {

  private final Wire wire = new Wire();
  private final Store store =
      new Store(connection(), wire, problem -> problem, ManualTime.manual(1_000_000_000));
  private final List<Asked> asked = new ArrayList<>();
  private @Nullable Reply reply;
  private int replies;
  private @Nullable Throwable failure;

  @Test
  void withoutReplicasNothingIsWaitedFor() {
    call();
    answer(0);
    assertNotNull(reply);
    assertEquals(0, asked.size());
  }

  @Test
  void aReplyThatNamesReplicasIsWaitedFor() {
    call();
    answer(2);
    assertNull(reply);
    assertEquals("waitForReplication 2", asked.get(0).text);
    confirm(2);
    assertNotNull(reply);
  }

  /** The server reads nothing else meanwhile: one question for each call would hold up all. */
  @Test
  void callsThatAreAnsweredWhileAnotherIsConfirmedShareTheNextQuestion() {
    call();
    answer(1);
    Asked first = asked.remove(0);
    call();
    answer(1);
    call();
    answer(2);
    assertEquals(0, asked.size());
    first.complete(1L);
    assertEquals(1, replies);
    assertEquals("waitForReplication 2", asked.get(0).text);
    confirm(2);
    assertNotNull(reply);
    assertEquals(3, replies);
    assertEquals(0, asked.size());
  }

  @Test
  void oneReplicaOfTwoIsNotEnough() {
    call();
    answer(2);
    confirm(1);
    assertNull(reply);
    assertEquals(
        "has no answer from 1 of its 2 replicas, which must confirm what is granted", message());
  }

  @Test
  void aConfirmationOnAnotherConnectionIsNotBelieved() {
    call();
    answer(1);
    wire.lose();
    confirm(1);
    assertNull(reply);
    assertEquals("was lost before its replicas had confirmed what it granted", message());
  }

  @Test
  void aQuestionThatFailsHoldsUpNoLaterOne() {
    call();
    answer(1);
    asked.remove(0).completeExceptionally(new IllegalStateException("away"));
    assertNull(reply);
    call();
    answer(1);
    confirm(1);
    assertNotNull(reply);
  }

  @Test
  void aServerThatAsksForItsAddressIsToldItWithItsRun() {
    call();
    asked.remove(0).complete(List.of("run1"));
    assertEquals("run1 ", asked.get(0).claim);
    answer(0);
    assertNotNull(reply);
  }

  private @Nullable String message() {
    Throwable told = failure;
    return told == null ? null : told.getMessage();
  }

  private void call() {
    reply = null;
    failure = null;
    store.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        List.of("argument"),
        (told, problem) -> {
          reply = told;
          replies += told == null ? 0 : 1;
          failure = problem;
        });
  }

  private void answer(int replicas) {
    String header = Integer.toString(replicas);
    asked
        .remove(0)
        .complete(List.of("1", "1", "1", "10/1s", "", "0", "", "0", "", header, "0", ""));
  }

  private void confirm(long count) {
    asked.remove(0).complete(count);
  }

  /** A command that is not answered. */
  private static final class Asked extends CompletableFuture<Object>
      implements RedisFuture<Object> {
    final String text;
    final String claim;

    Asked(String name, Object[] arguments) {
      this.text = name + " " + arguments[0];
      this.claim =
          arguments.length > 3 && arguments[3] instanceof String[] texts ? texts[0] : "none";
    }

    @Override
    public @Nullable String getError() {
      return null;
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) {
      return isDone();
    }
  }

  private Asked ask(String name, Object[] arguments) {
    var command = new Asked(name, arguments);
    asked.add(command);
    return command;
  }

  @SuppressWarnings("unchecked")
  private StatefulRedisConnection<String, String> connection() {
    Object commands =
        Proxy.newProxyInstance(
            ConfirmationTest.class.getClassLoader(),
            new Class<?>[] {RedisAsyncCommands.class},
            (proxy, method, arguments) -> ask(method.getName(), arguments));
    return (StatefulRedisConnection<String, String>)
        Proxy.newProxyInstance(
            ConfirmationTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, arguments) ->
                method.getName().equals("async") ? commands : (Object) true);
  }
}
