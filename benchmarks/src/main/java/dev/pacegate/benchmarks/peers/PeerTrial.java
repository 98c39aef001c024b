package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A kind of server tried by all clients at the same time, each with a server of its own. */
final class PeerTrial {

  /**
   * What came of it.
   *
   * @param versions of what served, by name
   */
  record Outcome(Peer peer, Map<Client, Measured> clients, Map<String, String> versions) {}

  private final Duration length;
  private final List<Duration> stalls;

  PeerTrial(Duration length, List<Duration> stalls) {
    this.length = length;
    this.stalls = stalls;
  }

  /**
   * Tries it.
   *
   * @param folder of the servers
   * @throws IOException if a server cannot be started
   */
  Outcome run(Peer peer, Path folder, long seed) throws IOException, InterruptedException {
    Map<Client, Server> servers = new EnumMap<>(Client.class);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (Client client : Client.values()) {
        Path own = Files.createDirectories(folder.resolve(client.name()));
        servers.put(client, peer.launcher().launch(own));
      }
      Map<Client, Future<Measured>> running = new EnumMap<>(Client.class);
      servers.forEach(
          (client, server) ->
              running.put(
                  client,
                  threads.submit(() -> new Load(peer, client, length, stalls, seed).run(server))));
      return outcome(peer, servers, running);
    } finally {
      threads.shutdownNow();
      servers.values().forEach(Server::close);
    }
  }

  private static Outcome outcome(
      Peer peer, Map<Client, Server> servers, Map<Client, Future<Measured>> running)
      throws IOException, InterruptedException {
    Map<Client, Measured> clients = new EnumMap<>(Client.class);
    var versions = new TreeMap<String, String>();
    for (var one : running.entrySet()) {
      try {
        clients.put(one.getKey(), one.getValue().get());
      } catch (ExecutionException e) {
        throw new IOException(peer.name() + ", " + one.getKey().title, e.getCause());
      }
    }
    servers.values().forEach(server -> versions.putAll(server.versions()));
    return new Outcome(peer, clients, versions);
  }
}
