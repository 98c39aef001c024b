package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** For how long the body of an answer is read that does not go to the caller. */
@Timeout(60)
class DiscardedAnswerTest {

  private static final class Options extends PacingOptions<HttpRequest, HttpResponse<?>, Options> {
    Options() {
      super(new JdkMessages());
    }

    RequestPacing<HttpRequest, HttpResponse<?>> build() {
      return pacing();
    }
  }

  private record Redirect(int statusCode, HttpHeaders headers, Version version)
      implements ResponseInfo {}

  /** The headers may come long after the request was sent. */
  @Test
  void theTimeLeftWhenItsHeadersCameBoundsIt() throws Exception {
    ManualTime time = ManualTime.manual();
    Limiter limiter = Limiter.builder("peer(10/1h)").time(time).build();
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://peer/")).build();
    PacedCall<HttpRequest, HttpResponse<?>> call =
        new Options().limiter(limiter).build().newCall(ofSeconds(10));
    var bounds = new ArrayList<Duration>();
    var attempt =
        new Attempt<Void>(
            request,
            call.acquire(request),
            false,
            BodyHandlers.discarding(),
            () -> {
              bounds.add(call.within(ofSeconds(1)));
              return ofSeconds(1);
            },
            (answer, refused) -> {
              throw new IOException("a redirect that cannot be followed");
            });
    attempt.sending();
    time.advance(ofMillis(9_700));
    attempt.apply(
        new Redirect(302, HttpHeaders.of(Map.of(), (name, value) -> true), Version.HTTP_1_1));
    assertEquals(List.of(ofMillis(300)), bounds);
  }
}
