package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerRefusal;
import dev.pacegate.Snapshot;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rate-limit headers and refusals in answers are applied. */
@Tag("slow")
@Timeout(120)
class FeedbackTest {

  private static final int REQUESTS = 100;

  private final ConcurrentLinkedQueue<PeerRefusal> refusals = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Long> releases = new ConcurrentLinkedQueue<>();
  private volatile long lastKnown; // when the last refusal had paused the limiter

  private Limiter limiter(String limit) {
    return limiter(limit, Time.system());
  }

  private Limiter limiter(String limit, Time time) {
    return Limiter.builder(limit)
        .time(time)
        .listener(
            new LimiterListener() {
              @Override
              public void onRelease(Cost cost, long instant, long waited) {
                releases.add(instant);
              }

              @Override
              public void onPeerRefusal(PeerRefusal refusal) {
                refusals.add(refusal);
                lastKnown = System.nanoTime();
              }
            })
        .build();
  }

  private static PacedHttpClient.Builder paced(Limiter limiter) {
    return PacedHttpClient.builder(HttpClient.newBuilder().version(Version.HTTP_1_1))
        .limiter(limiter);
  }

  /**
   * A limit of so many per second and key, and how many of them are left. Another client uses the
   * key, too, and takes its part at the start of each second.
   */
  private static final class SharedKey implements RawServer.ServerScript {
    private static final long WINDOW = 1_000_000_000;

    private final int max;
    private final int others;
    private final Time time;
    private long window;
    private int count;

    SharedKey(int max, int others, Time time) {
      this.max = max;
      this.others = others;
      this.time = time;
    }

    @Override
    public void answer(RawServer.Received request, RawServer.Connection connection)
        throws Exception {
      int left;
      synchronized (this) {
        long now = time.nanoTime() / WINDOW;
        count = now == window && count > 0 ? count + 1 : others + 1;
        window = now;
        left = max - count;
      }
      connection.status(
          left >= 0 ? 200 : 429,
          "X-RateLimit-Limit: " + max,
          "X-RateLimit-Remaining: " + Math.max(0, left));
    }
  }

  private static int refused(HttpClient client, RawServer server, int requests) throws Exception {
    return refused(sent(client, server, requests));
  }

  private static List<CompletableFuture<HttpResponse<Void>>> sent(
      HttpClient client, RawServer server, int requests) {
    var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
    for (int i = 0; i < requests; i++) {
      answers.add(
          client.sendAsync(
              HttpRequest.newBuilder(server.uri("/")).build(), BodyHandlers.discarding()));
    }
    return answers;
  }

  private static int refused(List<CompletableFuture<HttpResponse<Void>>> answers) throws Exception {
    int refused = 0;
    for (var answer : answers) {
      refused += answer.get().statusCode() == 429 ? 1 : 0;
    }
    return refused;
  }

  private record Beside(int refused, Snapshot snapshot) {}

  /** Returns how many are refused beside another client, and what the limiter knows then. */
  private Beside beside(@Nullable Feedback feedback, int requests) throws Exception {
    var time = ManualTime.manual();
    try (var server = new RawServer(new SharedKey(20, 10, time))) {
      // Few at a time: what is on its way when the last of a window is taken can only be refused.
      Limiter limiter = limiter("peer(20/1s) & concurrent(2)", time);
      PacedHttpClient.Builder builder = paced(limiter);
      PacedHttpClient client =
          (feedback == null ? builder.withoutFeedback() : builder.feedback(feedback)).build();
      var answers = sent(client, server, requests);
      while (answers.stream().anyMatch(answer -> !answer.isDone())) {
        if (limiter.snapshot().open() == 0) {
          time.advance(ofMillis(50)); // all wait: what is under way takes no time by this clock
        }
        Thread.sleep(1); // polls
      }
      return new Beside(refused(answers), limiter.snapshot());
    }
  }

  /** Without a working rate, at which quotas are left alone. */
  @Test
  void requestsOfAnotherClientAreCounted() throws Exception {
    Beside beside = beside(Feedback.standard().pause(ofSeconds(1)).withoutLearning(), 30);

    assertEquals(beside.refused, beside.snapshot.refusedByPeer());
    assertTrue(beside.snapshot.takenByOthers() > 0, beside.snapshot.toString());
  }

  @Test
  void besideAClientThatIsNotPacedFewAreRefused() throws Exception {
    int without = beside(null, REQUESTS).refused;
    Beside beside = beside(Feedback.standard().pause(ofSeconds(1)), REQUESTS);
    int with = beside.refused;

    assertEquals(with, beside.snapshot.refusedByPeer());
    String refused = "refused of " + REQUESTS + ": " + without + " without, " + with + " with";
    System.out.println(refused);
    assertTrue(with * 2 < without, refused);
  }

  /** From when all refusals are known, nothing is released until a second after the last. */
  @Test
  void aStormOfRefusalsPausesAll() throws Exception {
    var storms = new AtomicInteger(20);
    var lastSent = new AtomicLong();
    try (var server =
        new RawServer(
            (request, connection) -> {
              if (storms.getAndDecrement() > 0) {
                lastSent.accumulateAndGet(System.nanoTime(), FeedbackTest::later);
                connection.status(429, "Retry-After: 1");
              } else {
                connection.ok("hello");
              }
            })) {
      Limiter limiter = limiter("peer(20/10ms)");
      PacedHttpClient client = paced(limiter).build();

      int refused = refused(client, server, 100);

      assertEquals(20, refused);
      assertEquals(20, limiter.snapshot().refusedByPeer());
      assertEquals(20, refusals.size());
      assertTrue(refusals.peek().proven());
      long end = lastSent.get() + 1_000_000_000L;
      List<Long> early =
          releases.stream().filter(at -> at - lastKnown > 0 && at - end < 0).toList();
      assertEquals(List.of(), early, "known at " + lastKnown + ", paused until " + end);
      assertTrue(releases.stream().anyMatch(at -> at - end >= 0), "none had to wait");
    }
  }

  private static long later(long one, long other) {
    return one == 0 || other - one > 0 ? other : one;
  }

  @Test
  void hostsDoNotPauseEachOther() throws Exception {
    try (var strict =
            new RawServer((request, connection) -> connection.status(429, "Retry-After: 3600"));
        var kind = new RawServer((request, connection) -> connection.ok("hello"))) {
      PacedHttpClient client =
          PacedHttpClient.builder(HttpClient.newBuilder().version(Version.HTTP_1_1))
              .limit("1000/1s")
              .build();

      assertEquals(1, refused(client, strict, 1));
      assertEquals(0, refused(client, kind, 5));
    }
  }

  @Test
  void nonsenseHarmsNoRequest() throws Exception {
    try (var server =
        new RawServer(
            (request, connection) ->
                connection.status(
                    200,
                    "Retry-After: never",
                    "RateLimit: \"a;r=-1;t=\"",
                    "RateLimit-Policy: ;;;,,,\"",
                    "X-RateLimit-Remaining: -5",
                    "X-RateLimit-Reset: 99999999999999999999999999999999999999999999999",
                    "RateLimit-Remaining: 1e400",
                    "Date: yesterday"))) {
      assertEquals(0, refused(paced(limiter("peer(100/10ms)")).build(), server, 50));
    }
  }
}
