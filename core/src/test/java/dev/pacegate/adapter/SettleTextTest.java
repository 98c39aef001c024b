package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Costs that are settled from what the body of a response says, as it passes. */
@Timeout(60)
class SettleTextTest extends AdapterCases {

  private static final Pattern USED = Pattern.compile("used=(\\d+)");
  private static final int ESTIMATE = 100;

  private final Limiter tokens = limiter("peer(1000/1h of tokens)");
  private final List<String> texts = new ArrayList<>();

  private Options options(Limiter of) {
    return new Options()
        .limiter(of)
        .cost(request -> Cost.of("tokens", ESTIMATE))
        .settleText(this::used);
  }

  private @Nullable Cost used(String text, Cost soFar) {
    texts.add(text);
    Matcher used = USED.matcher(text);
    return used.find() ? soFar.and("tokens", Long.parseLong(used.group(1))) : null;
  }

  private PacedRequest<Reply> streaming() throws Exception {
    return answered("text/event-stream; charset=utf-8");
  }

  private PacedRequest<Reply> answered(String type) throws Exception {
    return answered(options(tokens), Map.of("Content-Type", List.of(type)));
  }

  /** The body of the response is still to come. */
  private PacedRequest<Reply> answered(Options options, Map<String, List<String>> headers)
      throws Exception {
    PacedRequest<Reply> request = take(options);
    request.headers(200, headers);
    request.received(new Reply(200, headers, ""));
    return request;
  }

