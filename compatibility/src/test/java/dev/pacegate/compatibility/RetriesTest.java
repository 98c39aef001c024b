package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;

import dev.pacegate.limit.Outcome;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A refused connection that is the last of several attempts says nothing of those before it. */
@Timeout(60)
class RetriesTest {

  /** The addresses of a host that has two. */
  private static List<InetAddress> both() throws UnknownHostException {
    return List.of(
        InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
        InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
  }

  /** OkHttp tries the next address of a host, and keeps what it had to say before. */
  @Test
  void okhttpKeepsEarlierAttempts() throws Exception {
    int nowhere = Ports.refusing();
    List<InetAddress> both = both();
    var client =
        new OkHttpClient.Builder().dns(host -> both).connectTimeout(Duration.ofSeconds(1)).build();
    var request = new Request.Builder().url("http://both.test:" + nowhere + "/").build();
    assertOutcome(
        Outcome.NOT_SENT, "OkHttp both refused", () -> client.newCall(request).execute().close());
  }

  /** The first address takes the request and resets, the second refuses. */
  @Test
  void okhttpResetAndThenRefused() throws Exception {
    try (var peer = new Peer()) {
      int port = peer.uri("/").getPort();
      List<InetAddress> both = both();
      var client = new OkHttpClient.Builder().dns(host -> both).build();
      var request = new Request.Builder().url("http://both.test:" + port + "/reset").build();
      assertOutcome(
          Outcome.LOST, "OkHttp reset, refused", () -> client.newCall(request).execute().close());
    }
  }

  @Test
  void reactorsRetriesHideEarlierAttempts() throws Exception {
    int port = Ports.refusing();
    Mono<Socket> job = Mono.fromCallable(() -> new Socket(InetAddress.getLoopbackAddress(), port));
    assertOutcome(Outcome.LOST, "Reactor retry", () -> job.retryWhen(Retry.max(2)).block());
  }

  @Test
  void reactorsBlockTimesOut() {
    assertOutcome(Outcome.LOST, "Reactor block", () -> Mono.never().block(Duration.ofMillis(50)));
  }
}
