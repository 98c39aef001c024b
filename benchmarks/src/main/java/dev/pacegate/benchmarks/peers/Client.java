package dev.pacegate.benchmarks.peers;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.http.PacedHttpClient;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A way of sending requests that is tried. */
enum Client {
  BARE("JDK client", 8) {
    @Override
    Sender sender(HttpClient plain, Peer peer) {
      return request -> plain.send(request, BodyHandlers.discarding()).statusCode();
    }
  },

  GUAVA("Guava", Client.MANY) {
    @Override
    Sender sender(HttpClient plain, Peer peer) {
      RateLimiter limiter = RateLimiter.create(peer.pace().perSecond());
      Sender bare = BARE.sender(plain, peer);
      return request -> {
        limiter.acquire();
        return bare.send(request);
      };
    }
  },

  RESILIENCE4J("Resilience4j", Client.MANY) {
    @Override
    Sender sender(HttpClient plain, Peer peer) {
      var config =
          RateLimiterConfig.custom()
              .limitForPeriod(peer.pace().most())
              .limitRefreshPeriod(peer.pace().period())
              .timeoutDuration(Duration.ofMinutes(10))
              .build();
      var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("tried", config);
      Sender bare = BARE.sender(plain, peer);
      return request -> {
        if (!limiter.acquirePermission()) {
          throw new InterruptedException();
        }
        return bare.send(request);
      };
    }
  },

  WITHOUT_FEEDBACK("Pacegate without feedback", Client.MANY) {
    @Override
    Sender sender(HttpClient plain, Peer peer) {
      return paced(PacedHttpClient.builder(plain).limit(peer.limit()).withoutFeedback());
    }
  },

  WITH_FEEDBACK("Pacegate", Client.MANY) {
    @Override
    Sender sender(HttpClient plain, Peer peer) {
      return paced(PacedHttpClient.builder(plain).limit(peer.limit()));
    }
  };

  /** More than any limit here lets through at once, so that some always wait. */
  private static final int MANY = 16;

  final String title;
  final int threads;

  Client(String title, int threads) {
    this.title = title;
    this.threads = threads;
  }

  /** Sends a request, when it may go, and returns the status of the answer. */
  @FunctionalInterface
  interface Sender {
    int send(HttpRequest request) throws IOException, InterruptedException;
  }

  /** Returns what sends through {@code plain}, for all threads together. */
  abstract Sender sender(HttpClient plain, Peer peer);

  private static Sender paced(PacedHttpClient.Builder builder) {
    PacedHttpClient client = builder.build();
    return request -> client.send(request, BodyHandlers.discarding()).statusCode();
  }

  boolean isOurs() {
    return this == WITHOUT_FEEDBACK || this == WITH_FEEDBACK;
  }
}
