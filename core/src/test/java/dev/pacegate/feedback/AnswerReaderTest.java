package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What peers write, and what is made of it. */
class AnswerReaderTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private static Answer answer(int status, String... headers) {
    Map<String, List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String header : headers) {
      int colon = header.indexOf(':');
      all.computeIfAbsent(header.substring(0, colon), name -> new ArrayList<>())
          .add(header.substring(colon + 1));
    }
    return new Answer(status, all, NOW);
  }

  private static PeerAnswer read(String... headers) {
    return AnswerReader.standard().read(answer(200, headers));
  }

  private static Quota quota(PeerAnswer said) {
    assertEquals(1, said.quotas().size(), said.toString());
    return said.quotas().get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "200, false",
    "418, true",
    "420, true",
    "429, true",
    "430, true",
    "509, true",
    "503, false",
    "500, false",
    "404, false"
  })
  void someStatusesAreRefusals(int status, boolean refused) {
    assertEquals(refused, AnswerReader.standard().read(answer(status)).refused());
  }

  @Test
  void theInstantThatBybitStatesIsNoResetWhileAnythingIsLeft() {
    Quota quota =
        quota(
            read(
                "X-Bapi-Limit:20",
                "X-Bapi-Limit-Status:1",
                "X-Bapi-Limit-Reset-Timestamp:" + NOW.plusSeconds(1).toEpochMilli()));
    assertEquals(Quota.remaining(1).withName("X-Bapi-Limit").withLimit(20), quota);
  }

  /** The count of a window that has no limit says nothing. */
  @ParameterizedTest
  @CsvSource({
    "'20:1', '20:1', 20",
    "'20:1, 100:120', '20:1', 20",
    "'20:1,100:120', '7:120, 5:1', 5",
    "'20:1', '7:120', -1",
    "'20:1', '7', -1",
    "'20:1', '', -1",
    "'20:1', '7:1,', -1",
    "'20:1', '7:1:1', -1",
    "'20:1', 'x:1', -1",
    "'20:1', '-7:1', -1",
  })
  void theCountOfRiotIsReadByItsWindow(String limits, String counts, long used) {
    Quota first =
        read("X-App-Rate-Limit:" + limits, "X-App-Rate-Limit-Count:" + counts).quotas().get(0);
    assertEquals(OptionalLong.of(20), first.limit());
    assertEquals(Optional.of(ofSeconds(1)), first.window());
    assertEquals(used < 0 ? OptionalLong.empty() : OptionalLong.of(used), first.used());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "20", "20:", ":1", "20:0", "20:1,", "20:1,x:2", "20:1;100:120"})
  void aListOfRiotThatMakesNoSenseIsIgnored(String limits) {
    var said = read("X-App-Rate-Limit:" + limits, "X-App-Rate-Limit-Count:1:1");
    assertEquals(List.of(), said.quotas());
  }

  @ParameterizedTest
  @CsvSource({"true, true", "True, true", "false, false", "'', false"})
  void aLimitOfAllRoutesIsAReasonIfItIsTrue(String global, boolean refused) {
    Answer answer = answer(403, "X-RateLimit-Global: " + global);
    assertEquals(refused, AnswerReader.standard().read(answer).refused());
  }

  @ParameterizedTest
  @CsvSource({
    "400, ThrottlingException, REFUSED",
    "400, com.amazonaws.sqs#RequestThrottled, REFUSED",
    "400, ProvisionedThroughputExceededException:http://internal.amazon.com/coral/, REFUSED",
    "503, SlowDown, REFUSED",
    "503, ServiceUnavailable, OVERLOADED",
    "400, ValidationException, ACCEPTED",
    "400, TransactionInProgressException, ACCEPTED",
    "200, ThrottlingException, ACCEPTED"
  })
  void errorsOfAwsAreRefusalsIfTheyThrottle(int status, String error, PeerVerdict verdict) {
    Answer answer = answer(status, "x-amzn-ErrorType: " + error);
    assertEquals(verdict, AnswerReader.standard().read(answer).verdict());
  }

  /** As the page says: add the status. */
  @Test
  void anAddedReaderLeavesTheVerdict() {
    AnswerReader added = AnswerReader.standard().and(AnswerReader.counts("X-Foo-"));
    Answer answer = answer(503, "X-Foo-Limit: 9", "X-Foo-Remaining: 0");
    assertEquals(PeerVerdict.OVERLOADED, added.read(answer).verdict());
    assertTrue(added.and(AnswerReader.refusals(503)).read(answer).refused());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "120 | 120000",
        " 7 | 7000",
        "0.5 | 500",
        "1.0001 | 1001",
        "Fri, 02 Jan 2026 03:04:35 GMT | 30000",
        "fri, 02 jan 2026 03:04:35 gmt | 30000",
        "Friday, 02-Jan-26 03:04:35 GMT | 30000",
        "Fri Jan  2 03:04:35 2026 | 30000",
        "6m0s | 360000",
        "1h2m3.5s | 3723500",
        "20ms | 20",
        "2026-01-02T03:04:35Z | 30000",
        "2026-01-02T04:04:35.5+01:00 | 30500",
        "2026-01-02T03:05Z | 55000",
        "34560000 | 34560000000", // 400 days
        "30 seconds | 30000",
        "1 Second | 1000",
        "5 s | 5000",
        "2 minutes | 120000",
        "1 hour | 3600000",
        "1 hour 2 mins | 3720000",
        "500 milliseconds | 500",
        "Fri, 02 Jan 2026 03:04:35 UTC | 30000",
        "Friday, 02-Jan-26 03:04:35 UTC | 30000",
        "Mon, 02 Jan 2026 03:04:35 GMT | 30000", // it was a Friday
        "Sunday, 02-Jan-26 03:04:35 GMT | 30000",
        "Mon Jan  2 03:04:35 2026 | 30000",
        "02 Jan 2026 03:04:35 GMT | 30000",
        "17, 17 | 17000", // joined by a proxy
        "3,  9, 5 | 9000",
        "1s, 2m | 120000",
        "3, Fri, 02 Jan 2026 03:04:35 GMT | 30000",
        "Fri, 02 Jan 2026 03:04:07 GMT, Fri, 02 Jan 2026 03:04:35 GMT | 30000",
        "SAT, 03 JAN 2026 03:04:05 GMT, SAT, 03 JAN 2026 03:04:05 GMT | 86400000",
      })
  void retryAfterIsASpanOrADate(String text, long millis) {
    assertEquals(Optional.of(ofMillis(millis)), read("Retry-After:" + text).retryAfter());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "soon",
        "1e9",
        "0x10",
        "1,2", // may be a decimal
        "17, soon", // what the second asks for is not guessed
        "17, ",
        ", 17",
        "5 parsecs",
        "30 seconds or so",
        "5 months",
        "Fri, 02 Jan 2026 03:04:35 PST",
        "Fri, 02 Jan 2026 03:04:35",
        "Fri, 32 Jan 2026 03:04:35 GMT",
        "٣",
        "+5",
        "6m0",
        "0",
        "0s",
        "34560001", // no peer means more than 400 days
        "999999999",
        "99999999999999999999999999999999999999999999999999",
        "1795326030845000", // microseconds since 1970 are not guessed
        "999999999999999d",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Fri, 02 Jan 2026 03:04:05 GMT",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "2026-01-02T03:04:05Z",
        "2026-13-02T03:04:05Z",
        "1767323000"
      })
  void aRetryAfterThatIsNoSpanIsIgnored(String text) {
    assertEquals(Optional.empty(), read("Retry-After:" + text).retryAfter());
  }

  /** Some peers send the instant instead of the span that the standard asks for. */
  @ParameterizedTest
  @CsvSource({"1767323075, 30000", "1767323075.5, 30500", "1767323075000, 30000"})
  void retryAfterMayBeAnInstant(String text, long millis) {
    assertEquals(Optional.of(ofMillis(millis)), read("Retry-After: " + text).retryAfter());
  }

  @Test
  void ofSeveralSpansTheLongestCounts() {
    assertEquals(
        Optional.of(ofSeconds(9)),
        read("Retry-After: 3", "retry-after: 9", "Retry-After: x").retryAfter());
  }

  @Test
  void datesAreComparedWithThePeersOwn() {
    PeerAnswer said =
        read("Retry-After: Fri, 02 Jan 2026 05:00:10 GMT", "Date: Fri, 02 Jan 2026 05:00:00 GMT");

    assertEquals(Optional.of(ofSeconds(10)), said.retryAfter());
    assertEquals(Optional.of(Instant.parse("2026-01-02T05:00:00Z")), said.date());
  }

  @Test
  void readsTheDraftsFields() {
    List<Quota> quotas =
        read(
                "RateLimit-Policy: \"burst\";q=100;w=60,\"daily\";q=1000;w=86400;pk=:cGsx:",
                "RateLimit: \"burst\";r=50;t=30, \"daily\";r=999")
            .quotas();

    assertEquals(2, quotas.size());
    assertEquals(
        new Quota(
            "burst",
            OptionalLong.of(100),
            OptionalLong.of(50),
            OptionalLong.empty(),
            Optional.of(ofSeconds(60)),
            Optional.of(ofSeconds(30)),
            ""),
        quotas.get(0));
    assertEquals(OptionalLong.of(999), quotas.get(1).remaining());
    assertEquals(Optional.of(Duration.ofDays(1)), quotas.get(1).window());
  }

  @Test
  void namesMayHoldWhatSeparates() {
    assertEquals("a;b,c\"d", quota(read("RateLimit: \"a;b,c\\\"d\";r=1")).name());
  }

  @Test
  void aCountOfBytesIsAnotherCost() {
    assertEquals(
        "content_bytes",
        quota(read("RateLimit-Policy: \"b\";q=9;qu=\"content-bytes\"", "RateLimit: \"b\";r=1"))
            .cost());
  }

  @Test
  void readsTheOlderThree() {
    Quota quota =
        quota(
            read("RateLimit-Limit: 100, 100;w=60", "RateLimit-Remaining: 7", "ratelimit-reset: 9"));

    assertEquals(OptionalLong.of(100), quota.limit());
    assertEquals(OptionalLong.of(7), quota.remaining());
    assertEquals(Optional.of(ofSeconds(9)), quota.reset());
  }

  @ParameterizedTest
  @CsvSource({
    "30, 30000",
    "1767323075, 30000", // 30 s later, in seconds since 1970
    "1767323075000, 30000",
    "1767323075.5, 30500", // as koa sends it
    "1767323075000.25, 30001",
  })
  void resetsAreSpansOrInstants(String reset, long millis) {
    Quota quota = quota(read("X-RateLimit-Remaining: 1", "X-RateLimit-Reset: " + reset));

    assertEquals(Optional.of(ofMillis(millis)), quota.reset());
  }

  @Test
  void twoOfEachAreTwoQuotas() {
    List<Quota> quotas =
        read(
                "X-RateLimit-Limit: 10",
                "X-RateLimit-Limit: 500",
                "X-RateLimit-Remaining: 5",
                "X-RateLimit-Remaining: 499")
            .quotas();

    assertEquals(2, quotas.size());
    assertEquals(OptionalLong.of(500), quotas.get(1).limit());
    assertEquals(OptionalLong.of(499), quotas.get(1).remaining());
  }

  /** As a proxy joins them. */
  @Test
  void joinedValuesAreRead() {
    List<Quota> quotas =
        read(
                "X-RateLimit-Limit: 10, 500",
                "X-RateLimit-Remaining: 5, 499",
                "X-RateLimit-Reset: 3, 60")
            .quotas();

    assertEquals(
        List.of(
            Quota.remaining(5).withLimit(10).withReset(ofSeconds(3)),
            Quota.remaining(499).withLimit(500).withReset(ofSeconds(60))),
        quotas.stream().map(quota -> quota.withName("")).toList());
    assertEquals(List.of(), read("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 5, 4").quotas());
  }

  @Test
  void whichRemainsBelongsToWhichLimitIsNotGuessed() {
    assertEquals(
        List.of(),
        read("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 5", "X-RateLimit-Remaining: 2")
            .quotas());
  }

  @Test
  void readsWhatHasBeenUsed() {
    AnswerReader reader = AnswerReader.used("X-MBX-USED-WEIGHT-1M", Duration.ofMinutes(1));

    Quota quota = quota(reader.read(answer(200, "x-mbx-used-weight-1m: 345")));

    assertEquals(OptionalLong.of(345), quota.used());
    assertEquals(Optional.of(Duration.ofMinutes(1)), quota.window());
    assertEquals(PeerAnswer.NOTHING, reader.read(answer(200, "x-mbx-used-weight-1m: -3")));
  }

  @Test
  void anAnswerThatACacheKeptTellsNoTime() {
    String date = "Date: Fri, 02 Jan 2026 05:00:00 GMT";
    AnswerReader reader = AnswerReader.standard();

    assertTrue(reader.read(answer(200, date)).date().isPresent());
    assertTrue(reader.read(answer(200, date, "Age: 0")).date().isPresent());
    assertEquals(Optional.empty(), reader.read(answer(200, date, "Age: 7")).date());
  }

  @ParameterizedTest
  @CsvSource({"200, 7, 0", "200, 0, 1", "200, x, 1", "404, 7, 0", "429, 7, 1", "503, 7, 1"})
  void quotasOfAnAnswerThatACacheKeptAreIgnored(int status, String age, int quotas) {
    AnswerReader reader = AnswerReader.standard().and(AnswerReader.counts("X-Foo-"));

    for (String prefix : List.of("X-RateLimit-", "X-Foo-")) {
      PeerAnswer said =
          reader.read(answer(status, "Age: " + age, prefix + "Limit: 9", prefix + "Remaining: 0"));
      assertEquals(quotas, said.quotas().size(), prefix);
    }
  }

  @Test
  void instantsAreComparedWithTheDateAndTheAge() {
    PeerAnswer said =
        AnswerReader.standard()
            .read(
                answer(
                    429,
                    "Date: Fri, 02 Jan 2026 03:04:05 GMT",
                    "Age: 10",
                    "X-RateLimit-Remaining: 0",
                    "X-RateLimit-Reset: 1767323075"));

    assertEquals(Optional.of(ofSeconds(20)), quota(said).reset());
  }

  @Test
  void noAgeIsTooLarge() {
    PeerAnswer said =
        read(
            "Date: Fri Dec 31 23:59:59 +999999999",
            "Age: 34560000",
            "Retry-After: Fri, 02 Jan 2026 05:00:10 GMT");

    assertEquals(Optional.empty(), said.retryAfter());
  }

  /** Some of it is available much earlier. */
  @ParameterizedTest
  @CsvSource({
    "200, 'X: y', false",
    "400, 'X: y', false",
    "429, 'X: y', true", // nothing else says when
    "429, 'Retry-After: 1', false",
  })
  void aResetThatMeansFullIsForRefusalsThatSayNothingElse(int status, String header, boolean read) {
    AnswerReader reader = AnswerReader.standard();
    PeerAnswer requests =
        reader.read(
            answer(
                status,
                header,
                "anthropic-ratelimit-requests-limit: 50",
                "anthropic-ratelimit-requests-remaining: 0",
                "anthropic-ratelimit-requests-reset: 2026-01-02T03:05:05Z"));
    PeerAnswer tokens =
        reader.read(
            answer(
                status,
                header,
                "x-ratelimit-limit-tokens: 50000",
                "x-ratelimit-remaining-tokens: 0",
                "x-ratelimit-reset-tokens: 60s"));
    Optional<Duration> reset = read ? Optional.of(ofSeconds(60)) : Optional.empty();

    assertEquals(reset, quota(requests).reset());
    assertEquals(reset, quota(tokens).reset());
    assertEquals(OptionalLong.of(0), quota(tokens).remaining());
  }

  @Test
  void otherHeadersCanBeRead() {
    AnswerReader reader =
        AnswerReader.counts("X-Quota-", "-Points", "points")
            .and(AnswerReader.retryAfter("X-Come-Back"));

    PeerAnswer said = reader.read(answer(200, "X-Quota-Remaining-Points: 7", "x-come-back: 9s"));

    assertEquals(Quota.remaining(7).withName("X-Quota--Points").withCost("points"), quota(said));
    assertEquals(Optional.of(ofSeconds(9)), said.retryAfter());
    assertEquals("X-Come-Back", said.source());
  }

  @Test
  void theLongerWaitNamesItsSource() {
    PeerAnswer said = read("Retry-After: 2", "retry-after-ms: 1500.5");

    assertEquals(Optional.of(ofSeconds(2)), said.retryAfter());
    assertEquals("Retry-After", said.source());
  }
}
