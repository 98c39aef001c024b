package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a process asks and writes before it serves a key. */
class HandshakeTest {

  private static final String UNKNOWN = "ERR the store does not know this name";
  private static final String OTHERS =
      "ERR this process spreads the keys over 4 tags, and earlier processes over 3: why";

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final List<String> asked = new ArrayList<>();
  private final List<@Nullable Throwable> ended = new ArrayList<>(); // calls for keys
  private final List<Throwable> late = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final List<String> laws = new ArrayList<>();
  private @Nullable RuntimeException ofLaw; // that is thrown when it is asked for
  private @Nullable Error ofTold;
  private ScriptRunner store =
      new Store(Asked.connection(this::ask), new Wire(), problem -> problem, () -> {}, time);
  private Tags tags = new Tags("x", 4);
  private Handshake handshake = handshake();

  private Handshake handshake() {
    var settings = new Settings(WhenDown.WAIT, null, false, null, "label");
    return new Handshake(new Known(), tags.count(), "client", settings, store, time);
  }

  private final class Known implements KeysLimit {

    @Override
    public Address address(int tag) {
      return Address.of("x", tags, tag, "secret");
    }

    @Override
    public Terms known() {
      return terms("10/1s");
    }

    @Override
    public Terms terms(String limit) {
      laws.add(limit);
      if (ofLaw != null) {
        throw ofLaw;
      }
      return Terms.of(Limits.parse(limit), Duration.ZERO);
    }

    @Override
    public void followFirst(Reply reply) {
      told.add(reply.limit());
      if (ofTold != null) {
        throw ofTold;
      }
    }
  }

  private void ask(Asked call) {
    calls.add(call);
    String what = call.keys().size() > 1 ? "use " : "greet ";
    asked.add((call.isScript(Script.CONTROL) ? "look " : what) + call.key(0));
  }

  /** A key of a tag is used. */
  private void use(int tag) {
    use(tag, Callers.of(List::of, late::add, (reply, failure) -> ended.add(failure)));
  }

  private void use(int tag, Caller caller) {
    var address = new Address("x", tag, tags.record(tag), "key", tags.check("secret"));
    handshake.run(Script.ACQUIRE, address, 1, caller);
  }

  private void answer() {
    calls.remove().complete(ReplyFields.of("20/1s").toReply());
  }

  private void refuse(String why) {
    calls.remove().completeExceptionally(new RedisCommandExecutionException(why));
  }

  /** A key of a tag gets a reply of that epoch. */
  private void hear(int tag, String epoch) {
    List<Object> fields = ReplyFields.of("20/1s").epoch(epoch, "why").toReply();
    handshake.answered(tag, new Replies(fields).of(0, 1), null);
  }

  private void agree() {
    use(0);
    answer();
    answer();
    answer();
    assertEquals(1, ended.size());
    asked.clear();
    ended.clear();
  }

  private void assertAsked(String... texts) {
    assertEquals(List.of(texts), asked);
    asked.clear();
  }

  private String look() {
    return "look " + tags.record(1);
  }

  private String greet(int tag) {
    return "greet " + tags.record(tag);
  }

  private String used(int tag) {
    return "use " + tags.record(tag);
  }

  @Test
  void ofANewNameTheFirstTagIsWrittenAndThenTheSecond() {
    use(2);
    refuse(UNKNOWN);
    answer();
    answer();
    assertAsked(look(), greet(0), greet(1), used(2));
    answer();
    assertEquals(1, ended.size());
    assertNull(ended.get(0));
    assertEquals(List.of("20/1s"), told);
  }

  /** So a first tag that is lost has the limit again that the others have. */
  @Test
  void theSecondTellsTheLimitWithWhichTheFirstBegins() {
    use(2);
    answer();
    answer();
    assertAsked(look(), greet(0), used(2));
    assertEquals(List.of("20/1s"), laws);
  }

  @Test
  void aProcessRefusedByTheSecondWritesNothing() {
    use(2);
    refuse(OTHERS);
    assertAsked(look());
    assertEquals(1, ended.size());
    assertNotNull(ended.get(0));
    use(2);
    assertAsked(look()); // again
  }

  @Test
  void allWhoWaitAreServedAfterOneHandshakeAndLaterOnesAtOnce() {
    for (int tag = 0; tag < 4; tag++) {
      use(tag);
    }
    assertAsked(look());
    answer();
    answer();
    assertEquals(5, asked.size(), asked::toString);
    use(3);
    assertEquals(used(3), asked.get(5));
  }

