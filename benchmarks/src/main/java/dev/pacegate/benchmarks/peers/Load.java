package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Sends through one client to one server for a time, from several threads. */
final class Load {

  /** Shorter than a long stall. */
  static final Duration TIMEOUT = Duration.ofMillis(300);

  /** A run ends by its time; this ends it if a server answers with errors at once. */
  private static final int MOST_PER_THREAD = 50_000;

  private static final Set<Integer> REFUSALS = Set.of(429, 503);

  private final Peer peer;
  private final Client client;
  private final Duration length;
  private final List<Duration> stalls;
  private final Timeline timeline;
  private final long seed;
  private long start;

  Load(Peer peer, Client client, Duration length, List<Duration> stalls, long seed) {
    this.peer = peer;
    this.client = client;
    this.length = length;
    this.stalls = stalls;
    this.timeline = new Timeline(length, peer.pace().period());
    this.seed = seed;
  }

  Measured run(Server server) throws IOException, InterruptedException {
    int requests = (int) (0.7 * peer.pace().perSecond() * length.toMillis() / 1_000);
    var plan = Stalls.plan(stalls, requests, peer.pace().most(), seed);
    ExecutorService threads = Executors.newFixedThreadPool(client.threads);
    start = System.nanoTime();
    try (var paused = new Stalls(server, plan);
        var wire = new Wire(server.port(), seed, () -> paused.sent(timeline.sent(now())))) {
      HttpClient plain = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
      Client.Sender sender = client.sender(plain, peer);
      HttpRequest request = HttpRequest.newBuilder(wire.uri()).timeout(TIMEOUT).build();
      for (int i = 0; i < client.threads; i++) {
        threads.execute(() -> loop(sender, request));
      }
      threads.shutdown();
      threads.awaitTermination(length.toNanos(), TimeUnit.NANOSECONDS);
      threads.shutdownNow();
      return timeline.measured(paused.longest());
    } finally {
      threads.shutdownNow();
    }
  }

  private long now() {
    return System.nanoTime() - start;
  }

  private void loop(Client.Sender sender, HttpRequest request) {
    try {
      for (int i = 0; i < MOST_PER_THREAD && now() < length.toNanos(); i++) {
        one(sender, request);
      }
    } catch (InterruptedException over) {
      // the run has ended
    }
  }

  private void one(Client.Sender sender, HttpRequest request) throws InterruptedException {
    try {
      int status = sender.send(request);
      ended(status == 200 ? Fate.ANSWERED : REFUSALS.contains(status) ? Fate.REFUSED : Fate.FAILED);
    } catch (HttpTimeoutException e) {
      long at = now();
      long sent = at - TIMEOUT.toNanos();
      timeline.ended(Fate.TIMED_OUT, at, sent + PeerLineup.UNANSWERED.toNanos());
    } catch (IOException e) {
      ended(Fate.FAILED);
    }
  }

  private void ended(Fate fate) {
    long at = now();
    timeline.ended(fate, at, at);
  }
}
