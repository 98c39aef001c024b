package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The options that all paced clients share, set on the interceptor and on the filter. */
abstract class ClientOptionsCases<B extends PacingOptions<?, PeerResponse, B>> {

  static final Duration LONG = Duration.ofSeconds(50);

  final Peer peer;

  private final Limiter limiter = limiter("peer(1000/1h)");
  private final Limiter tokens = limiter("peer(1000/1h of tokens)");

  ClientOptionsCases() throws IOException {
    peer = new Peer();
  }

  private static Limiter limiter(String limit) {
    return Limiter.builder(limit).time(ManualTime.manual()).build();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    peer.close();
    Waiting.nothingIsLeft(limiter);
    Waiting.nothingIsLeft(tokens);
  }

  /** Sets options and makes a client. */
  abstract void options(UnaryOperator<B> options);

  /** Sets {@code x} as the key of all requests. */
  abstract B byX(B options);

  /** Returns the waits of that key. */
  abstract Limiter limiterOf(String key);

  /** Returns the body, as the client's text. */
  abstract @Nullable String get(String path);

  /** Returns the body, read as a stream; of one that does not end only the beginning. */
  abstract String streamed(String path);

  private void costing600() {
    options(
        options ->
            options
                .limiter(tokens)
                .cost(request -> Cost.of("tokens", 600))
                .settle((response, cost) -> told(response)));
  }

  private static @Nullable Cost told(PeerResponse response) {
    return switch (response.text()) {
      case "answer" -> Cost.of("tokens", 200);
      case "data: used 100\n\n" -> Cost.of("tokens", 100);
      default -> null;
    };
  }

  private void assertSpent(long spent) throws Exception {
    Waiting.nothingIsLeft(tokens);
    assertTrue(tokens.estimateWait(Cost.of("tokens", 1000 - spent)).isZero(), "more was spent");
    assertTrue(
        tokens.estimateWait(Cost.of("tokens", 1001 - spent)).toMinutes() > 50, "less was spent");
  }

  @Test
  void theSettledCostOfATextCounts() throws Exception {
    costing600();
    for (int i = 0; i < 3; i++) {
      assertEquals("answer", get("/ok"));
    }
    assertSpent(600);
  }

  @Test
  void theSettledCostOfAStreamCounts() throws Exception {
    costing600();
    for (int i = 0; i < 3; i++) {
      assertEquals("data: used 100\n\n", streamed("/stream"));
    }
    assertSpent(300);
  }

  @Test
  void aCostIsSettledFromATextAndFromTheEventsOfAStream() throws Exception {
    options(
        options ->
            options
                .limiter(tokens)
                .cost(request -> Cost.of("tokens", 600))
                .settleText((text, cost) -> toldBy(text)));
    assertEquals("answer", get("/ok"));
    assertEquals("data: used 100\n\n", streamed("/stream"));
    assertSpent(300);
  }

  private static @Nullable Cost toldBy(String text) {
    return switch (text) {
      case "answer" -> Cost.of("tokens", 200);
      case "used 100" -> Cost.of("tokens", 100);
      default -> null;
    };
  }

  @Test
  void aStreamThatIsGivenUpStaysAtTheEstimate() throws Exception {
    costing600();
    assertEquals("data: 1\n\n", streamed("/events"));
    assertSpent(600);
  }

  private static PeerAnswer judged(PeerResponse response) {
    return response.text().equals("10006")
        ? PeerAnswer.of(PeerVerdict.REFUSED)
        : PeerAnswer.NOTHING;
  }

  private void retrying() {
    options(
        options ->
            options
                .limiter(limiter)
                .feedback(Feedback.standard().pause(Duration.ZERO).withoutLearning())
                .refused(ClientOptionsCases::judged)
                .retryRefused(2));
  }

  @Test
  void aRefusalByStatusIsSentAgain() {
    retrying();
    assertEquals("answer", get("/throttles"));
    assertEquals(3, peer.count());
    assertEquals(3, limiter.snapshot().granted());
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusalByBodyIsSentAgain() {
    retrying();
    assertEquals("answer", get("/full"));
    assertEquals("answer", streamed("/full"));
    assertEquals(6, peer.count());
    assertEquals(6, limiter.snapshot().granted());
    assertEquals(4, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aRefusalThatDoesNotEndIsSentAgain() {
    retrying();
    assertEquals("answer", get("/busy"));
    assertEquals(2, limiter.snapshot().granted());
  }

  @Test
  void aBodyThatIsReadByAFunctionReachesTheCallerWhole() {
    retrying();
    assertEquals(Peer.LONG, streamed("/long").length());
  }

  /** The caller gets the first event although there may be no second. */
  @Test
  void aStreamOfEventsIsNotCollected() throws Exception {
    retrying();
    assertEquals("data: 1\n\n", streamed("/events"));
    Waiting.nothingIsLeft(limiter);
    assertEquals(1, limiter.snapshot().lost());
  }

  @Test
  void aFunctionThatThrowsLeavesNoPermitOpen() throws Exception {
    options(
        options ->
            options
                .limiter(limiter)
                .retryRefused(
                    1,
                    request -> {
                      throw new IllegalStateException("a test");
                    }));
    assertThrows(IllegalStateException.class, () -> get("/429"));
    Waiting.nothingIsLeft(limiter);
  }

  @Test
  void aLimitCountsByHost() {
    options(options -> options.limit("2/1h").maxWait(Duration.ZERO));
    get("/ok");
    get("/ok");
    assertThrows(Exception.class, () -> get("/ok"));
    String host = peer.uri("").substring("http://".length());
    assertEquals(2, limiterOf(host).snapshot().granted());
    assertTrue(limiterOf(host).estimateWait(1).toMinutes() > 50);
  }

  @Test
  void aLimitCountsByAKeyOfTheRequest() {
    options(options -> byX(options.limit("2/1h").maxWait(Duration.ZERO)));
    get("/ok");
    assertEquals(1, limiterOf("x").snapshot().granted());
  }
}
