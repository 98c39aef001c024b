package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What providers write, in their own words, and what is made of it. Each row stands on the page of
 * headers, with its source. {@code Date} is added where the source states an instant alone.
 */
@Tag("pages")
class HeaderTableTest {

  private static final Instant RECEIVED = Instant.parse("2026-01-02T03:04:05Z");

  private static Stream<Arguments> rows() {
    return Stream.of(
            standards(),
            commonHeaders(),
            gitHub(),
            languageModels(),
            applications(),
            otherServices(),
            windows(),
            lists(),
            resets())
        .flatMap(rows -> rows);
  }

  private static Stream<Arguments> standards() {
    return Stream.of(
        row(
            "Drafts 0 to 2",
            """
            200
            RateLimit-Limit: 100, 100;w=60;burst=1000;comment="sliding window", \
            5000;w=3600;burst=0;comment="fixed window"
            RateLimit-Remaining: 50
            RateLimit-Reset: 60
            """,
            "accepted; limit 100, 50 left, window 1m, reset in 1m; limit 5000, window 1h"),
        row(
            "Drafts 3 to 6",
            """
            200
            RateLimit-Limit: 10
            RateLimit-Policy: 10;w=1, 50;w=60
            RateLimit-Remaining: 9
            RateLimit-Reset: 1
            """,
            "accepted; limit 10, 9 left, window 1s, reset in 1s; limit 50, window 1m"),
        row(
            "Draft 7",
            """
            200
            RateLimit-Policy: 100;w=10
            RateLimit: limit=100, remaining=50, reset=5
            """,
            "accepted; limit 100, 50 left, window 10s, reset in 5s"),
        row(
            "Drafts 8 to 10",
            """
            200
            RateLimit-Policy: "burst";q=100;w=60,"daily";q=1000;w=86400
            RateLimit-Policy: "peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:
            RateLimit: "burst";r=50;t=30
            """,
            "accepted; limit 100, 50 left, window 1m, reset in 30s; limit 1000, window 1d;"
                + " limit 65535, window 10s of content_bytes"),
        row("RFC 9110, seconds", "503\nRetry-After: 120", "overloaded, wait 2m by Retry-After"),
        row(
            "RFC 9110, date",
            """
            503
            Date: Fri, 31 Dec 1999 23:59:30 GMT
            Retry-After: Fri, 31 Dec 1999 23:59:59 GMT
            """,
            "overloaded, wait 29s by Retry-After"),
        row("RFC 6585", "429\nRetry-After: 3600", "refused, wait 1h by Retry-After"),
        row("nginx limit_req", "503", "overloaded"));
  }

  private static Stream<Arguments> commonHeaders() {
    return Stream.of(
        row(
            "X-RateLimit, epoch",
            """
            429
            Date: Sun, 29 Nov 2020 19:21:21 GMT
            X-RateLimit-Limit: 60
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 1606678044
            """,
            "refused; limit 60, 0 left, reset in 363s"),
        row(
            "X-RateLimit, seconds",
            """
            200
            X-RateLimit-Limit: 30
            X-RateLimit-Remaining: 25
            X-RateLimit-Reset: 17
            """,
            "accepted; limit 30, 25 left, reset in 17s"),
        row(
            "X-RateLimit, fractions",
            """
            200
            Date: Sat, 21 Nov 2026 22:20:00 GMT
            X-RateLimit-Limit: 10
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 1795299630.845
            """,
            "accepted; limit 10, 0 left, reset in 30845ms"),
        row(
            "X-RateLimit, milliseconds",
            """
            200
            Date: Sat, 21 Nov 2026 22:20:00 GMT
            X-RateLimit-Requests-Limit: 5000
            X-RateLimit-Requests-Remaining: 4999
            X-RateLimit-Requests-Reset: 1795299630845
            """,
            "accepted; limit 5000, 4999 left, reset in 30845ms"),
        row(
            "X-RateLimit-Retry-After",
            "429\nX-RateLimit-Retry-After: 59",
            "refused, wait 59s by X-RateLimit-Retry-After"));
  }

  private static Stream<Arguments> gitHub() {
    return Stream.of(
        row(
            "GitHub, primary limit",
            """
            403
            Date: Tue, 20 Aug 2013 14:50:41 GMT
            X-RateLimit-Limit: 60
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 1377013266
            X-RateLimit-Used: 60
            X-RateLimit-Resource: core
            """,
            "refused; limit 60, 0 left, 60 used, reset in 3025s"),
        row(
            "GitHub, secondary limit",
            """
            403
            Retry-After: 60
            X-RateLimit-Limit: 5000
            X-RateLimit-Remaining: 4987
            """,
            "refused, wait 1m by Retry-After; limit 5000, 4987 left"),
        row(
            "GitHub, forbidden",
            "403\nX-RateLimit-Limit: 5000\nX-RateLimit-Remaining: 4987",
            "accepted; limit 5000, 4987 left"));
  }

