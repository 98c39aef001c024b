package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a process changes a limit: it looks, and repeats only what names the limit it has seen. */
class ChangeRequestTest {

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Answer> calls = new ArrayDeque<>(); // not answered
  private final List<String> replaced = new ArrayList<>(); // what each call names
  private final List<String> inForce = new ArrayList<>();
  private final Store store = new Store(connection(), new Wire(), problem -> problem, time);

  @Test
  void aChangeWhoseReplyIsLostIsRepeatedAsItWas() {
    ChangeRequest change = change("50/1s", Address.of("api"));
    change.send();
    answer("10/1s", "7", false);
    fail(); // it may have been carried out
    answer("20/1s", "9", false); // a later one is in force
    assertEquals(List.of("", "7", "7"), replaced);
    assertEquals(List.of("20/1s"), inForce);
  }

  @Test
  void aLookThatIsNotAnsweredIsRepeated() {
    ChangeRequest change = change("50/1s", Address.of("api"));
    change.send();
    fail();
    answer("10/1s", "7", false);
    answer("50/1s", "8", false);
    assertEquals(List.of("", "", "7"), replaced);
    assertEquals(List.of("50/1s"), inForce);
  }

  @Test
  void aKeyIsGivenALimitOfItsOwnThatReplacesNone() {
    ChangeRequest change = change("50/1s", new Address("api", "key", "secret"));
    change.send();
    answer("10/1s", "7", false);
    answer("50/1s", "8", true);
    assertEquals(List.of("", "0"), replaced);
  }

  @Test
  void aChangeWhosePlaceAnotherTakesIsSentNoMore() {
    ChangeRequest change = change("50/1s", Address.of("api"));
    change.send();
    change.drop();
    answer("10/1s", "7", false);
    assertEquals(List.of(""), replaced);
    assertEquals(List.of(), inForce);
  }

  private ChangeRequest change(String limit, Address address) {
    return new ChangeRequest(
        "who",
        address,
        terms("10/1s"),
        terms(limit),
        reply -> inForce.add(reply.limit()),
        store,
        time);
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }

  private void fail() {
    calls.remove().completeExceptionally(new RedisCommandExecutionException("cut off"));
    time.advance(Duration.ofMillis(100));
  }

  private void answer(String limit, String revision, boolean own) {
    calls
        .remove()
        .complete(List.of("1000", "1", revision, limit, own ? "1" : "", "0", "", "0", "", ""));
  }

  /** A reply that is awaited. */
  private static final class Answer extends CompletableFuture<List<String>>
      implements RedisFuture<List<String>> {

    @Override
    public @Nullable String getError() {
      return null;
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) {
      return isDone();
    }
  }

  /** Of EVALSHA: the digest, the type of the reply, the keys, the arguments after the claim. */
  private Answer call(Object[] ofCommand) {
    replaced.add(((Object[]) ofCommand[3])[1].toString());
    var answer = new Answer();
    calls.add(answer);
    return answer;
  }

  private StatefulRedisConnection<?, ?> proxied() {
    Object commands =
        Proxy.newProxyInstance(
            ChangeRequestTest.class.getClassLoader(),
            new Class<?>[] {RedisAsyncCommands.class},
            (proxy, method, arguments) -> call(arguments));
    return (StatefulRedisConnection<?, ?>)
        Proxy.newProxyInstance(
            ChangeRequestTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, arguments) ->
                method.getName().equals("async") ? commands : (Object) true);
  }

  @SuppressWarnings("unchecked")
  private StatefulRedisConnection<String, String> connection() {
    return (StatefulRedisConnection<String, String>) proxied();
  }
}