  private static void part(PacedRequest<Reply> request, String text) {
    request.bodyPart(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private void assertSpent(long expected) {
    assertEquals(0, tokens.snapshot().open());
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1000 - expected)).isEmpty(), "more is spent");
    assertTrue(tokens.bottleneck(Cost.of("tokens", 1001 - expected)).isPresent(), "less is spent");
  }

  @Test
  void aStreamIsSettledAtItsEndFromItsLastEvent() throws Exception {
    PacedRequest<Reply> request = streaming();
    part(request, "data: used=7\n\nda");
    part(request, "ta: used=9\n\ndata: [DONE]\n\n");
    assertEquals(1, tokens.snapshot().open());
    request.bodyEnded();
    assertSpent(9);
    assertEquals(List.of("used=7", "used=9"), texts);
    assertEquals(0, tokens.snapshot().lost());
  }

  @Test
  void anyOtherBodyIsSettledAtItsEndAsAWhole() throws Exception {
    PacedRequest<Reply> request = answered("application/json");
    part(request, "{data: us");
    part(request, "ed=9\n\n}");
    request.bodyEnded();
    assertSpent(9);
    assertEquals(List.of("{data: used=9\n\n}"), texts);
  }

  @Test
  void aBodyThatTellsNothingStaysAtTheEstimate() throws Exception {
    PacedRequest<Reply> request = streaming();
    part(request, "data: hello\n\n: used=3\n\nevent: used=4\n\ndata: used=5");
    request.bodyEnded();
    assertSpent(ESTIMATE);
    assertEquals(List.of("hello"), texts);
  }

  @Test
  void aStreamThatIsGivenUpStaysAtTheEstimate() throws Exception {
    PacedRequest<Reply> request = streaming();
    part(request, "data: used=7\n\n");
    request.aborted();
    assertSpent(ESTIMATE);
    assertEquals(1, tokens.snapshot().lost());
  }

  /** Clients stop reading there, and close the connection before its end. */
  @Test
  void aStreamThatIsGivenUpAfterItsLastEventIsSettled() throws Exception {
    PacedRequest<Reply> request = streaming();
    part(request, "data: used=7\n\ndata: [DONE]\n\n");
    request.aborted();
    assertSpent(7);
    assertEquals(0, tokens.snapshot().lost());
  }

  @Test
  void theFunctionGetsTheCostThatItReturnedBefore() throws Exception {
    Limiter both = limiter("peer(1000/1h of input & 1000/1h of output)");
    Options options =
        new Options()
            .limiter(both)
            .cost(request -> Cost.of("input", 50).and("output", 50))
            .settleText(
                (text, soFar) -> {
                  Matcher used = USED.matcher(text);
                  assertTrue(used.find());
                  return soFar.and(
                      text.substring(0, text.indexOf(' ')), Long.parseLong(used.group(1)));
                });
    PacedRequest<Reply> request =
        answered(options, Map.of("content-type", List.of("text/event-stream")));
    part(request, "data: input used=3\n\ndata: output used=1\n\ndata: output used=8\n\n");
    request.bodyEnded();
    assertTrue(both.bottleneck(Cost.of("input", 997).and("output", 992)).isEmpty());
    assertTrue(both.bottleneck(Cost.of("input", 998)).isPresent());
    assertTrue(both.bottleneck(Cost.of("output", 993)).isPresent());
  }

  @Test
  void aTypeThatOnlyBeginsLikeAStreamOfEventsIsOneText() throws Exception {
    PacedRequest<Reply> request = answered("text/event-streams");
    part(request, "data: used=7\n\n");
    request.bodyEnded();
    assertEquals(List.of("data: used=7\n\n"), texts);
    assertSpent(7);
  }

  @Test
  void aFunctionThatThrowsForAnEventStillReadsTheNext() throws Exception {
    Options options =
        options(tokens)
            .settleText(
                (text, soFar) -> {
                  if (text.equals("bad")) {
                    throw new IllegalStateException("mine");
                  }
                  return used(text, soFar);
                });
    PacedRequest<Reply> request =
        answered(options, Map.of("Content-Type", List.of("text/event-stream")));
    part(request, "data: used=7\n\ndata: bad\n\n");
    request.bodyEnded();
    assertSpent(7);
  }

  @Test
  void aRefusalThatIsSentAgainIsNotRead() throws Exception {
    Options options = options(tokens).retryRefused(1).feedback(Feedback.standard());
    PacedRequest<Reply> request = take(options);
    request.headers(429, Map.of());
    assertTrue(request.shouldRetry());
    part(request, "used=7");
    request.bodyEnded();
    assertEquals(List.of(), texts);
    assertEquals(0, tokens.snapshot().open());
  }

  /** Clients read the body of a redirect before they follow it. */
  @Test
  void aResponseThatLeadsToAnotherRequestIsNotRead() throws Exception {
    PacedRequest<Reply> request = take(options(tokens));
    request.headers(302, Map.of());
    part(request, "used=7");
    request.bodyEnded();
    request.superseded();
    assertEquals(List.of(), texts);
    assertSpent(ESTIMATE);
  }

  /** Neither a long event nor a long body is kept, and what follows is read. */
  @Test
  void anEventWithoutEndIsNotKept() throws Exception {
    PacedRequest<Reply> request = streaming();
    part(request, "data: used=7\n\ndata: used=8 ");
    byte[] mega = new byte[1024 * 1024];
    for (int i = 0; i < 5; i++) {
      request.bodyPart(ByteBuffer.wrap(mega));
    }
    part(request, "\n\ndata: end\n\n");
    request.bodyEnded();
    assertEquals(List.of("used=7", "end"), texts);
    assertSpent(7);
    PacedRequest<Reply> whole = answered("application/json");
    part(whole, "used=8");
    whole.bodyPart(ByteBuffer.wrap(mega));
    whole.bodyEnded();
    assertEquals(2, texts.size());
    assertSpent(7 + ESTIMATE);
  }

  /** As some clients give it that decode a body. */
  @Test
  void aDecodedBodyIsReadThoughItsHeadersSayGzip() throws Exception {
    PacedRequest<Reply> request =
        answered(
            options(tokens),
            Map.of(
                "content-type", List.of("text/event-stream"), "Content-Encoding", List.of("gzip")));
    part(request, "");
    part(request, "data: used=9\n\n");
    request.bodyEnded();
    assertSpent(9);
  }

  @Test
  void aCompressedBodyIsRead() throws Exception {
    var gzip = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(gzip)) {
      out.write("data: used=7\n\n".getBytes(StandardCharsets.US_ASCII));
    }
    PacedRequest<Reply> request =
        answered(
            options(tokens),
            Map.of(
                "content-type", List.of("text/event-stream"), "Content-Encoding", List.of("GZIP")));
    request.bodyPart(ByteBuffer.wrap(gzip.toByteArray()));
    request.bodyEnded();
    assertSpent(7);
    PacedRequest<Reply> other =
        answered(options(tokens), Map.of("content-encoding", List.of("br")));
    part(other, "used=8");
    other.bodyEnded();
    assertSpent(7 + ESTIMATE);
  }

  /** By single bytes, by arrays, and by what is skipped or left over at the close. */
  @Test
  void theBytesOfAStreamArriveUnchangedAndAreReadOnce() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      texts.clear();
      byte[] body = "data: used=7\r\n\r\ndata: ü used=0\n\n".getBytes(StandardCharsets.UTF_8);
      PacedRequest<Reply> request = take(options(limiter("peer(1000/1h of tokens)")));
      request.received(new Reply(200, Map.of("content-type", List.of("text/event-stream")), ""));
      InputStream in = request.body(new ByteArrayInputStream(body));
      boolean read = true;
      int at = 0;
      while (read && random.nextInt(20) > 0) {
        int before = at;
        at += step(in, random, body, at);
        read = at > before;
      }
      in.close();
      assertEquals(List.of("used=7", "ü used=0"), texts);
    }
  }

  /** Returns how many bytes were read or skipped. */
  private static int step(InputStream in, Random random, byte[] body, int at) throws IOException {
    switch (random.nextInt(3)) {
      case 0 -> {
        int one = in.read();
        assertEquals(at < body.length ? body[at] & 0xff : -1, one);
        return one < 0 ? 0 : 1;
      }
      case 1 -> {
        byte[] into = new byte[10];
        int read = in.read(into, 2, 1 + random.nextInt(8));
        for (int i = 0; i < read; i++) {
          assertEquals(body[at + i], into[2 + i]);
        }
        return Math.max(0, read);
      }
      default -> {
        return (int) in.skip(1 + random.nextInt(8));
      }
    }
  }

  @Test
  void settleAndSettleTextExcludeEachOther() {
    Options options = options(tokens).settle((response, cost) -> cost);
    var thrown = assertThrows(IllegalStateException.class, options::build);
    assertEquals(
        "settle and settleText both correct the cost of a request: set one of them",
        thrown.getMessage());
    Options early = options(tokens).answered(Answered.HEADERS);
    assertThrows(IllegalStateException.class, early::build);
  }

  @Test
  void withoutAFunctionNothingIsRead() throws Exception {
    PacedRequest<Reply> request = take(options().maxWait(Duration.ZERO));
    request.headers(200, Map.of("Content-Type", List.of("text/event-stream")));
    part(request, "data: used=7\n\ndata: [DONE]\n\n");
    request.aborted();
    assertEquals(1, limiter.snapshot().lost());
  }
}
