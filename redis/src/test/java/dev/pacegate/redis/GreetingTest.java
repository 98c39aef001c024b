package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a process asks and writes before it serves a key. */
class GreetingTest {

  private static final String UNKNOWN = "ERR the store does not know this name";
  private static final String OTHERS =
      "ERR this process spreads the keys over 4 tags, and earlier processes over 3: why";

  private static final Terms TERMS = Terms.of(Limits.parse("10/1s"), Duration.ZERO);

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final List<String> asked = new ArrayList<>();
  private final List<@Nullable Throwable> ended = new ArrayList<>();
  private final List<Throwable> late = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final List<@Nullable String> laws = new ArrayList<>();
  private final Store store =
      new Store(Asked.connection(this::call), new Wire(), problem -> problem, () -> {}, time);
  private Greeting greeting = greeting(4);

  private Greeting greeting(int count) {
    var tags = new Tags("x", count);
    return new Greeting(
        Address.of("x", tags, 0, "secret"),
        Address.of("x", tags, 1, "secret"),
        "client",
        new Settings(WhenDown.WAIT, null, false, null, "label"),
        store,
        limit -> {
          laws.add(limit);
          return TERMS;
        },
        reply -> told.add(reply.limit()));
  }

  private void call(Asked call) {
    calls.add(call);
    asked.add((call.isScript(Script.CONTROL) ? "look " : "greet ") + call.key(0));
  }

  private void answer() {
    calls.remove().complete(ReplyFields.of("20/1s").toReply());
  }

  private void refuse(String why) {
    calls.remove().completeExceptionally(new RedisCommandExecutionException(why));
  }

  private static String record(int tag) {
    return new Tags("x", 2).record(tag);
  }

  @Test
  void ofANewNameTheFirstTagIsWrittenAndThenTheSecond() {
    greeting.before(late::add, ended::add);
    refuse(UNKNOWN);
    answer();
    assertEquals(List.of(), ended);
    answer();
    assertEquals(List.of("look " + record(1), "greet " + record(0), "greet " + record(1)), asked);
    assertEquals(1, ended.size());
    assertNull(ended.get(0));
    assertEquals(List.of("20/1s"), told);
  }

  /** So a first tag that is lost has the limit again that the others have. */
  @Test
  void theSecondTellsTheLimitWithWhichTheFirstBegins() {
    greeting.before(late::add, ended::add);
    answer();
    answer();
    assertEquals(List.of("20/1s"), laws);
    assertEquals(1, ended.size());
  }

  @Test
  void aProcessRefusedByTheSecondWritesNothing() {
    greeting.before(late::add, ended::add);
    refuse(OTHERS);
    assertEquals(List.of("look " + record(1)), asked);
    assertEquals(1, ended.size());
    greeting.before(late::add, ended::add);
    assertEquals(2, asked.size(), "it asks again");
  }

  @Test
  void allWhoWaitAreToldByOneGreetingAndLaterOnesAtOnce() {
    for (int i = 0; i < 5; i++) {
      greeting.before(late::add, ended::add);
    }
    answer();
    answer();
    assertEquals(5, ended.size());
    greeting.before(late::add, ended::add);
    assertEquals(6, ended.size());
    assertEquals(2, asked.size());
  }

  @Test
  void aGreetingThatIsRenewedWhileItIsUnderWayIsSaidAgain() {
    greeting.before(late::add, ended::add);
    answer();
    greeting.renew();
    answer();
    assertEquals(List.of(), ended);
    answer();
    answer();
    assertEquals(1, ended.size());
    greeting.renew();
    greeting.before(late::add, ended::add);
    assertEquals(1, ended.size());
  }

  /** There is nothing to be written: the first tag is its only one, and refuses by itself. */
  @Test
  void aProcessThatDoesNotSpreadItsKeysOnlyLooks() {
    greeting = greeting(1);
    greeting.before(late::add, ended::add);
    refuse(UNKNOWN);
    assertEquals(List.of("look " + record(1)), asked);
    assertEquals(1, ended.size());
    assertNull(ended.get(0));
  }

  /** So a request that is to be refused when the store is down does not wait for a greeting. */
  @Test
  void aCallerThatWaitsForAGreetingIsToldThatItIsLate() {
    greeting.before(late::add, ended::add);
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, late.size());
    answer();
    answer();
    assertEquals(1, ended.size());
  }
}
