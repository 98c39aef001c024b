package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import dev.pacegate.limit.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever is written, something is made of it, and nothing that is negative or endless. */
class HostileHeadersTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final Duration LONGEST = Duration.ofDays(400);

  private static final int[] STATUSES = {200, 204, 301, 403, 418, 429, 503, 529, 0, -1};

  private static final List<String> NAMES =
      List.of(
          "Retry-After",
          "retry-after-ms",
          "x-ms-retry-after-ms",
          "X-RateLimit-Retry-After",
          "Date",
          "Age",
          "RateLimit",
          "RateLimit-Policy",
          "RateLimit-Limit",
          "RateLimit-Remaining",
          "RateLimit-Reset",
          "RateLimit-Reason",
          "X-RateLimit-Limit",
          "X-RateLimit-Remaining",
          "X-RateLimit-Used",
          "X-RateLimit-Reset",
          "X-RateLimit-Reset-After",
          "X-RateLimit-Bucket",
          "X-RateLimit-Policy",
          "X-Rate-Limit-Limit",
          "X-Rate-Limit-Remaining",
          "X-Rate-Limit-Reset",
          "x-ratelimit-limit-tokens",
          "x-ratelimit-remaining-tokens",
          "x-ratelimit-reset-tokens",
          "x-ratelimit-renewalperiod-tokens",
          "anthropic-ratelimit-input-tokens-remaining",
          "anthropic-ratelimit-input-tokens-reset",
          "X-MBX-USED-WEIGHT-1M",
          "X-MBX-USED-WEIGHT-99999D",
          "X-MBX-USED-WEIGHT-",
          "X-Shopify-Shop-Api-Call-Limit",
          "Stripe-Version",
          "X-RateLimit-Mood");

  private static final List<String> BITS =
      List.of(
          "\"",
          ";",
          ",",
          "=",
          "r",
          "q=",
          "w=",
          "t=",
          "qu=",
          "-",
          "0",
          "1",
          "/",
          "99999999999999999999",
          ".",
          " ",
          "\\",
          "GMT",
          ":",
          "é",
          "\0",
          "٣",
          "ms",
          "s",
          "m",
          "h",
          "d",
          "6m0s",
          "limit=10",
          "remaining=",
          "Fri, 02 Jan 2026 03:04:35 GMT",
          "2026-01-02T03:04:35Z",
          "9223372036854775807",
          "1767323075",
          "1795326030.845",
          "+",
          "e",
          "\"a\";r=5;t=3");

  private final List<String> logged = new ArrayList<>();
  private final AnswerReader reader = StandardHeaders.reader(new UnknownHeaders(logged::add));

  @Test
  void nonsenseHasNoEffect() {
    Seeds.forEach(100_000, random -> check(reader.read(answer(random))));

    assertTrue(logged.size() <= 100);
  }

  private static Answer answer(SplittableRandom random) {
    Map<String, List<String>> headers = new HashMap<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      String name = one(NAMES, random);
      if (random.nextInt(20) == 0) {
        name += random.nextInt();
      }
      headers.computeIfAbsent(name, header -> new ArrayList<>()).add(nonsense(random));
    }
    return new Answer(STATUSES[random.nextInt(STATUSES.length)], headers, NOW);
  }

  private static String nonsense(SplittableRandom random) {
    if (random.nextInt(1_000) == 0) {
      return one(BITS, random).repeat(20_000);
    }
    var text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.append(one(BITS, random));
    }
    return text.toString();
  }

  private static String one(List<String> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }

  private static void check(PeerAnswer said) {
    assertTrue(said.quotas().size() <= 1_000, "so many quotas");
    assertTrue(said.retryAfter().isPresent() != said.source().isEmpty());
    said.retryAfter().ifPresent(HostileHeadersTest::check);
    for (Quota quota : said.quotas()) {
      quota.reset().ifPresent(HostileHeadersTest::check);
      assertFalse(quota.limit().isPresent() && quota.limit().getAsLong() < 0);
      assertFalse(quota.remaining().isPresent() && quota.remaining().getAsLong() < 0);
      assertFalse(quota.used().isPresent() && quota.used().getAsLong() < 0);
    }
  }

  private static void check(Duration wait) {
    assertTrue(wait.compareTo(Duration.ZERO) > 0, wait.toString());
    assertTrue(wait.compareTo(LONGEST) <= 0, wait.toString());
  }
}
