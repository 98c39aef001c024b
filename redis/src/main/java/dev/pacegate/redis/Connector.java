package dev.pacegate.redis;

import dev.pacegate.time.Time;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.AsyncCloseable;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Connects to servers, and looks at the first of them. */
final class Connector {

  /** Keys of a name that a limit cannot have. */
  private static final Address NOWHERE = new Address("", "probe", "");

  /** So many fall into each slot with near certainty. */
  private static final int MOST_KEYS = 300_000;

  private Connector() {}

  /**
   * Connects to the server there, or to its cluster, with clients made for it.
   *
   * @throws io.lettuce.core.RedisException if it cannot be reached, or refuses
   * @throws UnfitServerException if it cannot keep the promise
   */
  static Nodes connect(RedisURI uri, Settings settings, Time time) {
    var own = new OwnClient();
    try {
      return connect(own, uri, settings, time);
    } catch (RuntimeException e) {
      own.shutDown();
      throw e;
    }
  }

  private static Nodes connect(OwnClient own, RedisURI uri, Settings settings, Time time) {
    try {
      return server(own.client(uri), own::shutDown, settings, time);
    } catch (UnfitServerException e) {
      if (!e.isOfCluster() || !uri.getSentinels().isEmpty()) {
        throw e;
      }
    }
    RedisClient ofNodes = own.client();
    return cluster(
        own.clusterClient(uri),
        (node, found) -> node(ofNodes, at(uri, node), demands(node, settings), found, time),
        own::shutDown,
        time);
  }

  // With the rights and the settings of the address that is known.
  private static RedisURI at(RedisURI uri, RedisClusterNode node) {
    RedisURI of = node.getUri();
    return RedisURI.builder(uri).withHost(of.getHost()).withPort(of.getPort()).build();
  }

  /** As the other, with the client of the user, which stays open. */
  static Nodes connect(RedisClient client, Settings settings, Time time) {
    return server(client, () -> {}, settings, time);
  }

  /** As the other, to a cluster. */
  static Nodes connect(RedisClusterClient client, Settings settings, Time time) {
    return cluster(
        client,
        (node, found) -> node(client, node.getUri(), demands(node, settings), found, time),
        () -> {},
        time);
  }

  private static Nodes server(RedisClient client, Runnable shutDown, Settings settings, Time time) {
    var wire = new Wire();
    client.addListener(wire); // before it connects: it is to know where the connection leads
    StatefulRedisConnection<String, String> connection;
    try {
      connection = connect(client);
    } catch (RuntimeException e) {
      client.removeListener(wire);
      throw e;
    }
    wire.follow(connection);
    List<String> keys = NOWHERE.keys().subList(0, settings.hash() == null ? 1 : 2);
    var demands = demands(ServerCheck.STANDALONE, keys, settings);
    var node = new Node(client, connection, wire, demands, eviction -> {}, connection, time);
    try {
      node.require();
      return new OneServer(node, shutDown, time);
    } catch (RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private static NodeCheck.Demands demands(String mode, List<String> keys, Settings settings) {
    return new NodeCheck.Demands(mode, keys, settings.partition(), settings.durable());
  }

  private static NodeCheck.Demands demands(RedisClusterNode node, Settings settings) {
    return demands(ServerCheck.CLUSTER, keysOf(node), settings);
  }

  private static Nodes cluster(
      RedisClusterClient client,
      ClusterNodes.NodeConnector connection,
      Runnable shutDown,
      Time time) {
    var topology = new Topology(client, time);
    topology.require();
    var nodes = new ClusterNodes(topology, connection, shutDown, time);
    try {
      nodes.require();
      return nodes;
    } catch (RuntimeException e) {
      nodes.closeNodes();
      throw e;
    }
  }

  private static CompletableFuture<Node> node(
      RedisClient client,
      RedisURI uri,
      NodeCheck.Demands demands,
      Consumer<Eviction> found,
      Time time) {
    var wire = new Wire();
    client.addListener(wire); // as above
    return client
        .connectAsync(StringCodec.UTF8, uri)
        .toCompletableFuture()
        .whenComplete((connection, failure) -> forget(client, wire, failure))
        .thenApply(
            connection -> {
              wire.follow(connection);
              return new Node(client, connection, wire, demands, found, connection, time);
            });
  }

  // Only the client of a cluster knows its user and password. Each node has a connection to the
  // whole, as one
  // that others use hands on to them what it has when it closes.
  private static CompletableFuture<Node> node(
      RedisClusterClient client,
      RedisURI uri,
      NodeCheck.Demands demands,
      Consumer<Eviction> found,
      Time time) {
    var wire = new Wire();
    client.addListener(wire); // as above
    return client
        .connectAsync(StringCodec.UTF8)
        .thenCompose(
            whole ->
                whole
                    .getConnectionAsync(uri.getHost(), uri.getPort())
                    .whenComplete((connection, failure) -> close(whole, failure))
                    .thenApply(
                        connection -> {
                          wire.follow(connection);
                          return new Node(client, connection, wire, demands, found, whole, time);
                        }))
        .whenComplete((connection, failure) -> forget(client, wire, failure));
  }

  private static void close(AsyncCloseable whole, @Nullable Throwable failure) {
    if (failure != null) {
      var unused = whole.closeAsync();
    }
  }

  private static void forget(AbstractRedisClient client, Wire wire, @Nullable Throwable failure) {
    if (failure != null) {
      client.removeListener(wire);
    }
  }

  // The whole of a key without a tag counts: so one is found in any slot.
  private static List<String> keysOf(RedisClusterNode node) {
    String prefix = NOWHERE.keys().get(1);
    for (int i = 0; i < MOST_KEYS; i++) {
      if (node.hasSlot(SlotHash.getSlot(prefix + i))) {
        return List.of(prefix + i);
      }
    }
    return List.of(prefix); // is refused as not its own, which is no matter of rights
  }

  // The client's own message says where, and not why.
  private static StatefulRedisConnection<String, String> connect(RedisClient client) {
    try {
      return client.connect();
    } catch (RedisConnectionException e) {
      Throwable cause = e.getCause();
      throw cause == null
          ? e
          : new RedisConnectionException(e.getMessage() + ": " + Causes.ofConnecting(cause), cause);
    }
  }
}
