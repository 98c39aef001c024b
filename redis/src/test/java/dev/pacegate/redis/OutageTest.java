package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * When requests are refused as the store is of no use, whatever comes between what two threads do:
 * the timer's, which calls again, and that which has the replies.
 */
class OutageTest {

  private static final Limit LIMIT = Limits.parse("peer(10/1s)");

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final Settings settings = new Settings(WhenDown.FAIL, Duration.ZERO, true, null, "");
  private final Store store =
      new Store(Asked.connection(this::call), new Wire(), problem -> problem, () -> {}, time);
  private final Doorway sink = new Doorway();
  private final SharedLimit limit =
      new SharedLimit(
          Address.of("api"),
          "a",
          settings,
          store,
          time,
          sink,
          null,
          new SharedSource("api", null, settings, store, time),
          new LeaseBook(Terms.of(LIMIT, Duration.ZERO)));
  private int made; // calls

  OutageTest() {
    visit();
    answer(LIMIT);
    sink.waiting = Cost.ONE;
    visit();
    sink.waiting = Cost.none(); // as requests are refused
  }

  @Test
  void itRefusesUntilTheStoreAnswers() {
    fail();
    assertNotNull(sink.refused);
    time.advance(Duration.ofMillis(20));
    assertNotNull(sink.refused);
    answer(LIMIT);
    assertNull(sink.refused);
  }

  /** Else requests would be refused for ever, as none waits and so none calls. */
  @Test
  void itRefusesUntilTheStoreAnswersThoughAnotherLimitComesMeanwhile() {
    fail();
    Limit other = Limits.parse("peer(20/1s)");
    sink.change(other);
    visit();
    assertNotNull(sink.refused);
    answer(other);
    assertNull(sink.refused);
  }

  /** A late call is under way all the while: its reply is taken, and ends the refusal. */
  @Test
  void itRefusesWhenACallIsLateAndCallsNoMore() {
    int before = made;
    time.advance(Store.LATE.minusNanos(1));
    assertNull(sink.refused);
    time.advanceNanos(1);
    assertTrue(
        ("" + sink.refused).startsWith("the store of api does not answer: no answer for 1s"));
    time.advance(Store.LATE.multipliedBy(5));
    assertNotNull(sink.refused);
    assertEquals(before, made);
    calls.remove().complete(reply(LIMIT).grant(1, 250_000).toReply());
    assertNull(sink.refused);
    assertNull(limit.unavailable(time.nanoTime()));
  }

  /** The timer and the thread that has the reply come together: the reply holds. */
  @Test
  void aCallThatIsToldToBeLateAfterItsAnswerRefusesNothing() {
    sink.beforeNews = () -> answer(LIMIT);
    time.advance(Store.LATE);
    assertTrue(calls.isEmpty());
    assertNull(sink.refused);
    assertNull(limit.unavailable(time.nanoTime()));
  }

  /** Whether requests wait or are refused: metrics and alerts are made of it. */
  @Test
  void aStoreThatIsOfNoUseIsTold() {
    assertNull(limit.unavailable(time.nanoTime()));
    fail();
    String why = "" + limit.unavailable(time.nanoTime());
    assertTrue(why.startsWith("the store of api is not ready: it is a replica"), why);
    assertTrue(why.contains("(READONLY), since 1"), why);
    time.advance(Duration.ofMillis(20));
    answer(LIMIT);
    assertNull(limit.unavailable(time.nanoTime()));
  }

  @Test
  void aStoreThatIsOfNoUseIsNotToldWhileALeaseLasts() {
    calls.remove().complete(reply(LIMIT).grant(3, 250_000).toReply());
    sink.waiting = Cost.of(5);
    visit();
    fail();
    assertNull(limit.unavailable(time.nanoTime()));
    time.advance(Duration.ofMillis(250));
    assertNotNull(limit.unavailable(time.nanoTime()));
  }

  @Test
  void anAnswerWhileItIsRefusedAgainEndsTheRefusal() {
    fail();
    sink.beforeRefusal = () -> answer(LIMIT);
    time.advance(Duration.ofMillis(20));
    assertTrue(calls.isEmpty());
    assertNull(sink.refused);
  }

  @Test
  void aFailureThatIsToldAfterALaterAnswerRefusesNothing() {
    sink.afterNews =
        () -> {
          time.advance(Duration.ofMillis(20));
          answer(LIMIT);
        };
    fail();
    assertTrue(calls.isEmpty());
    assertNull(sink.refused);
  }

  @Test
  void aLimitThatItCannotFollowIsAskedForNowAndThen() {
    Limit other = Limits.parse("peer(20/1s)");
    sink.unfit = other;
    answer(other);
    int before = made;
    for (int i = 0; i < 10; i++) {
      time.advance(Duration.ofMillis(250));
      if (!calls.isEmpty()) {
        answer(other);
      }
    }
    assertEquals(5, made - before);
    assertTrue(("" + sink.refused).contains("peer(20/1s), which this process cannot use"));
    sink.unfit = null;
    time.advance(Duration.ofMillis(500));
    answer(other);
    assertNull(sink.refused);
  }

  /** Else the call would be under way for ever, and no other made. */
  @Test
  void aReplyThatCannotBeUsedIsAskedForAgain() {
    sink.isBroken = true;
    answer(Limits.parse("peer(20/1s)"));
    sink.isBroken = false;
    assertNotNull(sink.refused);
    time.advance(Duration.ofMillis(20));
    answer(LIMIT);
    assertNull(sink.refused);
  }

  private void visit() {
    Runnable errand = limit.errand(time.nanoTime(), sink.waiting);
    if (errand != null) {
      errand.run();
    }
  }

  private void fail() {
    calls.remove().completeExceptionally(new RedisCommandExecutionException("READONLY"));
  }

  private void answer(Limit inForce) {
    calls.remove().complete(reply(inForce).toReply());
  }

  private ReplyFields reply(Limit inForce) {
    String limit = inForce.toString();
    return ReplyFields.of(limit)
        .revision(Integer.toString(limit.length()))
        .at(time.nanoTime() / 1000);
  }

  private void call(Asked request) {
    made++;
    calls.add(request);
  }

  /** Stands for the limiter, and lets another thread come between. */
  private final class Doorway implements NewsSink {
    Cost waiting = Cost.none();
    @Nullable String refused;
    @Nullable Limit unfit;
    boolean isBroken;
    @Nullable Runnable beforeNews; // once
    @Nullable Runnable beforeRefusal; // once
    @Nullable Runnable afterNews; // once

    @Override
    public long now() {
      return time.nanoTime();
    }

    @Override
    public void tell(LongConsumer news) {
      Runnable first = beforeNews;
      beforeNews = null;
      if (first != null) {
        first.run();
      }
      news.accept(now());
      refused = null;
      visit();
      Runnable next = afterNews;
      afterNews = null;
      if (next != null) {
        next.run();
      }
    }

    @Override
    public void change(Limit next) {
      if (isBroken) {
        throw new IllegalStateException("of a test");
      }
      if (next.equals(unfit)) {
        throw new IllegalArgumentException("of another version");
      }
      limit.book().change(Terms.of(next, Duration.ZERO), now());
    }

    @Override
    public void refuse(String why) {
      Runnable first = beforeRefusal;
      beforeRefusal = null;
      if (first != null) {
        first.run();
      }
      refused = requireNonNull(why);
    }
  }
}