  private static Stream<Arguments> languageModels() {
    return Stream.of(
        row(
            "OpenAI",
            """
            429
            x-ratelimit-limit-requests: 60
            x-ratelimit-limit-tokens: 150000
            x-ratelimit-remaining-requests: 59
            x-ratelimit-remaining-tokens: 0
            x-ratelimit-reset-requests: 1s
            x-ratelimit-reset-tokens: 6m0s
            """,
            "refused; limit 60, 59 left, reset in 1s; limit 150000, 0 left, reset in 6m of tokens"),
        row(
            "Azure OpenAI",
            """
            429
            retry-after: 1
            retry-after-ms: 750
            x-ratelimit-limit-requests: 5
            x-ratelimit-remaining-requests: 4
            x-ratelimit-renewalperiod-requests: 60
            x-ratelimit-reset-requests: 12
            x-ratelimit-limit-tokens: -1
            x-ratelimit-remaining-tokens: -1
            x-ratelimit-reset-tokens: 0
            """,
            "refused, wait 1s by Retry-After; limit 5, 4 left, window 1m"),
        row(
            "Azure Cosmos DB",
            "429\nx-ms-retry-after-ms: 250",
            "refused, wait 250ms by X-Ms-Retry-After-Ms"),
        row(
            "Anthropic",
            """
            200
            Date: Thu, 21 Aug 2025 12:40:30 GMT
            anthropic-ratelimit-requests-limit: 1000
            anthropic-ratelimit-requests-remaining: 999
            anthropic-ratelimit-requests-reset: 2025-08-21T12:40:59Z
            anthropic-ratelimit-tokens-limit: 96000
            anthropic-ratelimit-tokens-remaining: 96000
            anthropic-ratelimit-tokens-reset: 2025-08-21T12:40:29Z
            anthropic-ratelimit-input-tokens-limit: 80000
            anthropic-ratelimit-input-tokens-remaining: 80000
            anthropic-ratelimit-output-tokens-limit: 16000
            anthropic-ratelimit-output-tokens-remaining: 16000
            """,
            "accepted; limit 1000, 999 left; limit 96000, 96000 left of tokens;"
                + " limit 80000, 80000 left of input_tokens; limit 16000, 16000 left of"
                + " output_tokens"),
        row("Anthropic, overloaded", "529", "overloaded"),
        row("Google", "429\nRetry-After: 30", "refused, wait 30s by Retry-After"));
  }

  private static Stream<Arguments> applications() {
    return Stream.of(
        row(
            "Stripe",
            "429\nStripe-Version: 2026-08-26\nStripe-Rate-Limited-Reason: global-rate",
            "refused"),
        row("Stripe, lock_timeout", "429\nStripe-Version: 2026-08-26", "overloaded"),
        row(
            "Discord, bucket",
            """
            429
            Retry-After: 65
            X-RateLimit-Limit: 10
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 1470173023.123
            X-RateLimit-Reset-After: 64.57
            X-RateLimit-Bucket: abcd1234
            X-RateLimit-Scope: user
            """,
            "refused, wait 65s by Retry-After; limit 10, 0 left, reset in 64570ms"),
        row(
            "Discord, global",
            "429\nRetry-After: 65\nX-RateLimit-Global: true\nX-RateLimit-Scope: global",
            "refused, wait 65s by Retry-After"),
        row("Slack", "429\nRetry-After: 30", "refused, wait 30s by Retry-After"),
        row(
            "Shopify",
            "429\nX-Shopify-Shop-Api-Call-Limit: 40/40\nRetry-After: 2.0",
            "refused, wait 2s by Retry-After; limit 40, 40 used"),
        row("Shopify, security", "430", "refused"),
        row(
            "AWS",
            "400\nx-amzn-ErrorType: ThrottlingException:http://internal.amazon.com/coral/",
            "refused"),
        row(
            "Okta",
            """
            200
            Date: Thu, 31 Dec 2020 23:59:30 GMT
            X-Rate-Limit-Limit: 1200
            X-Rate-Limit-Remaining: 1199
            X-Rate-Limit-Reset: 1609459200
            """,
            "accepted; limit 1200, 1199 left, reset in 30s"));
  }

