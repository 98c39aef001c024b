package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Each call that a store makes ends, and makes room for another, whatever goes wrong. */
class CallsUnderWayTest {

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final List<Asked> asked = new ArrayList<>();
  private final Store store =
      new Store(Asked.connection(asked::add), new Wire(), problem -> problem, () -> {}, time);
  private final List<String> late = new ArrayList<>(); // what late calls were told
  private int replies;
  private int failures;

  /** The client of another program may give up a call by itself: that is a failure like others. */
  @Test
  void aCallThatFailsMakesRoomThoughACallerThrows() {
    callAll(() -> List.of("argument"));
    store.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(
            List::of,
            why -> {
              throw new AssertionError("of a caller");
            },
            (reply, problem) -> {
              throw new AssertionError("of a caller");
            }));
    callAll(() -> List.of("argument"));
    time.advance(Store.LATE);
    while (!asked.isEmpty()) {
      takeAsked()
          .forEach(call -> call.completeExceptionally(new RedisCommandTimeoutException("late")));
    }
    assertEquals(2 * CallWindow.MOST, failures);
    assertIdle();
  }

  @Test
  void argumentsThatCannotBeMadeTakeNoPlace() {
    callAll(
        () -> {
          throw new LinkageError("of a test");
        });
    assertEquals(CallWindow.MOST, failures);
    assertIdle();
  }

  @Test
  void aLateCallStaysUnderWayAndItsReplyIsTaken() {
    call();
    time.advance(Store.LATE.minusNanos(1));
    assertEquals(List.of(), late);
    time.advanceNanos(1);
    time.advance(Store.LATE);
    assertEquals(List.of("no answer for 1s", "no answer for 1s"), late);
    answer(takeAsked());
    assertEquals(1, replies);
    assertEquals(0, failures);
    assertIdle();
  }

  /** However many there are, the last knows after a second that it has to wait. */
  @Test
  void aCallThatWaitsForItsTurnIsLateAsSoonAsOneThatIsMade() {
    callAll(() -> List.of("argument"));
    time.advance(Store.LATE);
    late.clear();
    time.advance(Store.LATE.dividedBy(2));
    call();
    time.advance(Store.LATE.minusNanos(1));
    int others = late.size();
    time.advanceNanos(1);
    assertEquals(List.of("no answer for 1s, as many calls wait"), late.subList(others, others + 1));
    assertEquals(CallWindow.MOST, asked.size());
  }

  @Test
  void lateCallsThatTheServerAsksForTheScriptAreSentAgain() {
    callAll(() -> List.of("argument"));
    time.advance(Store.LATE);
    for (Asked call : takeAsked()) {
      call.completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
    }
    assertEquals(CallWindow.MOST, asked.size());
    answer(takeAsked());
    assertEquals(CallWindow.MOST, replies);
    assertIdle();
  }

  @Test
  void callsThatNoReplicaConfirmsTakeNoPlace() {
    callAll(() -> List.of("argument"));
    for (Asked call : takeAsked()) {
      call.complete(ReplyFields.of("10/1s").replicas(List.of("replica")).toReply());
    }
    time.advance(Store.LATE);
    while (!asked.isEmpty()) {
      List<Asked> question = takeAsked();
      question.get(0).complete(0L);
      question.get(1).complete("");
    }
    assertEquals(CallWindow.MOST, failures);
    assertIdle();
  }

  @Test
  void closingFailsCallsThatAreLateAndCallsThatWait() {
    callAll(() -> List.of("argument"));
    call();
    time.advance(Store.LATE);
    store.close(Duration.ZERO);
    assertEquals(CallWindow.MOST + 1, failures);
    assertEquals(0, time.pending());
    List<Asked> made = takeAsked();
    made.forEach(call -> call.completeExceptionally(new RedisNoScriptException("NOSCRIPT")));
    assertEquals(List.of(), asked, "none is made any more");
    assertEquals(CallWindow.MOST + 1, failures);
  }

  private void callAll(Supplier<List<String>> arguments) {
    for (int i = 0; i < CallWindow.MOST; i++) {
      call(arguments);
    }
  }

  private void call() {
    call(() -> List.of("argument"));
  }

  private void call(Supplier<List<String>> arguments) {
    store.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(
            arguments,
            why -> late.add(why.getMessage()),
            (reply, problem) -> {
              replies += reply == null ? 0 : 1;
              failures += problem == null ? 0 : 1;
            }));
  }

  private static void answer(List<Asked> calls) {
    calls.forEach(call -> call.complete(ReplyFields.of("10/1s").toReply()));
  }

  private List<Asked> takeAsked() {
    List<Asked> taken = List.copyOf(asked);
    asked.clear();
    return taken;
  }

  /** No timer is left, and a later call is made. */
  private void assertIdle() {
    assertEquals(0, time.pending());
    assertEquals(List.of(), asked);
    call();
    assertFalse(asked.isEmpty(), "a later call is made");
  }
}
