package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.servers.NodeServers;
import dev.pacegate.http.PacedHttpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Makes the page about real servers. */
public final class Peers {

  private static final long SEED = 20261122;

  /** More would take turns on a small machine. */
  private static final int AT_ONCE = 2;

  private final boolean quick;
  private final Path folder;

  private Peers(boolean quick, Path folder) {
    this.quick = quick;
    this.folder = folder;
  }

  /**
   * Returns the page, with its verdicts.
   *
   * @param folder of the scripts for Node, with their packages; servers get folders in it
   * @param quick whether everything is short, for a look
   * @throws IOException if a server cannot be started, naming it
   */
  public static Text page(Path folder, boolean quick) throws IOException, InterruptedException {
    return new Peers(quick, folder.toAbsolutePath()).run();
  }

  private Text run() throws IOException, InterruptedException {
    Path origins = Files.createDirectories(folder.resolve("servers/origins"));
    var node = new NodeServers(folder);
    try (var origin = node.script("origin.js").launch(create(origins.resolve("fast")));
        var slow = node.script("origin.js", "100").launch(create(origins.resolve("slow")))) {
      warmUp(origin.port());
      List<Peer> peers = new PeerLineup(node, origin.port(), slow.port()).all(quick);
      return new PeersText(outcomes(peers), length(), stalls(), quick).page();
    }
  }

  /** The first requests of a program take longer than a time-out here: classes are loaded. */
  private static void warmUp(int port) throws IOException, InterruptedException {
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpClient paced = PacedHttpClient.builder(plain).limit("peer(100/1s)").build();
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build();
    for (int i = 0; i < 50; i++) {
      paced.send(request, BodyHandlers.discarding());
    }
  }

  private static Path create(Path folder) throws IOException {
    return Files.createDirectories(folder);
  }

  private Duration length() {
    return Duration.ofSeconds(quick ? 5 : 60);
  }

  private List<Duration> stalls() {
    var stalls = new ArrayList<>(List.of(Stalls.SHORT, Stalls.LONG));
    if (!quick) {
      stalls.addAll(Collections.nCopies(2, Stalls.SHORT));
      stalls.add(Stalls.LONG);
      stalls.add(Stalls.SHORT);
    }
    return stalls;
  }

  private List<PeerTrial.Outcome> outcomes(List<Peer> peers)
      throws IOException, InterruptedException {
    var trial = new PeerTrial(length(), stalls());
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      var running = new ArrayList<Future<PeerTrial.Outcome>>();
      for (Peer peer : peers) {
        int number = running.size();
        Path own = folder.resolve("servers/" + number);
        running.add(
            threads.submit(
                () -> {
                  System.out.println("peers: " + peer.name());
                  return trial.run(peer, own, SEED + number);
                }));
      }
      var outcomes = new ArrayList<PeerTrial.Outcome>();
      for (Future<PeerTrial.Outcome> one : running) {
        outcomes.add(one.get());
      }
      return outcomes;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
