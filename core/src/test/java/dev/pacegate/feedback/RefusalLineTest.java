package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerSays;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.architecture.MessageStyle;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitForm;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.permit.Heard;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the log says after a refusal by the peer: one line, an advice that helps, no riddles. */
class RefusalLineTest {

  private static final Map<String, List<String>> IN_HALF_A_MINUTE =
      Map.of("Retry-After", List.of("30"));

  private final ManualTime time = ManualTime.manual();
  private final List<PeerRefusal> refusals = new ArrayList<>();

  private Limiter limiter(String limit) {
    var listener =
        new LimiterListener() {
          @Override
          public void onPeerRefusal(PeerRefusal refusal) {
            refusals.add(refusal);
          }
        };
    return Limiter.builder(limit).name("api").time(time).listener(listener).build();
  }

  private static void answer(Limiter limiter, Permit permit, int status) {
    Map<String, List<String>> headers = status == 429 ? IN_HALF_A_MINUTE : Map.of();
    Feedback.standard().apply(limiter, permit, new Answer(status, headers, Instant.EPOCH));
    permit.answered();
  }

  /** Returns what is logged, without the time of day. */
  private static List<String> warnings(Heard heard) {
    return heard.lines.stream().map(line -> line.replaceAll("\\d\\d:\\d\\d:\\d\\d", "T")).toList();
  }

