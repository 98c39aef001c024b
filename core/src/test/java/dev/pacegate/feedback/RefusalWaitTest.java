package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** For how long a refusal without {@code Retry-After} pauses, by what else its headers say. */
class RefusalWaitTest extends FeedbackCases {

  private static Map<String, String> headers(String text) {
    var headers = new TreeMap<String, String>();
    for (String header : text.split(" / ", -1)) {
      int colon = header.indexOf(": ");
      headers.put(header.substring(0, colon), header.substring(colon + 2));
    }
    return headers;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // a reset
        "60/1m | RateLimit-Limit: 60 / RateLimit-Remaining: 0 / RateLimit-ResetTime: Thu, 01 Jan"
            + " 1970 00:01:00 GMT | 1m",
        "700/1m | X-Rate-Limit: 700 / X-Rate-Limit-Remaining: 9 / Zendesk-RateLimit-x: total=10;"
            + " remaining=0; resets=41 | 41s",
        "60/1m | RateLimit-ResetTime: Thu, 01 Jan 1970 00:00:33 GMT | 33s",
        "60/1m | X-RateLimit-Reset: 33 | 33s",
        "60/1m | X-RateLimit-Limit: 60 / X-RateLimit-Reset: 33 | 33s",
        "60/1m | X-RateLimit-Limit: 60 / X-RateLimit-Used: 60 / X-RateLimit-Reset: 33 | 33s",
        // it is of what is not used up
        "60/1m | X-RateLimit-Limit: 60 / X-RateLimit-Used: 50 / X-RateLimit-Reset: 33 | 1s",
        "60/1m | X-RateLimit-Used: 50 / X-RateLimit-Reset: 33 | 1s",
        "60/1m | X-RateLimit-Remaining: 1 / X-RateLimit-Reset: 33 | 1s",
        "60/1m | X-RateLimit-Remaining: -1 / X-RateLimit-Reset: 33 | 1s",
        "60/1m | RateLimit-Policy: 60;w=60 / RateLimit-Remaining: 0 / RateLimit-Reset: 7 | 7s",
      })
  void aRefusalPausesUntilMoreIsAvailable(String limit, String headers, String pause) {
    Limiter limiter = limiter("peer(" + limit + ")");
    answer(limiter, 429, headers(headers));
    assertEquals(Durations.parse(pause), refusals.get(0).pause());
  }

  /** How much of a window has passed is not known: not more than all of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X-HubSpot-RateLimit-Remaining: 0 / X-HubSpot-RateLimit-Interval-Milliseconds: 10000 | 10s",
        "X-Rate-Limit-Api-Token-Remaining: 0 / X-Rate-Limit-Api-Token-Interval-Ms: 10000 | 10s",
        "X-RateLimit-Remaining-Req-Minute: 0 | 1m",
        "X-RateLimit-Remaining-Minute: 0 / X-RateLimit-Remaining-Second: 0 | 1m",
        "RateLimit-Policy: 20000;w=20 / RateLimit-Remaining: 0 | 20s",
      })
  void refusalsAreNotRepeatedLaterThanTheWindowOfWhatIsUsedUp(String headers, String window) {
    Limiter limiter = limiter("peer(20000/1m)"); // so large that the pace is short
    long length = Durations.parseNanos(window);
    long first = time.nanoTime();
    List<Long> ends = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answer(limiter, 429, headers(headers));
      ends.add(time.nanoTime() - first + refusals.get(i).pause().toNanos());
      assertTrue(refusals.get(i).pause().toNanos() <= length, ends::toString);
      stop(limiter);
    }
    assertEquals(List.of(1_000_000_000L), ends.subList(0, 1));
    assertTrue(ends.contains(length), ends::toString);
    assertTrue(ends.contains(2 * length), ends::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-HubSpot-RateLimit-Remaining: 3 / X-HubSpot-RateLimit-Interval-Milliseconds: 10000",
        "X-HubSpot-RateLimit-Daily: 250000 / X-HubSpot-RateLimit-Daily-Remaining: 0",
        "X-HubSpot-RateLimit-Interval-Milliseconds: 10000",
        "X-RateLimit-Remaining-Second: 0 / X-RateLimit-Remaining-Day: 0",
        "X-RateLimit-Remaining-Month: 0",
      })
  void theWindowOfWhatIsNotUsedUpAndAnEndlessOneBoundNothing(String headers) {
    Limiter limiter = limiter("peer(20000/1m)");
    for (int i = 0; i < 5; i++) {
      answer(limiter, 429, headers(headers));
      stop(limiter);
    }
    assertEquals(
        List.of(1L, 2L, 4L, 8L, 16L),
        refusals.stream().map(refusal -> refusal.pause().toSeconds()).toList());
  }

  /** The same number belongs to another window. */
  @ParameterizedTest
  @CsvSource({"X-RateLimit-Period, 86400", "X-RateLimit-Interval-Ms, 86400000"})
  void aQuotaOfAnotherWindowStopsNothing(String header, String window) {
    Limiter limiter = limiter("peer(1000/10s)");
    answer(
        limiter,
        200,
        Map.of(
            "X-RateLimit-Limit",
            "1000",
            "X-RateLimit-Remaining",
            "0",
            "X-RateLimit-Reset",
            "40000",
            header,
            window));

    assertEquals(Duration.ZERO, limiter.estimateWait(1));
    assertTrue(limiter.snapshot().workingRate().isEmpty());
  }
}
