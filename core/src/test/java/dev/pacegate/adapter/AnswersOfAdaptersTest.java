package dev.pacegate.adapter;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An adapter reads more than a status and headers: here the errors of remote procedure calls. */
@Timeout(60)
class AnswersOfAdaptersTest extends AdapterCases {

  /** How a call ended, and for how long the peer asks for no other. */
  private record End(int status, String code, Duration pause) {}

  private static final class Rpc extends PacingOptions<String, End, Rpc> {

    Rpc() {
      super(new Messages());
    }

    RequestPacing<String, End> build() {
      return pacing();
    }
  }

  private static final class Messages implements MessageReader<String, End> {

    @Override
    public String host(String request) {
      return "service";
    }

    @Override
    public String method(String request) {
      return "";
    }

    @Override
    public int status(End response) {
      return response.status();
    }

    @Override
    public Map<String, List<String>> headers(End response) {
      return response.status() == 0 ? Map.of() : Map.of("Retry-After", List.of("3"));
    }

    @Override
    public PeerAnswer answer(End response) {
      return response.code().equals("RESOURCE_EXHAUSTED")
          ? PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(response.pause(), "RetryInfo")
          : PeerAnswer.NOTHING;
    }
  }

  private static final End OK = new End(0, "OK", Duration.ZERO);
  private static final End EXHAUSTED = new End(0, "RESOURCE_EXHAUSTED", ofSeconds(7));

  private Rpc rpc() {
    return new Rpc().limiter(limiter);
  }

  private PacedRequest<End> told(Rpc options, End end) throws Exception {
    PacedRequest<End> request = options.build().newCall().acquire("call");
    request.received(end);
    request.bodyEnded();
    assertEquals(0, limiter.snapshot().open());
    return request;
  }

  @Test
  void aRefusalWithoutAStatusPausesAndCounts() throws Exception {
    assertFalse(told(rpc(), OK).shouldRetry());
    assertEquals(0, limiter.snapshot().refusedByPeer());
    assertFalse(told(rpc().retryRefused(1), EXHAUSTED).shouldRetry(), "it has no method");
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertEquals(ofSeconds(7), limiter.estimateWait(1));
  }

  @Test
  void aRefusalWithoutAStatusIsRetriedIfChosen() throws Exception {
    assertTrue(told(rpc().retryRefused(1, call -> true), EXHAUSTED).shouldRetry());
  }

  @Test
  void theLongerWaitCounts() throws Exception {
    told(rpc(), new End(429, "RESOURCE_EXHAUSTED", ofSeconds(2)));
    assertEquals(ofSeconds(3), limiter.estimateWait(1));
    assertEquals(1, limiter.snapshot().refusedByPeer());
    time.advance(ofSeconds(3));
    told(rpc(), new End(429, "RESOURCE_EXHAUSTED", ofSeconds(7)));
    assertEquals(ofSeconds(7), limiter.estimateWait(1));
  }

  /** The user's function reads the same response, and nothing is heard twice. */
  @Test
  void aFunctionOfTheUserAddsToIt() throws Exception {
    Rpc options = rpc().refused(end -> PeerAnswer.of(PeerVerdict.REFUSED));
    told(options, OK);
    assertEquals(1, limiter.snapshot().refusedByPeer());
    time.advance(ofSeconds(60));
    told(options, EXHAUSTED);
    assertEquals(2, limiter.snapshot().refusedByPeer());
  }

  @Test
  void withoutFeedbackItHasNoEffect() throws Exception {
    told(rpc().withoutFeedback(), EXHAUSTED);
    assertEquals(0, limiter.snapshot().refusedByPeer());
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }
}
