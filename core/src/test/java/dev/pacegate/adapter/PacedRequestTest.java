package dev.pacegate.adapter;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerVerdict;
import dev.pacegate.feedback.AnswerReader;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a request on the wire, and what its limiter learns of it. */
@Timeout(60)
class PacedRequestTest extends AdapterCases {

  private static final Reply OK = Reply.of(200, "ok");
  private static final Reply FULL = Reply.of(200, "{\"retCode\":10006}");

  private void assertOpen(int open) {
    assertEquals(open, limiter.snapshot().open());
  }

  private Duration pause() {
    return limiter.estimateWait(1);
  }

  // ---- the end of the permit

  @Test
  void aPermitEndsWithTheBody() throws Exception {
    PacedRequest<Reply> request = take(options());
    request.sending();
    request.received(OK);
    assertFalse(request.shouldRetry());
    assertOpen(1);
    request.bodyEnded();
    assertOpen(0);
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aPermitEndsWithTheHeadersIfAsked() throws Exception {
    PacedRequest<Reply> request = take(options().answered(Answered.HEADERS));
    request.headers(200, Map.of());
    assertFalse(request.shouldRetry());
    assertOpen(0);
    request.aborted();
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aBodyThatBreaksOffIsLost() throws Exception {
    PacedRequest<Reply> request = take(options());
    request.received(OK);
    request.aborted();
    request.bodyEnded();
    assertOpen(0);
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aFailureIsClassified() throws Exception {
    take(options()).failed(new ConnectException());
    assertEquals(0, limiter.snapshot().lost());
    take(options()).failed(new IOException());
    assertEquals(1, limiter.snapshot().lost());
    take(options()).notSent();
    assertOpen(0);
    assertEquals(1, limiter.snapshot().lost());
  }

  /** An interceptor may have been refused a connection to another server. */
  @Test
  void aFailureAfterTheHeadersIsNoFailureToSend() throws Exception {
    PacedRequest<Reply> request = take(options());
    request.headers(200, Map.of());
    request.failed(new ConnectException());
    assertOpen(0);
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aFailureAfterTheBodyIsAnswered() throws Exception {
    PacedRequest<Reply> request = take(options().settle((response, cost) -> cost));
    request.headers(200, Map.of());
    request.bodyEnded();
    assertOpen(1);
    request.failed(new IOException("the body is no JSON"));
    assertOpen(0);
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aStreamEndsItsRequest() throws Exception {
    PacedRequest<Reply> read = take(options());
    read.received(OK);
    try (InputStream body = read.body(new ByteArrayInputStream(new byte[3]))) {
      assertEquals(3, body.readAllBytes().length);
      assertOpen(0);
    }
    PacedRequest<Reply> closed = take(options());
    closed.received(OK);
    closed.body(new ByteArrayInputStream(new byte[3])).close();
    assertOpen(0);
    assertEquals(0, limiter.snapshot().lost());
    PacedRequest<Reply> broken = take(options());
    broken.body(new Broken(new IOException("reset"))).close();
    assertOpen(0);
    assertEquals(1, limiter.snapshot().lost());
    PacedRequest<Reply> failed = take(options());
    InputStream body = failed.body(new Broken(new StackOverflowError()));
    assertThrows(StackOverflowError.class, body::close);
    assertOpen(0);
  }

  private static final class Broken extends InputStream {
    private final Throwable failure;

    Broken(Throwable failure) {
      this.failure = failure;
    }

    @Override
    public int read() throws IOException {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (IOException) failure;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      return read();
    }
  }

  /** A call may be cancelled between the end of the body and the response. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aCallThatIsGivenUpAfterTheBodyIsAnswered(int functions) {
    PacedRequest<Reply> request = takeQuietly(functions);
    request.headers(200, Map.of());
    request.bodyEnded();
    request.aborted();
    assertOpen(0);
    assertEquals(0, limiter.snapshot().lost());
  }

  /** Whatever an adapter tells and in which order: after a failure the permit has ended. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void noOrderOfEventsLeavesAPermitOpen(int functions) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    var random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      List<String> events =
          new ArrayList<>(
              List.of("headers", "received", "body", "aborted", "failed", "notSent", "superseded"));
      Collections.shuffle(events, random);
      events = events.subList(0, random.nextInt(events.size()));
      String text = "seed " + seed + ", functions " + functions + ": " + events;
      PacedRequest<Reply> request = takeQuietly(functions);
      for (String event : events) {
        tell(request, event);
      }
      tell(request, random.nextBoolean() ? "failed" : "aborted");
      assertEquals(0, limiter.snapshot().open(), text);
    }
  }

  @ParameterizedTest
  @CsvSource({"false, aborted", "false, failed", "true, aborted", "true, failed"})
  void aPermitEndsThoughItsAnswerCannotBeHeard(boolean body, String end) throws Exception {
    var failing = new FailingTime(time);
    Limiter own = limiter("peer(10/1h)", failing);
    PacedRequest<Reply> request = take(new Options().limiter(own).refused(Reply::judged));
    request.headers(429, Map.of());
    if (body) {
      request.bodyEnded();
    }
    failing.failAt(1);
    assertThrows(IllegalStateException.class, () -> tell(request, end));
    assertEquals(0, own.snapshot().open());
  }

  private PacedRequest<Reply> takeQuietly(int functions) {
    Options options = options();
    if ((functions & 1) > 0) {
      options.settle((response, cost) -> cost);
    }
    if ((functions & 2) > 0) {
      options.refused(response -> null);
    }
    try {
      return take(options);
    } catch (Exception none) {
      throw new AssertionError(none);
    }
  }

  private static void tell(PacedRequest<Reply> request, String event) {
    switch (event) {
      case "headers" -> request.headers(200, Map.of());
      case "received" -> request.received(OK);
      case "body" -> request.bodyEnded();
      case "aborted" -> request.aborted();
      case "failed" -> request.failed(new IOException());
      case "notSent" -> request.notSent();
      default -> request.superseded();
    }
  }

  // ---- settle

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCostIsSettledBeforeItsPermitEnds(boolean bodyFirst) throws Exception {
    var tokens = limiter("peer(1000/1h of tokens)");
    Options options =
        new Options()
            .limiter(tokens)
            .cost(request -> Cost.of("tokens", 900))
            .settle((response, cost) -> Cost.of("tokens", 10));
    PacedRequest<Reply> request = take(options);
    if (bodyFirst) {
      request.bodyEnded();
      assertEquals(1, tokens.snapshot().open());
      request.received(OK);
    } else {
      request.received(OK);
      assertEquals(1, tokens.snapshot().open());
      request.bodyEnded();
    }
    assertEquals(0, tokens.snapshot().open());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 990)).isEmpty());
    assertFalse(tokens.bottleneck(Cost.of("tokens", 991)).isEmpty());
  }

  /** A streamed response of a language model tells its tokens in the last event. */
  @Test
  void aCostIsSettledWhileTheBodyComesIn() throws Exception {
    var tokens = limiter("peer(1000/1h of tokens)");
    Options options = new Options().limiter(tokens).cost(request -> Cost.of("tokens", 900));
    PacedRequest<Reply> request = take(options);
    request.received(OK);
    request.settle(Cost.of("tokens", 10));
    assertEquals(1, tokens.snapshot().open());
    request.bodyEnded();
    request.settle(Cost.of("tokens", 500)); // too late
    assertEquals(0, tokens.snapshot().open());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 990)).isEmpty());
    assertFalse(tokens.bottleneck(Cost.of("tokens", 991)).isEmpty());
  }

  @Test
  void aCostThatCannotBeChargedStaysAtTheEstimate() throws Exception {
    PacedRequest<Reply> request = take(options().cost(each -> Cost.of(900)));
    request.settle(Cost.sum(2, 2));
    request.received(OK);
    request.bodyEnded();
    assertOpen(0);
    assertTrue(limiter.bottleneck(Cost.of(100)).isEmpty());
    assertFalse(limiter.bottleneck(Cost.of(101)).isEmpty());
  }

  @Test
  void functionsThatThrowChangeNothing() throws Exception {
    Options options =
        options()
            .settle(
                (response, cost) -> {
                  throw new IllegalStateException("settle");
                })
            .refused(
                response -> {
                  throw new StackOverflowError("refused");
                });
    PacedRequest<Reply> request = take(options);
    request.received(FULL);
    assertFalse(request.shouldRetry());
    request.bodyEnded();
    assertOpen(0);
    assertEquals(0, limiter.snapshot().refusedByPeer());
  }

  // ---- refusals

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusalInABodyCountsAsOne(boolean bodyFirst) throws Exception {
    PacedRequest<Reply> request = take(options().refused(Reply::judged));
    if (bodyFirst) {
      request.headers(200, Map.of());
      request.bodyEnded();
      assertOpen(1);
    }
    request.received(FULL);
    assertFalse(request.shouldRetry());
    request.bodyEnded();
    assertOpen(0);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertEquals(ofSeconds(1), pause());
    assertTrue(limiter.snapshot().workingRate().isEmpty(), "an hour learns nothing");
  }

  @Test
  void aRefusalInABodyTeaches() throws Exception {
    var minute = limiter("peer(600/1m)");
    Options options = new Options().limiter(minute).refused(Reply::judged);
    RequestPacing<URI, Reply> pacing = options.build();
    for (int i = 0; i < 20; i++) {
      PacedRequest<Reply> request = pacing.newCall().acquire(TARGET);
      time.advance(ofSeconds(1));
      request.received(i < 19 ? OK : FULL);
      request.bodyEnded();
    }
    assertTrue(minute.snapshot().workingRate().isPresent());
  }

  /** An answer is heard once: accepted first and then refused would be two. */
  @Test
  void anAnswerIsHeardOnceWithWhatTheBodySays() throws Exception {
    Options options =
        options()
            .refused(r -> PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(ofSeconds(9), "body"));
    PacedRequest<Reply> request = take(options);
    request.headers(429, Map.of());
    assertFalse(request.shouldRetry());
    assertEquals(0, limiter.snapshot().refusedByPeer());
    request.received(Reply.of(429, ""));
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertEquals(ofSeconds(9), pause());
    request.bodyEnded();
    assertOpen(0);
  }

  /** Some clients tell of 100 Continue and 103 Early Hints. */
  @Test
  void anInformationalResponseIsNotTheAnswer() throws Exception {
    PacedRequest<Reply> request = take(options());
    request.headers(103, Map.of());
    assertFalse(request.shouldRetry());
    request.headers(429, Map.of());
    assertEquals(1, limiter.snapshot().refusedByPeer());
  }

  @ParameterizedTest
  @CsvSource({"aborted", "failed", "superseded"})
  void headersAreHeardIfNoResponseFollows(String end) throws Exception {
    PacedRequest<Reply> request = take(options().refused(Reply::judged));
    request.headers(429, Map.of());
    tell(request, end);
    assertEquals(1, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusalThatStatesItsWaitIsHeardAtOnce() throws Exception {
    var asked = new AtomicInteger();
    Options options =
        options()
            .refused(
                response -> {
                  asked.incrementAndGet();
                  return null;
                });
    PacedRequest<Reply> request = take(options);
    request.headers(429, Map.of("Retry-After", List.of("7")));
    assertEquals(ofSeconds(7), pause());
    request.received(Reply.of(429, ""));
    assertEquals(0, asked.get());
    assertEquals(1, limiter.snapshot().refusedByPeer());
  }

  // ---- retries

  @ParameterizedTest
  @CsvSource({"/, 2", "/post, 0", "/stream, 0"})
  void aRefusedRequestIsRepeatedAsOftenAsAsked(String path, int times) throws Exception {
    Options options = options().refused(Reply::judged).retryRefused(2);
    PacedCall<URI, Reply> call = options.build().newCall();
    int repeated = 0;
    PacedRequest<Reply> request = call.acquire(TARGET.resolve(path));
    request.received(FULL);
    while (request.shouldRetry()) {
      repeated++;
      request.bodyEnded();
      time.advance(pause());
      request = call.acquire(TARGET.resolve(path));
      request.received(FULL);
    }
    request.bodyEnded();
    assertEquals(times, repeated);
    assertEquals(times + 1, limiter.snapshot().granted());
    assertOpen(0);
  }

  /** A second time it might say otherwise, when the caller has the response. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theChoiceOfRetriesIsAskedOnce(boolean judged) throws Exception {
    var asked = new AtomicInteger();
    Options options = options().retryRefused(9, request -> asked.incrementAndGet() > 1);
    if (judged) {
      options.refused(Reply::judged);
    }
    PacedRequest<Reply> request = take(options);
    request.headers(429, Map.of());
    assertFalse(request.shouldRetry());
    request.received(Reply.of(429, ""));
    assertFalse(request.shouldRetry());
    request.bodyEnded();
    assertEquals(1, asked.get());
    assertOpen(0);
  }

  /** Returns a limiter that adds to {@code open} how many permits are open at each refusal. */
  private Limiter telling(List<OptionalInt> open) {
    return Limiter.builder("peer(10/1h)")
        .time(time)
        .executor(Runnable::run)
        .listener(
            new LimiterListener() {
              @Override
              public void onPeerRefusal(PeerRefusal refusal) {
                open.add(refusal.open());
              }
            })
        .build();
  }

  /** The body's end may come on another thread while the headers are still being read. */
  @Test
  void aPermitDoesNotEndBeforeItsAnswerIsHeard() throws Exception {
    var early = new ArrayList<PacedRequest<Reply>>();
    var open = new ArrayList<OptionalInt>();
    Limiter heard = telling(open);
    AnswerReader reader =
        answer -> {
          early.get(0).bodyEnded();
          return PeerAnswer.of(PeerVerdict.REFUSED);
        };
    early.add(take(new Options().limiter(heard).feedback(Feedback.standard().reader(reader))));
    early.get(0).received(Reply.of(200, ""));
    assertEquals(List.of(OptionalInt.of(1)), open);
    assertEquals(0, heard.snapshot().open());
  }

  /** A client may have collected the body when it tells of the response. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPermitDoesNotEndBeforeItsAnswerIsThere(boolean whole) throws Exception {
    var open = new ArrayList<OptionalInt>();
    Limiter heard = telling(open);
    PacedRequest<Reply> request = take(new Options().limiter(heard));
    request.bodyEnded();
    if (whole) {
      request.received(Reply.of(429, ""));
    } else {
      request.headers(429, Map.of());
    }
    assertEquals(List.of(OptionalInt.of(1)), open);
    assertEquals(0, heard.snapshot().open());
  }

  @Test
  void aResponseThatIsRepeatedIsNotSettled() throws Exception {
    var settled = new AtomicInteger();
    Options options =
        options()
            .retryRefused(1)
            .settle(
                (response, cost) -> {
                  settled.incrementAndGet();
                  return cost;
                });
    PacedRequest<Reply> request = take(options);
    request.received(Reply.of(429, ""));
    assertTrue(request.shouldRetry());
    request.bodyEnded();
    assertOpen(0);
    assertEquals(0, settled.get());
  }

  /** An adapter that asks whether to send again would do so for a call that is cancelled. */
  @ParameterizedTest
  @CsvSource({"aborted, true", "failed, true", "aborted, false", "failed, false"})
  void aRequestThatIsGivenUpIsNotRetried(String end, boolean whole) throws Exception {
    PacedCall<URI, Reply> call = options().retryRefused(1).build().newCall();
    PacedRequest<Reply> request = call.acquire(TARGET);
    tell(request, end);
    refuse(request, whole);
    assertFalse(request.shouldRetry());
    assertEquals(1, limiter.snapshot().refusedByPeer());
    time.advance(pause());
    PacedRequest<Reply> next = call.acquire(TARGET);
    refuse(next, whole);
    assertTrue(next.shouldRetry(), "no retry has been counted");
    tell(next, end);
    assertTrue(next.shouldRetry(), "only the rest of the refusal is dropped");
    assertOpen(0);
  }

  private static void refuse(PacedRequest<Reply> request, boolean whole) {
    if (whole) {
      request.received(Reply.of(429, ""));
    } else {
      request.headers(429, Map.of());
    }
  }

  @Test
  void aRefusalIsRetriedAlthoughItsPermitEndsAtTheHeaders() throws Exception {
    PacedRequest<Reply> request = take(options().answered(Answered.HEADERS).retryRefused(1));
    request.headers(429, Map.of());
    assertOpen(0);
    assertTrue(request.shouldRetry());
  }

  /** Another thread may cancel the call while the function reads the response. */
  @Test
  void aRefusalCountsAlthoughTheCallIsGivenUpMeanwhile() throws Exception {
    var early = new ArrayList<PacedRequest<Reply>>();
    Options options =
        options()
            .retryRefused(1)
            .refused(
                response -> {
                  early.get(0).aborted();
                  return response.judged();
                });
    early.add(take(options));
    early.get(0).received(FULL);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertEquals(ofSeconds(1), pause());
    assertFalse(early.get(0).shouldRetry());
    assertOpen(0);
  }

  @Test
  void aRequestThatCannotGoInTimeIsNotRepeated() throws Exception {
    PacedRequest<Reply> request = take(options().retryRefused(1).maxWait(ofSeconds(6)));
    PacedRequest<Reply> other = take(options().retryRefused(1).maxWait(ofHours(1)));
    request.received(Reply.of(429, "").with("retry-after", "7"));
    assertFalse(request.shouldRetry());
    other.received(Reply.of(429, "").with("retry-after", "7"));
    assertTrue(other.shouldRetry());
    other.bodyEnded();
    request.bodyEnded();
    assertOpen(0);
  }
}
