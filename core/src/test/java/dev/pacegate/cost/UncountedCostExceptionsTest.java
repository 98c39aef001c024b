package dev.pacegate.cost;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Limiters;
import dev.pacegate.PeerSays;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limiter.LimitersOnManualTime;
import dev.pacegate.permit.Heard;
import dev.pacegate.source.HandFedSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a plain cost that no limit counts is reported, once, instead of refused. */
class UncountedCostExceptionsTest extends LimitersOnManualTime {

  private final Heard heard = new Heard();

  @AfterEach
  void close() {
    heard.close();
  }

  private static void assertRefused(Limiter limiter) {
    assertThrows(IllegalArgumentException.class, () -> limiter.tryAcquire(3));
  }

  private static void goes(Limiter limiter, long cost) {
    goes(limiter, Cost.of(cost));
  }

  private static void goes(Limiter limiter, Cost cost) {
    assertTrue(limiter.tryAcquire(cost).isPresent());
  }

  private static String error(Executable asks) {
    return requireNonNull(assertThrows(IllegalArgumentException.class, asks).getMessage());
  }

  /** Asks for a cost again and again, of which the log says one thing once. */
  private void assertReportedOnce(Limiter limiter, String why) {
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire(3).ifPresent(Permit::answered);
    }
    assertEquals(1, heard.lines("limits nothing").size(), heard.lines.toString());
    assertEquals(1, heard.lines(why + "; logged once").size(), heard.lines.toString());
  }

  @Test
  void aDryRunReportsAndTheRunAfterItRefuses() {
    Limiter limiter = limiter("spacing(100ms)");
    limiter.dryRun(true);
    assertReportedOnce(limiter, "an error without the dry run");
    assertEquals(10, limiter.snapshot().granted());
    limiter.dryRun(false);
    assertRefused(limiter);
  }

  @ParameterizedTest
  @CsvSource({
    "100/1s, spacing(100ms)",
    "100/1s & concurrent(4), concurrent(4)",
    "'bucket(10/1s, burst=5)', 90000/1m of tokens",
    "unlimited, spacing(100ms)"
  })
  void aLimitThatTookCostsMayBeReplaced(String before, String after) {
    Limiter limiter = limiter(before);
    limiter.tryAcquire(3).orElseThrow().answered();
    limiter.setLimit(after);
    assertReportedOnce(limiter, "no error because its limit was changed");
    limiter.setLimit("concurrent(3)");
    goes(limiter, 3);
    assertEquals(1, heard.lines("limits nothing").size(), "once for each limiter");
  }

  @Test
  void aLimitThatCountedNoCostsLeavesAnErrorWhenItIsReplaced() {
    Limiter limiter = limiter("spacing(100ms)");
    limiter.setLimit("spacing(50ms)");
    limiter.setLimit("spacing(50ms) & concurrent(4)");
    assertRefused(limiter);
    assertEquals(List.of(), heard.lines("limits nothing"));
  }

  @Test
  void aLimitThatIsReplacedByItselfHasNotChanged() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("spacing(1s)").within(limiter("unlimited")).build();
    keyed.all().setLimit("unlimited");
    keyed.setLimit("spacing(1s)");
    assertRefused(keyed.limiter("a"));
  }

  @Test
  void aWaiterMayWaitOnUnderALimitThatDoesNotCountItsCost() {
    Limiter limiter = limiter("3/1s");
    goes(limiter, 3);
    var waiting = limiter.acquireAsync(3);
    limiter.setLimit("concurrent(1)");
    assertEquals(3, waiting.join().cost().amount());
  }

  @Test
  void theLimitOfKeysMayBeReplaced() {
    KeyedLimiter<String> keyed = KeyedLimiter.of("10/1s");
    goes(keyed.limiter("a"), 3);
    keyed.setLimit("concurrent(20)");
    assertReportedOnce(keyed.limiter("a"), "no error because its limit was changed");
    assertReportedOnce(keyed.limiter("b"), "no error because its limit was changed");
  }

  @Test
  void theLimitOfOneKeyMayBeReplaced() {
    KeyedLimiter<String> keyed = KeyedLimiter.of("10/1s");
    keyed.limiter("a").setLimit("concurrent(20)");
    assertReportedOnce(keyed.limiter("a"), "no error because its limit was changed");
  }

  /** There is no room for it. */
  @Test
  void aLimitOfAKeyThatIsRefusedChangesNothing() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("10/1s").within(limiter("concurrent(5)")).maxKeys(1).build();
    Limiter one = keyed.limiter("one");
    goes(one, 3);
    Limiter another = keyed.limiter("another");
    assertThrows(TooManyKeysException.class, () -> another.setLimit("concurrent(20)"));
    assertRefused(keyed.all());
    assertEquals(List.of(), heard.lines("limits nothing"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"spacing(1s)", "unlimited"})
  void aLimitThatCountsForOneKeyIsNoExcuseForOthers(String perKey) {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder(perKey).within(limiter("concurrent(5)")).build();
    keyed.limiter("large").setLimit("10/1s");
    goes(keyed.limiter("large"), 3);
    assertRefused(keyed.limiter("small"));
  }

  /** The cost was counted for all; that the new limit of all takes every cost helps no key. */
  @Test
  void theLimitOfAllMayBeSwitchedOff() {
    KeyedLimiter<String> keyed =
        KeyedLimiter.builder("concurrent(20)").within(limiter("100/1s")).build();
    goes(keyed.limiter("a"), 3);
    keyed.all().setLimit("unlimited");
    assertReportedOnce(keyed.limiter("a"), "no error because its limit was changed");
  }

  @Test
  void aSourceMayPutAnotherLimitInForce() {
    var source = new HandFedSource();
    source.leasedAtFirst = 100;
    Limiter limiter = Limiter.builder("10/1s").time(time).source(source).build();
    goes(limiter, 3);
    source.meter().context.sink().change(Limits.parse("spacing(1ms)"));
    source.last().leased = 100;
    assertReportedOnce(limiter, "no error because its limit was changed");
  }

  @Test
  void aLimitThatASourceCountsIsHeldToTheRule() {
    var source = new HandFedSource();
    source.leasedAtFirst = 100;
    assertRefused(Limiter.builder("spacing(1s)").time(time).source(source).build());
    assertRefused(KeyedLimiter.builder("spacing(1s)").source(source).<String>build().limiter("a"));
  }

  @Test
  void aReloadMayReplaceALimit(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("limits.properties"), "sms = 10/1s");
    try (Limiters limiters = Limiters.from(file)) {
      goes(limiters.get("sms"), 3);
      Files.writeString(file, "sms = concurrent(20)");
      limiters.reload();
      assertReportedOnce(limiters.get("sms"), "no error because its limit was changed");
    }
  }

  // ---- no request

  @Test
  void anUncountedAmountIsSettledAndReported() {
    Limiter limiter = limiter("peer(90000/1m of tokens)");
    Permit permit = limiter.tryAcquire(Cost.of("tokens", 1_000)).orElseThrow();
    permit.settle(1_500);
    permit.settle(1_600);
    assertEquals(1, heard.lines("write Cost.of(\"tokens\", 1500) (settled; logged once)").size());
    assertEquals(1, heard.lines("limits nothing").size());
    permit.settle(Cost.of("tokens", 900));
    permit.answered();
    goes(limiter, Cost.of("tokens", 89_100));
  }

  @Test
  void eachWayToIgnoreACostIsReportedOnce() {
    Limiter limiter = limiter("spacing(100ms)");
    limiter.dryRun(true);
    Permit permit = limiter.tryAcquire(3).orElseThrow();
    permit.settle(4);
    limiter.dryRun(false);
    limiter.setLimit("100/1s");
    limiter.setLimit("concurrent(4)");
    goes(limiter, 5);
    permit.settle(6);
    assertEquals(
        List.of(
            "3 limits nothing: an error without the dry run",
            "4 limits nothing: settled",
            "5 limits nothing: no error because its limit was changed"),
        heard.lines("limits nothing").stream()
            .map(
                line ->
                    line.replaceAll(
                        ".* of (. limits nothing): .* [(](.*); logged once.*", "$1: $2"))
            .toList());
  }

  @Test
  void aSettledAmountThatIsCountedIsNotReported() {
    limiter("peer(90000/1m)").tryAcquire(1).orElseThrow().settle(1_500);
    limiter("unlimited").tryAcquire(1).orElseThrow().settle(1_500);
    KeyedLimiter.of("peer(90000/1m)").limiter("a").tryAcquire(1).orElseThrow().settle(1_500);
    assertEquals(List.of(), heard.lines("limits nothing"));
  }

  @Test
  void aQuotaOfThePeerIsNoCostOfARequest() {
    Limiter limiter = limiter("peer(spacing(100ms))");
    Permit permit = limiter.tryAcquire().orElseThrow();
    assertEquals(0, PeerSays.quota(limiter, permit, Quota.remaining(3)));
    permit.answered();
    assertTrue(limiter.tryAcquire().isEmpty());
  }

  // ---- names

  @Test
  void aNameThatNoLimitCountsIsReportedAndNotRefused() {
    Limiter limiter = limiter("10/1s");
    goes(limiter, Cost.of("tokens", 5));
    goes(limiter, Cost.of("tokens", 5));
    assertEquals(1, heard.lines("counts no cost named \"tokens\"").size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spacing(100ms) | 3 | limiter sms: spacing(100ms) counts calls, so a plain cost of 3 limits"
            + " nothing: write a cost of 1, or a limit that counts the cost, such as"
            + " 30/1s & spacing(100ms)",
        "peer(spacing(100ms)) | 2 | limiter sms: peer(spacing(100ms)) counts calls, so a plain cost"
            + " of 2 limits nothing: write a cost of 1, or a limit that counts the cost, such as"
            + " peer(20/1s) & peer(spacing(100ms))",
        "90000/1m of tokens & concurrent(4) | 1500 | limiter sms: 90000/1m of tokens &"
            + " concurrent(4) counts the cost of tokens and calls, so a plain cost of 1500 limits"
            + " nothing: write Cost.of(\"tokens\", 1500)",
        "9/1m of tokens & concurrent(9) of mb | 7 | limiter sms: 9/1m of tokens & concurrent(9) of"
            + " mb counts the cost of tokens and the cost of mb, so a plain cost of 7 limits"
            + " nothing: write Cost.of(\"tokens\", 7) or Cost.of(\"mb\", 7)",
      })
  void theErrorSaysWhatToWrite(String limit, long cost, String message) {
    Limiter limiter = Limiter.builder(limit).name("sms").build();
    assertEquals(message, error(() -> limiter.acquire(cost)));
  }

  @Test
  void aPlainCostBesideACountedNameIsRefused() {
    Limiter limiter = Limiter.builder("90000/1m of tokens").name("llm").build();
    assertEquals(
        "limiter llm: 90000/1m of tokens counts the cost of tokens, so a plain cost of 5 limits"
            + " nothing: write a plain cost of 1",
        error(() -> limiter.acquire(Cost.of(5).and("tokens", 100))));
  }

  @Test
  void theErrorNamesTheLimitsOfAKeyAndOfAll() {
    Limiter all = Limiter.builder("concurrent(4)").name("all").build();
    Limiter key = KeyedLimiter.builder("spacing(1s)").within(all).<String>build().limiter("a");
    String message = error(() -> key.acquire(2));
    assertTrue(
        message.startsWith(
            "limiter all: spacing(1s) and concurrent(4) count calls, so a plain cost of 2"),
        message);
  }

  /** The limit that the error proposes must be one that takes the cost. */
  @ParameterizedTest
  @CsvSource({"spacing(1ms), 3", "concurrent(4), 1000000", "peer(spacing(1s)), 9000000000000"})
  void theLimitThatTheErrorProposesTakesTheCost(String limit, long cost) {
    String message = error(() -> limiter(limit).tryAcquire(cost));
    String proposed = message.substring(message.indexOf("such as ") + "such as ".length());
    assertTrue(limiter(proposed).tryAcquire(cost).isPresent(), proposed);
  }
}