  static Stream<String> limits() {
    Stream<String> examples =
        Limits.forms().stream().map(LimitForm::example).map(Limits::parse).map(Limit::toString);
    return Stream.concat(
        examples,
        Stream.of(
            "bucket(10/1m, burst=3, pay=later)",
            "bucket(10/1m, burst=3, slack=1s, initial=empty, oversize=never, of=tokens)",
            "warmup(10/1m, over=1m, slack=2s, of=tokens)",
            "fixed(10/1m, of=tokens)",
            "starts(10/1m, initial=spent)",
            "starts(bucket(10/1m, burst=3))",
            "starts(spacing(6s))",
            "starts(10/1s) & concurrent(4)",
            "peer(10/1m, counted=2s, margin=5%, abandon=1h)",
            "peer(bucket(10/1m, burst=3), counted=2s) & concurrent(4)",
            "peer(spacing(6s))",
            "peer(10/1m) & spacing(1s)",
            "concurrent(9) of mb",
            "concurrent(4, unanswered=30s, abandon=5m)",
            "90000/1m of tokens & concurrent(4)"));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void adviceIsALimitOtherThanTheOneInForce(String text) {
    Limit limit = Limits.parse(text);
    limiter(text).peerRefused(Duration.ofSeconds(10));
    PeerRefusal refusal = refusals.get(0);
    refusal
        .instead()
        .ifPresent(
            better -> {
              assertFalse(better.equals(limit));
              assertEquals(better, Limits.parse(better.toString()));
              assertTrue(refusal.advice().contains(better.toString()), refusal.advice());
            });
    assertFalse(refusal.advice().contains("write " + text + ","), refusal.advice());
    assertFalse(refusal.advice().endsWith("write " + text), refusal.advice());
    boolean holds = text.contains("peer(") || text.contains("aligned");
    assertTrue(refusal.instead().isPresent() || holds, refusal.advice());
  }

  @ParameterizedTest
  @MethodSource("limits")
  void noNumberIsWithoutMeaning(String text) {
    Limit limit = Limits.parse(text);
    try (var heard = new Heard()) {
      limiter(text).peerRefused(Duration.ofSeconds(10));
      PeerRefusal refusal = refusals.get(0);
      boolean counts =
          limit.promises().stream().anyMatch(each -> each.of().equals(Measure.PLAIN))
              && limit.newMeter(0).nanosUntil(0, 0, Cost.of(1L << 40)) > 0; // a warm-up lets it go
      boolean holds = limit.newMeter(0).tracks();
      assertEquals(counts, refusal.left().isPresent());
      assertEquals(holds, refusal.open().isPresent());
      assertEquals(List.of(), MessageStyle.faults(heard.lines.get(0)));
      assertEquals(counts, heard.lines.get(0).contains(" left"));
      assertEquals(holds, heard.lines.get(0).contains(" open"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "10/1m; a limit of starts does not cover delays on the way: write peer(10/1m),"
            + " or if the peer counts a request within 2s of its start, peer(10/1m, counted=2s)",
        "starts(10/1m); a limit of starts does not cover delays on the way: write peer(10/1m),"
            + " or if the peer counts a request within 2s of its start, peer(10/1m, counted=2s)",
        "fixed(10/1m) & concurrent(4); a limit of starts does not cover delays on the way:"
            + " write peer(10/1m) & concurrent(4)",
        "unlimited; the limit states no rate: write the peer's, as in peer(10/1m)",
        "concurrent(4); the limit states no rate: add the peer's,"
            + " as in concurrent(4) & peer(10/1m)",
        "peer(10/1m); another client uses this key, or the peer's limit is not peer(10/1m)",
        "peer(10/1m, counted=2s); another client uses this key, or the peer's limit is not"
            + " peer(10/1m, counted=2s), or it counts later than that says: write peer(10/1m)",
      })
  void adviceNamesTheOptionAndItsValue(String limit, String advice) {
    limiter(limit).peerRefused(Duration.ofSeconds(10));
    assertEquals(advice, refusals.get(0).advice());
  }

  @Test
  void aBurstOfRefusalsIsToldByOneLine() {
    Limiter limiter = limiter("10/1m");
    var burst = new ArrayList<Permit>();
    for (int i = 0; i < 5; i++) {
      answer(limiter, limiter.tryAcquire(1).orElseThrow(), 200);
      burst.add(limiter.tryAcquire(1).orElseThrow());
    }
    try (var heard = new Heard()) {
      for (Permit permit : burst) {
        answer(limiter, permit, 429);
        time.advance(Duration.ofMillis(100));
      }
      assertEquals(
          List.of(
              "limiter api: the peer refused a request that 10/1m let through, with 0 left:"
                  + " pausing for 30s (Retry-After), until T, then slowing down to one"
                  + " every 14.1s; a limit of starts does not cover delays on the way: write"
                  + " peer(10/1m), or if the peer counts a request within 2s of its start,"
                  + " peer(10/1m, counted=2s)"),
          warnings(heard));
    }
    assertEquals(5, refusals.size());
  }

  @Test
  void aLaterRefusalWithALongPauseIsToldShortly() {
    Limiter limiter = limiter("peer(10/1m)");
    answer(limiter, limiter.tryAcquire(1).orElseThrow(), 429);
    time.advance(Duration.ofSeconds(30));
    try (var heard = new Heard()) {
      answer(limiter, limiter.tryAcquire(1).orElseThrow(), 429);
      assertEquals(
          List.of(
              "limiter api: the peer refused a request: pausing for 30s (Retry-After), until T"),
          warnings(heard));
    }
  }

  @Test
  void anOverloadIsToldByOneLine() {
    Limiter limiter = limiter("peer(10/1m)");
    Permit permit = limiter.tryAcquire(Cost.of(1)).orElseThrow();
    var answer = PeerAnswer.of(PeerVerdict.OVERLOADED).withRetryAfter(Duration.ofSeconds(8), "");
    try (var heard = new Heard()) {
      limiter.heard(permit, answer, Backoff.standard());
      assertEquals(
          List.of(
              "limiter api: the peer could not serve a request that peer(10/1m) let through:"
                  + " pausing for 8s, until T; the peer is overloaded"),
          warnings(heard));
    }
  }

  @Test
  void aQuotaThatOthersHaveUsedIsToldByOneLine() {
    Limiter limiter = limiter("peer(10/1h)");
    Permit permit = limiter.tryAcquire(1).orElseThrow();
    Quota quota = Quota.remaining(0).withLimit(10).withReset(Duration.ofMinutes(5)).withName("day");
    try (var heard = new Heard()) {
      PeerSays.quota(limiter, permit, quota);
      assertEquals(
          List.of(
              "limiter api: other clients have used the rest of the peer's quota: pausing for 5m"
                  + " (reset of day), until T"),
          warnings(heard));
    }
  }
}
