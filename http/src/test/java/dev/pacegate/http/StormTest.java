package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.H2Server;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever servers do to it and callers with it: no arrival without a permit, never more of them
 * than the limit allows as the server counts, and no permit left over.
 */
@Tag("slow")
@Timeout(300)
class StormTest {

  private static final int ENOUGH = 300; // arrivals
  private static final int LIMIT = 80;
  private static final int AT_ONCE = 40;
  private static final int ROUNDS = 6; // what one gives back by mistake, the next would use

  private final long seed =
      Long.getLong("pacegate.seed", ThreadLocalRandom.current().nextLong(1_000_000));
  private final SplittableRandom random = new SplittableRandom(seed);

  private long lost;

  private interface Storm {

    /** Returns how many requests arrived. */
    int blow() throws Exception;
  }

  /** What is out of time before it is sent does not arrive: a busy machine needs more storms. */
  private void untilEnoughArrive(Storm storm) throws Exception {
    int arrived = 0;
    for (int i = 0; arrived < ENOUGH; i++) {
      assertTrue(i < 40, "too few arrive, seed " + seed);
      arrived += storm.blow();
    }
    assertTrue(lost > 0, "none is lost, seed " + seed);
  }

  @Test
  void overHttp1() throws Exception {
    var fates = new SplittableRandom(seed);
    untilEnoughArrive(
        () -> {
          try (var server =
              new RawServer(
                  (request, connection) ->
                      Fate.any(next(fates, 3 * Fate.values().length))
                          .answer(request, connection))) {
            return storm(Version.HTTP_1_1, server.uri("/"), server::arrivals);
          }
        });
  }

  private static synchronized int next(SplittableRandom random, int bound) {
    return random.nextInt(bound);
  }

  @Test
  void overHttp2() throws Exception {
    var fates = new SplittableRandom(seed);
    untilEnoughArrive(
        () -> {
          try (var server = new H2Server((arrival, stream) -> answer(next(fates, 12), stream))) {
            return storm(Version.HTTP_2, server.uri("/"), server::arrivals);
          }
        });
  }

  private static void answer(int fate, H2Server.H2Stream stream) throws IOException {
    switch (fate) {
      case 0 -> stream.socket().close();
      case 1 -> stream.reset(7);
      case 2 -> stream.reset(2);
      case 3 -> {
        stream.half();
        stream.reset(2);
      }
      case 4 -> stream.goAway();
      case 5 -> stream.redirect("/");
      default -> stream.ok("hello");
    }
  }

  private int storm(Version version, URI uri, IntSupplier arrivals) throws Exception {
    // No permit comes back, so it does not matter how late a machine that stalls counts a request:
    // callers wait for those that are under way.
    Limiter limiter = Limiter.of("peer(" + LIMIT + "/1h) & concurrent(8)");
    PacedHttpClient client =
        PacedHttpClient.builder(
                HttpClient.newBuilder()
                    .version(version)
                    .followRedirects(Redirect.NORMAL)
                    .authenticator(aUser()))
            .limiter(limiter)
            .feedback(
                Feedback.standard().pause(Duration.ofMillis(2)).maxPause(Duration.ofMillis(20)))
            .maxWait(Duration.ofMillis(500)) // those who wait when no permit is left
            .build();
    for (int round = 0; round < ROUNDS; round++) {
      var calls = new ArrayList<CompletableFuture<?>>();
      for (int i = 0; i < AT_ONCE; i++) {
        calls.add(call(client, uri));
      }
      for (CompletableFuture<?> call : calls) {
        assertKnown(call);
      }
    }
    for (int i = 0; i < 10_000 && limiter.snapshot().open() > 0; i++) {
      Thread.sleep(5); // polls: what was cancelled may still be on its way
    }

    int arrived = arrivals.getAsInt();
    String state = "seed " + seed + ": " + limiter.snapshot() + ", " + arrived;
    assertEquals(0, limiter.snapshot().open(), state);
    assertEquals(0, limiter.snapshot().waiting(), state);
    assertTrue(arrived <= limiter.snapshot().granted(), state);
    assertTrue(arrived <= LIMIT, state);
    lost += limiter.snapshot().lost();
    return arrived;
  }

  private CompletableFuture<?> call(PacedHttpClient client, URI uri) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).timeout(Duration.ofMillis(20 + random.nextInt(60)));
    if (random.nextInt(3) == 0) {
      request.POST(BodyPublishers.ofString("body"));
    }
    var answer = client.sendAsync(request.build(), BodyHandlers.ofString());
    if (random.nextInt(4) == 0) {
      int after = random.nextInt(30);
      CompletableFuture.delayedExecutor(after, TimeUnit.MILLISECONDS)
          .execute(() -> answer.cancel(true));
    }
    return answer;
  }

  private void assertKnown(CompletableFuture<?> call) throws Exception {
    try {
      call.get(60, TimeUnit.SECONDS);
    } catch (TimeoutException hangs) {
      throw new AssertionError("a call hangs, seed " + seed, hangs);
    } catch (CancellationException expected) {
      // by this test
    } catch (ExecutionException failure) {
      assertInstanceOf(IOException.class, failure.getCause(), "seed " + seed);
    }
  }

  private static Authenticator aUser() {
    return new Authenticator() {
      @Override
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication("me", new char[] {'x'});
      }
    };
  }
}