  /** Processes with another number of tags may have come before it began an epoch anew. */
  @Test
  void aTagThatTellsAnotherEpochIsAskedAfterAnotherHandshakeAndTheOthersAreNot() {
    agree();
    hear(2, "7");
    use(3);
    assertAsked(used(3));
    use(2);
    assertAsked(look());
    hear(2, "7");
    answer(); // of the third
    answer();
    answer();
    assertAsked(greet(0), used(2));
    hear(2, "8");
    use(2);
    assertAsked(look());
  }

  @Test
  void aHandshakeUnderWayDoesNotCountForAnEpochThatIsToldMeanwhile() {
    use(2);
    answer();
    hear(2, "7");
    answer();
    assertAsked(look(), greet(0), look());
    answer();
    answer();
    assertAsked(greet(0), used(2));
  }

  @Test
  void aRecordOfOtherTagsIsHeededBeforeAnyTagIsAsked() {
    agree();
    handshake.answered(2, null, new RedisCommandExecutionException(OTHERS));
    use(3);
    assertAsked(look());
    refuse(OTHERS);
    assertNotNull(ended.get(0));
  }

  /** There is nothing to be written: the first tag is its only one, and refuses by itself. */
  @Test
  void aProcessThatDoesNotSpreadItsKeysOnlyLooks() {
    tags = new Tags("x", 1);
    handshake = handshake();
    use(0);
    refuse(UNKNOWN);
    assertAsked(look(), used(0));
  }

  /** So a request that is to be refused when the store is down does not wait for a handshake. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 300})
  void aCallerThatWaitsIsToldThatItIsLateHoweverLongOthersWait(int seconds) {
    use(2, Callers.of(List::of, why -> {}, (reply, failure) -> {}));
    time.advance(Duration.ofSeconds(seconds));
    use(3);
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, late.size());
    time.advance(Duration.ofSeconds(2));
    assertEquals(2, late.size());
    answer();
    answer();
    assertEquals(2, calls.size());
  }

  /** Its timer may run once it was answered: that says nothing of the handshake after it. */
  @Test
  void aCallToldLateOnceItsHandshakeIsOverExplainsNoOther() {
    var callers = new ArrayDeque<Caller>();
    store = runner(callers);
    handshake = handshake();
    use(2);
    Caller earlier = callers.remove();
    earlier.answered(null, new RedisCommandExecutionException("away"));
    earlier.late(new IllegalStateException("earlier, with none under way"));
    use(2);
    earlier.late(new IllegalStateException("earlier"));
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("no answer for 1s"), late.stream().map(Throwable::getMessage).toList());
    callers.remove().late(new IllegalStateException("present"));
    time.advance(Duration.ofSeconds(2));
    assertEquals("present", late.get(1).getMessage());
  }

  private static ScriptRunner runner(Deque<Caller> callers) {
    return new ScriptRunner() {
      @Override
      public void run(Script script, Address address, int terms, Caller caller) {
        callers.add(caller);
      }

      @Override
      public boolean isClosed() {
        return false;
      }
    };
  }

  @Test
  void aCallerThatThrowsKeepsNoOtherFromBeingServed() {
    var throwing = new ArrayList<Throwable>();
    var caller =
        Callers.of(
            List::of,
            why -> {
              throwing.add(why);
              throw new IllegalStateException("of a test");
            },
            (reply, failure) -> {
              throw new IllegalStateException("of a test");
            });
    use(2, caller);
    use(3);
    use(2, caller);
    time.advance(Duration.ofSeconds(3));
    assertEquals(2, late.size());
    assertEquals(4, throwing.size());
    refuse(OTHERS);
    assertEquals(1, ended.size());
  }

  @Test
  void aHandshakeThatThrowsIsOverAndBeginsAnew() {
    ofLaw = new IllegalStateException("of a test");
    use(2);
    answer();
    assertEquals(1, ended.size());
    ofLaw = null;
    ofTold = new LinkageError("of a test");
    use(2);
    answer();
    answer();
    assertEquals(2, ended.size());
    ofTold = null;
    use(2);
    answer();
    answer();
    answer();
    assertEquals(3, ended.size());
    assertNull(ended.get(2));
  }
}
