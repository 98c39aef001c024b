package dev.pacegate.feedback;

import static dev.pacegate.feedback.PeerCount.Kind.BUCKET;
import static dev.pacegate.feedback.PeerCount.Kind.BUCKET_OF_SECONDS;
import static dev.pacegate.feedback.PeerCount.Kind.FIRST_HIT;
import static dev.pacegate.feedback.PeerCount.Kind.FIXED;
import static dev.pacegate.feedback.PeerCount.Kind.SLIDING;

import dev.pacegate.feedback.PeerCount.Kind;
import java.util.List;

/**
 * How a provider counts requests, and what its answers say. Windows are shortened to seconds,
 * unless a header names them.
 *
 * @param max how many requests a window has, or how many a bucket holds and gets in that time
 * @param seconds the length of the window
 * @param refusal the status of a refusal; 200 and 400 are known by their bodies
 * @param always headers of each answer, one a line: {@link ProviderWorld} fills in the braces
 * @param refused headers that only a refusal has
 */
record Provider(
    String name, Kind kind, long max, long seconds, int refusal, String always, String refused) {

  private static final String X_RATE_LIMIT =
      """
      X-RateLimit-Limit: {max}
      X-RateLimit-Remaining: {left}
      X-RateLimit-Reset: {epoch}
      """;
  private static final String RETRY_AFTER = "Retry-After: {seconds}";

  static final List<Provider> ALL =
      List.of(
          of("GitLab", FIXED, 60, 10)
              .always(
                  """
                  RateLimit-Limit: {max}
                  RateLimit-Name: throttle_authenticated_api
                  RateLimit-Observed: {used}
                  RateLimit-Remaining: {left}
                  RateLimit-Reset: {epoch}
                  """)
              .refused(RETRY_AFTER),
          of("Zendesk", FIXED, 70, 10)
              .always(
                  """
                  X-Rate-Limit: {max}
                  X-Rate-Limit-Remaining: {left}
                  ratelimit-limit: {max}
                  ratelimit-remaining: {left}
                  ratelimit-reset: {seconds}
                  """)
              .refused(RETRY_AFTER),
          of("HubSpot", FIXED, 100, 10)
              .always(
                  """
                  X-HubSpot-RateLimit-Max: {max}
                  X-HubSpot-RateLimit-Remaining: {left}
                  X-HubSpot-RateLimit-Interval-Milliseconds: {window.millis}
                  X-HubSpot-RateLimit-Daily: 250000
                  X-HubSpot-RateLimit-Daily-Remaining: 249000
                  """),
          of("Mistral", FIXED, 30, 60)
              .always(
                  """
                  x-ratelimit-limit-req-minute: {max}
                  x-ratelimit-remaining-req-minute: {left}
                  x-ratelimit-limit-tokens-minute: 500000
                  x-ratelimit-remaining-tokens-minute: 450000
                  """),
          of("Groq", BUCKET, 30, 10)
              .always(
                  """
                  x-ratelimit-limit-requests: 14400
                  x-ratelimit-remaining-requests: 14000
                  x-ratelimit-reset-requests: 6s
                  x-ratelimit-limit-tokens: 18000
                  x-ratelimit-remaining-tokens: 17000
                  x-ratelimit-reset-tokens: 1s
                  """)
              .refused("retry-after: {seconds}"),
          of("Datadog", FIXED, 100, 10)
              .always(
                  """
                  X-RateLimit-Limit: {max}
                  X-RateLimit-Period: {window}
                  X-RateLimit-Remaining: {left}
                  X-RateLimit-Reset: {seconds}
                  X-RateLimit-Name: metrics
                  """),
          of("Bybit", FIXED, 20, 1)
              .by(200)
              .always(
                  """
                  X-Bapi-Limit: {max}
                  X-Bapi-Limit-Status: {left}
                  X-Bapi-Limit-Reset-Timestamp: {epoch.millis}
                  """),
          of("KuCoin", FIRST_HIT, 60, 10)
              .always(
                  """
                  gw-ratelimit-limit: {max}
                  gw-ratelimit-remaining: {left}
                  gw-ratelimit-reset: {millis}
                  """),
          of("Riot", FIRST_HIT, 60, 10)
              .always(
                  """
                  X-App-Rate-Limit: {short.max}:{short.window},{max}:{window}
                  X-App-Rate-Limit-Count: {short.used}:{short.window},{used}:{window}
                  """)
              .refused("X-Rate-Limit-Type: application\n" + RETRY_AFTER),
          of("Trello", FIXED, 100, 10)
              .always(
                  """
                  x-rate-limit-api-token-interval-ms: {window.millis}
                  x-rate-limit-api-token-max: {max}
                  x-rate-limit-api-token-remaining: {left}
                  x-rate-limit-api-key-interval-ms: {window.millis}
                  x-rate-limit-api-key-max: 300
                  x-rate-limit-api-key-remaining: 250
                  """),
          of("Xero", SLIDING, 60, 10)
              .always(
                  """
                  X-AppMinLimit-Remaining: 9900
                  X-MinLimit-Remaining: {left}
                  X-DayLimit-Remaining: 4000
                  """)
              .refused("X-Rate-Limit-Problem: minute\n" + RETRY_AFTER),
          of("Twitch", BUCKET, 80, 6)
              .always(
                  """
                  Ratelimit-Limit: {max}
                  Ratelimit-Remaining: {left}
                  Ratelimit-Reset: {epoch}
                  """),
          of("Shopify", BUCKET, 40, 10)
              .always("X-Shopify-Shop-Api-Call-Limit: {used}/{max}")
              .refused("Retry-After: 2.0"),
          of("Kong", FIXED, 60, 10)
              .always(
                  """
                  X-RateLimit-Limit-Second: {short.max}
                  X-RateLimit-Remaining-Second: {short.left}
                  X-RateLimit-Limit-Minute: {max}
                  X-RateLimit-Remaining-Minute: {left}
                  RateLimit-Limit: {max}
                  RateLimit-Remaining: {left}
                  RateLimit-Reset: {seconds}
                  """)
              .refused(RETRY_AFTER),
          of("Spring Cloud Gateway", BUCKET_OF_SECONDS, 50, 5)
              .always(
                  """
                  X-RateLimit-Remaining: {left}
                  X-RateLimit-Requested-Tokens: 1
                  X-RateLimit-Burst-Capacity: {max}
                  X-RateLimit-Replenish-Rate: 10
                  """),
          of("GitHub", FIRST_HIT, 50, 10)
              .by(403)
              .always(
                  X_RATE_LIMIT
                      + """
                      X-RateLimit-Used: {used}
                      X-RateLimit-Resource: core
                      """),
          of("Discord", FIRST_HIT, 25, 5)
              .always(
                  X_RATE_LIMIT
                      + """
                      X-RateLimit-Reset-After: {millis.decimal}
                      X-RateLimit-Bucket: abcd1234
                      """)
              .refused("X-RateLimit-Scope: user\nRetry-After: {millis.decimal}"),
          of("Slack", SLIDING, 50, 10).refused(RETRY_AFTER),
          of("Notion", BUCKET, 30, 10).refused(RETRY_AFTER),
          of("Okta", FIXED, 60, 6)
              .always(
                  """
                  X-Rate-Limit-Limit: {max}
                  X-Rate-Limit-Remaining: {left}
                  X-Rate-Limit-Reset: {epoch}
                  """),
          of("Reddit", FIXED, 100, 10)
              .always(
                  """
                  x-ratelimit-used: {used}
                  x-ratelimit-remaining: {left}.0
                  x-ratelimit-reset: {seconds}
                  """),
          of("OpenAI", BUCKET, 60, 6)
              .always(
                  """
                  x-ratelimit-limit-requests: {max}
                  x-ratelimit-remaining-requests: {left}
                  x-ratelimit-reset-requests: {millis}ms
                  x-ratelimit-limit-tokens: 200000
                  x-ratelimit-remaining-tokens: 190000
                  x-ratelimit-reset-tokens: 1s
                  """),
          of("Envoy", FIXED, 20, 1)
              .always(
                  """
                  x-ratelimit-limit: {max}, {max};w={window}
                  x-ratelimit-remaining: {left}
                  x-ratelimit-reset: {seconds}
                  """)
              .refused("x-envoy-ratelimited: true"),
          of("Google", FIXED, 60, 10),
          of("SharePoint", SLIDING, 60, 10)
              .always(
                  """
                  RateLimit-Limit: {max}
                  RateLimit-Remaining: {left}
                  RateLimit-Reset: {seconds}
                  """)
              .refused(RETRY_AFTER),
          of("API Gateway", BUCKET, 20, 2).refused("x-amzn-ErrorType: TooManyRequestsException"),
          of("DynamoDB", BUCKET, 50, 5).by(400));

  private static Provider of(String name, Kind kind, long max, long seconds) {
    return new Provider(name, kind, max, seconds, 429, "", "");
  }

  private Provider by(int status) {
    return new Provider(name, kind, max, seconds, status, always, refused);
  }

  private Provider always(String headers) {
    return new Provider(name, kind, max, seconds, refusal, headers, refused);
  }

  private Provider refused(String headers) {
    return new Provider(name, kind, max, seconds, refusal, always, headers);
  }

  /** Returns whether only the body says that an answer is a refusal. */
  boolean refusesInTheBody() {
    return refusal < 403;
  }

  /** Returns the most requests of a tenth of the window, if that is a second limit. */
  long shortMax() {
    return (max + 2) / 3;
  }

  /** Returns the client's limit that is so many times the provider's. */
  String limit(long times, boolean hasTwoTerms) {
    String rate = times * max + "/" + seconds + "s";
    String first =
        switch (kind) {
          case FIXED, FIRST_HIT, SLIDING -> "peer(" + rate + ")";
          case BUCKET -> "peer(bucket(" + rate + ", burst=" + times * max + "))";
          // a second's worth comes up to a second late
          case BUCKET_OF_SECONDS ->
              "peer(bucket(" + rate + ", burst=" + times * (max - max / seconds) + "))";
        };
    return hasTwoTerms
        ? first + " & peer(" + times * shortMax() + "/" + seconds * 100 + "ms)"
        : first;
  }

  @Override
  public String toString() {
    return name;
  }
}
