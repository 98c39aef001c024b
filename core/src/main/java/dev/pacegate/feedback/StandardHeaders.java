package dev.pacegate.feedback;

import dev.pacegate.PeerVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The formats that the standard reader knows; docs/headers.md says which peer sends which. */
final class StandardHeaders {

  private static final List<HeaderFormat> FORMATS =
      List.of(
          new Statuses(Set.of(429, 418, 420, 430, 509), PeerVerdict.REFUSED),
          new Statuses(Set.of(503, 529), PeerVerdict.OVERLOADED),
          new WaitHeader("Retry-After", HeaderValues::wait),
          new WaitHeader("X-RateLimit-Retry-After", HeaderValues::wait),
          new WaitHeader("Retry-After-Ms", (text, now) -> HeaderValues.millis(text)),
          new WaitHeader("X-Ms-Retry-After-Ms", (text, now) -> HeaderValues.millis(text)),
          new RateLimitFields(),
          new CountHeaders("RateLimit-", "", ""),
          new CountHeaders("X-RateLimit-", "", ""),
          new CountHeaders("X-Rate-Limit-", "", ""),
          new CountHeaders("X-RateLimit-Requests-", "", ""),
          new CountHeaders("X-Rate-Limit-Api-Token-", "", ""),
          new CountHeaders("X-Rate-Limit-Api-Key-", "", ""),
          new CountHeaders("X-HubSpot-RateLimit-", "", ""),
          new CountHeaders("X-HubSpot-RateLimit-Daily-", "", "").withWindow(Duration.ofDays(1)),
          new CountHeaders("X-HubSpot-RateLimit-Secondly-", "", "")
              .withWindow(Duration.ofSeconds(1)),
          new CountHeaders("Gw-RateLimit-", "", "").inMillis(),
          new NamedWindows("X-RateLimit-"),
          new TotalHeaders("Zendesk-RateLimit-"),
          new RateLists("X-App-Rate-Limit"),
          new RateLists("X-Method-Rate-Limit"),
          new StatusHeaders("X-Bapi-Limit"),
          new UsedHeaders("X-MBX-USED-WEIGHT-", ""),
          new UsedHeaders("X-MBX-ORDER-COUNT-", "orders"),
          new CallLimit("X-Shopify-Shop-Api-Call-Limit"));

  /** Their reset is when all is available again; some of it is much earlier. */
  private static final List<HeaderFormat> RESET_WHEN_FULL =
      List.of(
          new CountHeaders("X-RateLimit-", "-Requests", ""),
          new CountHeaders("X-RateLimit-", "-Tokens", "tokens"),
          new CountHeaders("Anthropic-RateLimit-Requests-", "", ""),
          new CountHeaders("Anthropic-RateLimit-Tokens-", "", "tokens"),
          new CountHeaders("Anthropic-RateLimit-Input-Tokens-", "", "input_tokens"),
          new CountHeaders("Anthropic-RateLimit-Output-Tokens-", "", "output_tokens"));

  static final Readers READER = reader(UnknownHeaders.LOGGED);

  private StandardHeaders() {}

  static Readers reader(UnknownHeaders log) {
    return new Readers(List.of(new Evidence(FORMATS, RESET_WHEN_FULL)), log);
  }
}
