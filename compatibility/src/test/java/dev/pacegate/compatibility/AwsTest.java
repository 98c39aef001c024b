package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;

import dev.pacegate.limit.Outcome;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.sts.StsClient;

/** What the failures of the AWS SDK say of a request, in front of a server that fails. */
@Timeout(60)
class AwsTest {

  private static void call(URI uri, RetryStrategy retries, Duration patience) {
    try (var http = UrlConnectionHttpClient.builder().socketTimeout(Duration.ofSeconds(1)).build();
        StsClient client =
            StsClient.builder()
                .endpointOverride(uri)
                .region(Region.US_EAST_1)
                .credentialsProvider(
                    StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "secret")))
                .httpClient(http)
                .overrideConfiguration(o -> o.retryStrategy(retries).apiCallTimeout(patience))
                .build()) {
      client.getCallerIdentity();
    }
  }

  private static void once(URI uri) {
    call(uri, AwsRetryStrategy.doNotRetry(), Duration.ofSeconds(50));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/400", "/503"})
  void aStatusIsAnAnswer(String path) throws Exception {
    try (var peer = new Peer(path)) {
      assertOutcome(Outcome.ANSWERED, "AWS " + path, () -> once(peer.uri("")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/stall", "/half", "/reset", "/close"})
  void aTimeOutAndABrokenConnectionAreLost(String path) throws Exception {
    try (var peer = new Peer(path)) {
      assertOutcome(Outcome.LOST, "AWS " + path, () -> once(peer.uri("")));
    }
  }

  @Test
  void aTimeOutOfTheCallIsLost() throws Exception {
    try (var peer = new Peer()) {
      assertOutcome(
          Outcome.LOST,
          "AWS call time-out",
          () -> call(peer.uri(""), AwsRetryStrategy.doNotRetry(), Duration.ofMillis(100)));
    }
  }

  @Test
  void aRefusedConnectionIsNotSent() throws Exception {
    URI nowhere = URI.create("http://127.0.0.1:" + Ports.refusing());
    assertOutcome(Outcome.NOT_SENT, "AWS refused", () -> once(nowhere));
  }

  /** Of earlier attempts only the messages are left, so nothing is known of them. */
  @Test
  void theLastOfSeveralAttemptsSaysNothing() throws Exception {
    URI nowhere = URI.create("http://127.0.0.1:" + Ports.refusing());
    assertOutcome(
        Outcome.LOST,
        "AWS refused again",
        () -> call(nowhere, AwsRetryStrategy.standardRetryStrategy(), Duration.ofSeconds(50)));
  }
}
