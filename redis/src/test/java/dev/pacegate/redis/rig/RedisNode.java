package dev.pacegate.redis.rig;

import static java.util.stream.Collectors.toUnmodifiableSet;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A server that other servers watch and replace. All reach it through proxies, and it has an
 * address of the loopback of its own to connect from: so it can be cut off from other servers while
 * clients reach it. Used by one thread.
 */
public final class RedisNode implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final String SERVERS = "127.0.1.";

  private final RedisServer server;
  private final InetAddress from;
  private final CutProxy proxy;
  private final @Nullable CutProxy bus;
  private boolean stopped;
  private boolean cutOff;

  private RedisNode(RedisServer server, InetAddress from, CutProxy proxy, @Nullable CutProxy bus) {
    this.server = server;
    this.from = from;
    this.proxy = proxy;
    this.bus = bus;
  }

  /** Starts a server that Sentinels may watch. */
  static RedisNode start(RedisSetup setup, int number) throws Exception {
    return start(setup, number, null);
  }

  /** Starts a node of a Cluster that knows no other yet. */
  static RedisNode startOfCluster(RedisSetup setup, int number) throws Exception {
    var bus = new CutProxy(0); // led to the server when its port is known
    try {
      setup.cluster().set("cluster-announce-ip", "127.0.0.1");
      setup.set("cluster-announce-bus-port", Integer.toString(bus.port()));
      return start(setup, number, bus);
    } catch (Throwable e) {
      bus.close();
      throw e;
    }
  }

  private static RedisNode start(RedisSetup setup, int number, @Nullable CutProxy bus)
      throws Exception {
    String from = address(number);
    var proxy = new CutProxy(0); // as the other
    try {
      if (bus != null) {
        String port = setup.hasTls() ? "cluster-announce-tls-port" : "cluster-announce-port";
        setup.set(port, Integer.toString(proxy.port()));
      }
      RedisServer server = setup.from(from).announce(proxy.port()).start();
      proxy.redirect(server.port());
      if (bus != null) {
        bus.redirect(server.port() + Ports.BUS);
      }
      return new RedisNode(server, InetAddress.getByName(from), proxy, bus);
    } catch (Throwable e) {
      proxy.close();
      throw e;
    }
  }

  /** Returns the port that all are told, clients and servers. */
  public int port() {
    return proxy.port();
  }

  int busPort() {
    return bus == null ? 0 : bus.port();
  }

  /** Returns where clients find it. */
  public String uri() {
    return proxy.uri(server);
  }

  /** Returns the server, which can be asked even if the node is cut off. */
  public RedisServer server() {
    return server;
  }

  /** Returns whether it runs and others hear from it. */
  boolean isThere() {
    return server.isAlive() && !stopped && !cutOff;
  }

  /** Kills it, as a power cut would: connections to it are refused. */
  public void kill9() throws IOException, InterruptedException {
    server.kill9();
    stopped = false;
    proxy.refuse();
    if (bus != null) {
      bus.refuse();
    }
  }

  /** Starts it again, empty, in the place that it had among the others. */
  public void restart() throws Exception {
    server.restart();
    stopped = false;
    heal();
  }

  /** Makes it stand still (SIGSTOP). */
  public void stop() throws IOException, InterruptedException {
    server.stop();
    stopped = true;
  }

  /** Lets it go on after {@link #stop()}. */
  public void cont() throws IOException, InterruptedException {
    server.cont();
    stopped = false;
  }

  /**
   * Separates some nodes from all other servers, as a network that loses all packets between them;
   * clients still reach all. {@link #heal()} of each ends it.
   */
  static void cutOff(Collection<RedisNode> some, Collection<RedisNode> others) {
    Set<InetAddress> ofSome = some.stream().map(node -> node.from).collect(toUnmodifiableSet());
    some.forEach(node -> node.hold(from -> isServer(from) && !ofSome.contains(from)));
    others.forEach(node -> node.hold(ofSome::contains));
    some.forEach(node -> node.cutOff = true);
  }

  private void hold(Predicate<InetAddress> from) {
    proxy.hold(from);
    if (bus != null) {
      bus.hold(from);
    }
  }

  /** Clients connect from 127.0.0.1, and so does this JVM. */
  private static boolean isServer(InetAddress from) {
    return from.getHostAddress().startsWith(SERVERS);
  }

  /** Returns the address from which a server connects to others. */
  static String address(int number) {
    return SERVERS + number;
  }

  /** Lets it hear from all again. */
  void heal() throws IOException {
    cutOff = false;
    proxy.heal();
    if (bus != null) {
      bus.heal();
    }
  }

  /** Waits until this replica has all that its primary has now, and the primary tells so. */
  void awaitInStep(RedisNode primary) throws IOException, InterruptedException {
    server.awaitInStep(primary.server);
  }

  /** Returns whether it is a replica whose primary lists it. */
  boolean isReplica() throws IOException {
    return "slave".equals(server.info("replication", "role"));
  }

  /** Waits until it answers that it is a replica. */
  void awaitReplica() throws InterruptedException {
    Await.until(() -> "it follows; it says:\n" + server.output(), LONGEST, this::isReplica);
  }

  /** Closes all, whatever happens to one of them. */
  static void closeAll(List<? extends AutoCloseable> all) throws Exception {
    if (!all.isEmpty()) {
      try (AutoCloseable first = all.get(0)) {
        closeAll(all.subList(1, all.size()));
      }
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try (server;
        proxy;
        bus) {
      // As closeAll.
    }
  }
}
