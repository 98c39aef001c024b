package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Supervision;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.TestSubscriber;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;

/** Elements for tokens: the cases TO-1 to TO-7, and what may go wrong. */
@SuppressWarnings("NullAway.Init") // set by run
class TokenStreamTest extends StreamTest {

  private final RuntimeException failure = new IllegalStateException("broken");

  private final AtomicInteger asked = new AtomicInteger();

  private TestPublisher.Probe<Integer> elements;
  private TestPublisher.Probe<Long> tokens;
  private TestSubscriber.Probe<Integer> sink;

  /** Runs a stream with its three ends in hand, and some demand. */
  private void run(ToLongFunction<Integer> cost, int demand) {
    var flow = TokenStream.byCost(TestSource.<Long>create(system), cost);
    var ends =
        TestSource.<Integer>create(system)
            .viaMat(flow, Keep.both())
            .toMat(TestSink.<Integer>create(system), Keep.both())
            .run(materializer);
    elements = ends.first().first();
    tokens = ends.first().second();
    sink = ends.second();
    if (demand > 0) {
      sink.request(demand);
    }
  }

  /** Returns tokens without end, and counts how often they are asked for. */
  private Source<Long, NotUsed> granting(long each) {
    return Source.repeat(each)
        .map(
            granted -> {
              asked.incrementAndGet();
              return granted;
            });
  }

  @Test // TO-1
  void passesAsManyAsThereAreTokens() {
    run(element -> 1, 10);
    tokens.sendNext(2L);
    from(1, 3).forEach(elements::sendNext);
    sink.expectNext(1, 2);
    sink.expectNoMessage(Duration.ZERO);
    tokens.sendNext(1L);
    sink.expectNext(3);
    elements.sendComplete();
    sink.expectComplete();
    tokens.expectCancellation();
  }

  @Test // TO-2
  void asksForTokensOnlyWhenItHasNone() {
    var all = numbers(25).via(TokenStream.of(granting(10))).runWith(Sink.seq(), materializer);
    assertEquals(from(1, 25), await(all));
    assertEquals(3, asked.get());
  }

  @Test // TO-4
  void completesWhenThereWillBeNoMoreTokens() {
    run(element -> 1, 10);
    tokens.sendNext(2L);
    elements.sendNext(1);
    sink.expectNext(1);
    tokens.sendComplete();
    elements.sendNext(2);
    sink.expectNext(2).expectComplete();
    elements.expectCancellation();
  }

  @Test // TO-5
  void completesWithTheElements() {
    run(element -> 1, 10);
    tokens.sendNext(10L);
    elements.sendNext(1).sendNext(2).sendComplete();
    sink.expectNext(1, 2).expectComplete();
  }

  @Test // TO-6
  void dropsWhatTheTokensNeverSufficeFor() {
    run(element -> 5, 10);
    tokens.sendNext(8L);
    elements.sendNext(1).sendNext(2);
    sink.expectNext(1);
    sink.expectNoMessage(Duration.ZERO);
    tokens.sendComplete();
    sink.expectComplete();
  }

  @Test // TO-7
  void collectsTokensWithoutDemand() {
    var late =
        numbers(1)
            .via(TokenStream.byCost(granting(1), element -> 100))
            .runWith(TestSink.<Integer>create(system), materializer);
    late.ensureSubscription().expectNoMessage(Duration.ZERO);
    assertEquals(100, asked.get());
    late.requestNext(1).expectComplete();
    assertEquals(100, asked.get());
  }

  @Test
  void passesTheLastElementWhenItsTokensCome() {
    run(element -> 2, 10);
    elements.sendNext(1).sendComplete();
    tokens.sendNext(1L);
    sink.expectNoMessage(Duration.ZERO);
    tokens.sendNext(1L);
    sink.expectNext(1).expectComplete();
  }

  @Test
  void waitsForDemandWhenTokensHaveCompleted() {
    run(element -> 2, 0);
    elements.sendNext(1);
    tokens.sendNext(2L).sendComplete();
    sink.ensureSubscription().expectNoMessage(Duration.ZERO);
    sink.requestNext(1).expectComplete();
  }

  @Test
  void aFreeElementNeedsNoTokens() {
    run(element -> element, 10);
    elements.sendNext(0).sendNext(0);
    sink.expectNext(0, 0);
    elements.sendNext(1);
    sink.expectNoMessage(Duration.ZERO);
    tokens.sendComplete();
    sink.expectComplete();
  }

  @Test
  void sumsSaturate() {
    run(element -> element == 1 ? Long.MAX_VALUE : 1, 10);
    elements.sendNext(1);
    tokens.sendNext(Long.MAX_VALUE - 1);
    sink.expectNoMessage(Duration.ZERO);
    tokens.sendNext(Long.MAX_VALUE);
    sink.expectNext(1);
    elements.sendNext(2);
    sink.expectNoMessage(Duration.ZERO);
    sink.cancel();
  }

  @Test
  void failsAtANegativeGrant() {
    run(element -> 1, 10);
    tokens.sendNext(-1L);
    Throwable error = sink.expectError();
    assertInstanceOf(IllegalArgumentException.class, error);
    assertEquals("a grant of tokens must not be negative: -1", error.getMessage());
    elements.expectCancellation();
  }

  @Test
  void failsAtANegativeCost() {
    run(element -> -1, 10);
    elements.sendNext(1);
    Throwable error = sink.expectError();
    assertInstanceOf(IllegalArgumentException.class, error);
    assertEquals("a cost must not be negative: -1", error.getMessage());
  }

  @Test
  void failsWithTheCostFunctionUnlessTheStreamIsToResume() {
    ToLongFunction<Integer> cost =
        element -> {
          if (element == 3) {
            throw failure;
          }
          return 1;
        };
    var flow =
        TokenStream.<Integer, Object>byCost(
            Source.repeat(1L).mapMaterializedValue(none -> none), cost);
    var stopped = run(numbers(5), flow, 5);
    stopped.expectNext(1, 2);
    assertSame(failure, stopped.expectError());

    var resuming = ActorAttributes.withSupervisionStrategy(Supervision.getResumingDecider());
    var all = numbers(5).via(flow.withAttributes(resuming)).runWith(Sink.seq(), materializer);
    assertEquals(List.of(1, 2, 4, 5), await(all));
  }

  @Test
  void failsWithTheElements() {
    run(element -> 1, 10);
    elements.sendNext(1).sendError(failure);
    assertSame(failure, sink.expectError());
    tokens.expectCancellation();
  }

  @Test
  void failsWithTheTokens() {
    run(element -> 1, 10);
    tokens.sendNext(1L).sendError(failure);
    assertSame(failure, sink.expectError());
    elements.expectCancellation();
  }

  @Test
  void cancelsBothInputs() {
    run(element -> 1, 10);
    sink.cancel();
    elements.expectCancellation();
    tokens.expectCancellation();
  }
}
