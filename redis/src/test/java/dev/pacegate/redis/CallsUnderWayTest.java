package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Each call that a store makes ends, and makes room for another, whatever goes wrong. */
class CallsUnderWayTest {

  private static final Duration LONGEST_CALL = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final List<Asked> asked = new ArrayList<>();
  private final Store store =
      new Store(Asked.connection(asked::add), new Wire(), problem -> problem, () -> {}, time);
  private int failures;

  @Test
  void aCallerThatThrowsKeepsNoOtherWaiting() {
    callAll(() -> List.of("argument"));
    store.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        List::of,
        (reply, problem) -> {
          throw new AssertionError("of a caller");
        });
    callAll(() -> List.of("argument"));
    time.advance(LONGEST_CALL);
    assertEquals(2 * CallWindow.MOST, failures);
  }

  @Test
  void argumentsThatCannotBeMadeTakeNoPlace() {
    callAll(
        () -> {
          throw new LinkageError("of a test");
        });
    assertEquals(CallWindow.MOST, failures);
    assertThereIsRoom();
  }

  @Test
  void callsThatAreGivenUpWhileTheServerAsksForTheScriptTakeNoPlace() {
    callAll(() -> List.of("argument"));
    time.advance(LONGEST_CALL);
    for (Asked call : takeAsked()) {
      call.completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
    }
    assertEquals(CallWindow.MOST, failures);
    assertEquals(List.of(), asked, "not sent again");
    assertThereIsRoom();
  }

  @Test
  void callsThatAreGivenUpWhileReplicasConfirmThemTakeNoPlace() {
    callAll(() -> List.of("argument"));
    for (Asked call : takeAsked()) {
      call.complete(ReplyFields.of("10/1s").replicas(List.of("replica")).toReply());
    }
    time.advance(LONGEST_CALL);
    while (!asked.isEmpty()) {
      List<Asked> question = takeAsked();
      question.get(0).complete(0L);
      question.get(1).complete("");
    }
    assertEquals(CallWindow.MOST, failures);
    assertThereIsRoom();
  }

  private void callAll(Supplier<List<String>> arguments) {
    for (int i = 0; i < CallWindow.MOST; i++) {
      store.run(
          Script.ACQUIRE,
          Address.of("api"),
          1,
          arguments,
          (reply, problem) -> failures += problem == null ? 0 : 1);
    }
  }

  private List<Asked> takeAsked() {
    List<Asked> taken = List.copyOf(asked);
    asked.clear();
    return taken;
  }

  private void assertThereIsRoom() {
    callAll(() -> List.of("argument"));
    assertFalse(asked.isEmpty(), "a later call is made");
  }
}