  private static Stream<Arguments> otherServices() {
    return Stream.of(
        row(
            "X",
            """
            200
            Date: Tue, 16 Jan 2024 15:50:00 GMT
            x-rate-limit-limit: 900
            x-rate-limit-remaining: 847
            x-rate-limit-reset: 1705420800
            """,
            "accepted; limit 900, 847 left, reset in 10m"),
        row(
            "Atlassian",
            """
            429
            Date: Wed, 08 Oct 2025 14:29:13 GMT
            Retry-After: 1847
            X-RateLimit-Limit: 100000
            X-RateLimit-Remaining: 0
            X-RateLimit-Reset: 2025-10-08T15:00:00Z
            X-RateLimit-NearLimit: true
            RateLimit-Reason: jira-quota-global-based
            """,
            "refused, wait 1847s by Retry-After; limit 100000, 0 left, reset in 1847s"),
        row(
            "Binance",
            """
            418
            Retry-After: 120
            X-MBX-USED-WEIGHT-1M: 6001
            X-MBX-ORDER-COUNT-10S: 7
            """,
            "refused, wait 2m by Retry-After; 6001 used, window 1m; 7 used, window 10s of orders"),
        row(
            "Reddit",
            """
            200
            x-ratelimit-used: 6
            x-ratelimit-remaining: 594.0
            x-ratelimit-reset: 285
            """,
            "accepted; 594 left, 6 used, reset in 285s"),
        row(
            "Twitch",
            """
            200
            Date: Tue, 21 Nov 2017 16:44:43 GMT
            Ratelimit-Limit: 30
            Ratelimit-Remaining: 29
            Ratelimit-Reset: 1511282710
            """,
            "accepted; limit 30, 29 left, reset in 27s"));
  }

  /** The window is in a header of its own, or in the name of one. */
  private static Stream<Arguments> windows() {
    return Stream.of(
        row(
            "HubSpot",
            """
            429
            X-HubSpot-RateLimit-Daily: 250000
            X-HubSpot-RateLimit-Daily-Remaining: 249000
            X-HubSpot-RateLimit-Interval-Milliseconds: 10000
            X-HubSpot-RateLimit-Max: 100
            X-HubSpot-RateLimit-Remaining: 0
            """,
            "refused; limit 100, 0 left, window 10s; limit 250000, 249000 left, window 1d"),
        row(
            "Datadog",
            """
            200
            X-RateLimit-Limit: 1000
            X-RateLimit-Name: query_endpoint
            X-RateLimit-Period: 3600
            X-RateLimit-Remaining: 999
            X-RateLimit-Reset: 41
            """,
            "accepted; limit 1000, 999 left, window 1h, reset in 41s"),
        row(
            "Trello",
            """
            200
            X-Rate-Limit-Api-Token-Interval-Ms: 10000
            X-Rate-Limit-Api-Token-Max: 100
            X-Rate-Limit-Api-Token-Remaining: 99
            X-Rate-Limit-Api-Key-Interval-Ms: 10000
            X-Rate-Limit-Api-Key-Max: 300
            X-Rate-Limit-Api-Key-Remaining: 299
            """,
            "accepted; limit 100, 99 left, window 10s; limit 300, 299 left, window 10s"),
        row(
            "Kong",
            """
            200
            RateLimit-Limit: 5
            RateLimit-Remaining: 4
            RateLimit-Reset: 1
            X-RateLimit-Limit-Second: 5
            X-RateLimit-Remaining-Second: 4
            X-RateLimit-Limit-Hour: 10000
            X-RateLimit-Remaining-Hour: 9999
            """,
            "accepted; limit 5, 4 left, reset in 1s; limit 10000, 9999 left, window 1h;"
                + " limit 5, 4 left, window 1s"),
        row(
            "Mistral",
            """
            200
            x-ratelimit-limit-req-minute: 60
            x-ratelimit-remaining-req-minute: 59
            x-ratelimit-limit-tokens-minute: 50000
            x-ratelimit-remaining-tokens-minute: 47196
            x-ratelimit-limit-tokens-month: 4000000
            x-ratelimit-remaining-tokens-month: 3950246
            x-ratelimit-tokens-query-cost: 2804
            """,
            "accepted; limit 60, 59 left, window 1m; limit 50000, 47196 left, window 1m of"
                + " tokens"));
  }

