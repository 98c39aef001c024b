package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a process changes a limit: it looks, and repeats only what names the limit it has seen. */
class ChangeRequestTest {

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final List<String> replaced = new ArrayList<>(); // what each call names
  private final List<String> inForce = new ArrayList<>();
  private final Store store =
      new Store(Asked.connection(this::call), new Wire(), problem -> problem, () -> {}, time);

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

  @Test
  void aChangeThatAnotherOvertookIsToldAsThat() {
    try (var log = new LoggedLines()) {
      changeWhile(ReplyFields.of("20/1s").revision("9"));
      assertEquals(
          List.of(
              "api: the limit is 20/1s: another change was made while this process was changing it to"
                  + " 50/1s"),
          log.with("api: "));
    }
  }

  /** The text of a process is in force then. */
  @Test
  void aChangeThatTheStoreHasForgottenIsToldAsThat() {
    try (var log = new LoggedLines()) {
      changeWhile(
          ReplyFields.of("10/1s").revision("9").epoch("2", "the store does not know this name"));
      assertEquals(
          List.of(
              "api: the limit is 10/1s again because the store has lost everything, including the"
                  + " change to 50/1s; change it once more"),
          log.with("api: "));
    }
  }

  /** A name that the store did not know when it was asked first. */
  @Test
  void aChangeThatIsOvertakenInTheFirstEpochOfANameIsToldAsThat() {
    try (var log = new LoggedLines()) {
      change("50/1s", Address.of("api")).send();
      String unknown = "the store does not know this name";
      calls.remove().complete(ReplyFields.of("10/1s").epoch("1", unknown).toReply());
      calls.remove().complete(ReplyFields.of("20/1s").revision("9").epoch("1", unknown).toReply());
      assertEquals(1, log.with("another change was made").size());
    }
  }

  private void changeWhile(ReplyFields after) {
    change("50/1s", Address.of("api")).send();
    answer("10/1s", "7", false);
    calls.remove().complete(after.toReply());
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
    calls.remove().complete(ReplyFields.of(limit).revision(revision).own(own).toReply());
  }

  private void call(Asked change) {
    replaced.add(change.argument(1));
    calls.add(change);
  }
}