  /** Windows and amounts are in lists. */
  private static Stream<Arguments> lists() {
    return Stream.of(
        row(
            "Riot",
            """
            429
            Retry-After: 7
            X-App-Rate-Limit: 20:1,100:120
            X-App-Rate-Limit-Count: 1:1,100:120
            X-Method-Rate-Limit: 2000:60
            X-Method-Rate-Limit-Count: 77:60
            X-Rate-Limit-Type: application
            """,
            "refused, wait 7s by Retry-After; limit 20, 1 used, window 1s; limit 100, 100 used, window 2m;"
                + " limit 2000, 77 used, window 1m"));
  }

  /** The reset is written in a way of its own. */
  private static Stream<Arguments> resets() {
    return Stream.of(
        row(
            "KuCoin",
            """
            429
            gw-ratelimit-limit: 4000
            gw-ratelimit-remaining: 0
            gw-ratelimit-reset: 14446
            """,
            "refused; limit 4000, 0 left, reset in 14446ms"),
        row(
            "Bybit",
            """
            200
            Date: Tue, 03 Jan 2023 09:28:54 GMT
            X-Bapi-Limit: 20
            X-Bapi-Limit-Status: 0
            X-Bapi-Limit-Reset-Timestamp: 1672738134824
            """,
            "accepted; limit 20, 0 left, reset in 824ms"),
        row(
            "GitLab",
            """
            429
            Date: Tue, 05 Jan 2021 10:59:00 GMT
            RateLimit-Limit: 60
            RateLimit-Name: throttle_authenticated_web
            RateLimit-Observed: 67
            RateLimit-Remaining: 0
            RateLimit-ResetTime: Tue, 05 Jan 2021 11:00:00 GMT
            """,
            "refused; limit 60, 0 left, 67 used, reset in 1m"),
        row(
            "Zendesk",
            """
            429
            x-rate-limit: 700
            x-rate-limit-remaining: 699
            zendesk-ratelimit-tickets-index: total=100; remaining=0; resets=41
            """,
            "refused; limit 700, 699 left; limit 100, 0 left, reset in 41s"));
  }

  private static Arguments row(String name, String answer, String said) {
    return arguments(name, answer, said);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void isReadAsThePageSays(String name, String answer, String said) {
    assertEquals(said, told(AnswerReader.standard().read(answer(answer))));
  }

  /** What has no effect is known to have none. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void noHeaderOfTheTableIsLogged(String name, String answer) {
    var logged = new ArrayList<String>();
    StandardHeaders.reader(new UnknownHeaders(logged::add)).read(answer(answer));
    assertEquals(name.startsWith("Azure OpenAI") ? 1 : 0, logged.size(), logged::toString); // -1
  }

  @Test
  void thePageHasTheSameRows() throws IOException {
    var ofTests =
        rows().map(row -> (String) row.get()[0]).collect(Collectors.toCollection(TreeSet::new));
    var ofPage =
        Files.readAllLines(Path.of("..", "docs", "headers.md")).stream()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| What "))
            .map(line -> line.split("\\|", -1)[1].trim())
            .collect(Collectors.toCollection(TreeSet::new));

    assertEquals(ofTests, ofPage);
  }

  private static Answer answer(String text) {
    List<String> lines = text.lines().toList();
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] header = line.split(": ", 2);
      headers.computeIfAbsent(header[0], name -> new ArrayList<>()).add(header[1]);
    }
    return new Answer(Integer.parseInt(lines.get(0)), headers, RECEIVED);
  }

  private static String told(PeerAnswer said) {
    var parts = new ArrayList<String>();
    String verdict = said.verdict().name().toLowerCase(Locale.ROOT);
    parts.add(verdict + told(", wait ", said.retryAfter()) + by(said.source()));
    said.quotas().forEach(quota -> parts.add(told(quota)));
    return String.join("; ", parts);
  }

  private static String told(Quota quota) {
    String amounts =
        told(", limit %d", quota.limit())
            + told(", %d left", quota.remaining())
            + told(", %d used", quota.used())
            + told(", window ", quota.window())
            + told(", reset in ", quota.reset());
    return amounts.substring(2) + (quota.cost().isEmpty() ? "" : " of " + quota.cost());
  }

  private static String by(String source) {
    return source.isEmpty() ? "" : " by " + source;
  }

  @SuppressWarnings("AnnotateFormatMethod")
  private static String told(String format, OptionalLong amount) {
    return amount.isPresent() ? format.formatted(amount.getAsLong()) : "";
  }

  private static String told(String words, Optional<Duration> span) {
    return span.map(time -> words + Durations.format(time)).orElse("");
  }
}
