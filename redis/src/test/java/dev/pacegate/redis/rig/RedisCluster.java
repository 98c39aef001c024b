package dev.pacegate.redis.rig;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of a test's own: three primaries and a replica of each, on free ports of the
 * loopback. A primary that is not heard of for {@link #TIMEOUT} is replaced. It ends with the JVM
 * at the latest.
 *
 * <pre>{@code
 * try (var cluster = RedisCluster.start(Version.V7)) {
 *   RedisNode primary = cluster.primary("api");
 *   primary.kill9();
 *   cluster.awaitReplaced(primary, "api");
 *   primary.restart();
 *   cluster.awaitHealthy();
 *   cluster.failBack(primary);
 * }
 * }</pre>
 *
 * <p>A name is that of a limit: its keys are those of the tag {@code {name}}. Used by one thread.
 */
public final class RedisCluster implements AutoCloseable {

  /** cluster-node-timeout. */
  public static final Duration TIMEOUT = Duration.ofSeconds(2);

  /**
   * A replica that won an election keeps its votes for so long. If its primary failed meanwhile, it
   * would promote itself by them at once, for an epoch that is over, and get no slot of anyone.
   */
  private static final Duration ELECTION = TIMEOUT.multipliedBy(2);

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final int PRIMARIES = 3;
  private static final int SLOTS = 16_384;

  private final List<RedisNode> nodes = new ArrayList<>();
  private @Nullable Path folder; // of a certificate
  private @Nullable Certificate certificate;
  private long electedBefore = System.nanoTime() - ELECTION.toNanos();

  /** What a node says of itself or another in CLUSTER NODES. */
  private record Line(String id, int port, List<String> flags, long epoch, List<String> slots) {

    static Line of(String text) {
      String[] words = text.split(" ", -1);
      String address = words[1].split("[@,]", -1)[0];
      return new Line(
          words[0],
          Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
          List.of(words[2].split(",", -1)),
          Long.parseLong(words[6]),
          Arrays.asList(words).subList(8, words.length));
    }

    boolean owns(int slot) {
      return flags.contains("master")
          && slots.stream()
              .filter(range -> !range.startsWith("[")) // a slot that moves
              .map(range -> range.split("-", -1))
              .anyMatch(
                  range ->
                      Integer.parseInt(range[0]) <= slot
                          && slot <= Integer.parseInt(range[range.length - 1]));
    }
  }

  private RedisCluster() {}

  /** Starts one, and waits until all nodes agree and all replicas are in step. */
  public static RedisCluster start(Version version) throws Exception {
    return start(version, false, setup -> setup);
  }

  /** As the other, with nodes that speak TLS only, and have one certificate. */
  public static RedisCluster startWithTls(Version version) throws Exception {
    return start(version, true, setup -> setup);
  }

  /** As the other, with more settings of each node. */
  public static RedisCluster start(Version version, UnaryOperator<RedisSetup> more)
      throws Exception {
    return start(version, false, more);
  }

  private static RedisCluster start(Version version, boolean tls, UnaryOperator<RedisSetup> more)
      throws Exception {
    var cluster = new RedisCluster();
    try {
      if (tls) {
        cluster.makeCertificate();
      }
      for (int i = 0; i < 2 * PRIMARIES; i++) {
        RedisSetup setup = more.apply(cluster.setup(version));
        cluster.nodes.add(RedisNode.startOfCluster(setup, i + 1));
      }
      cluster.form();
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  private void makeCertificate() throws Exception {
    folder = Folders.make("certificate");
    certificate = new Certificate(folder);
  }

  private RedisSetup setup(Version version) {
    RedisSetup setup =
        RedisServer.with(version).set("cluster-node-timeout", Long.toString(TIMEOUT.toMillis()));
    if (certificate != null) {
      setup.tls(certificate);
    }
    // A replica stays with its primary, so each can be replaced again.
    return version == Version.V6_2
        ? setup.set("cluster-migration-barrier", "100")
        : setup.set("cluster-allow-replica-migration", "no");
  }

  /** Lets clients that trust what this JVM does trust the certificate, until the close. */
  public AutoCloseable trusted() {
    return Objects.requireNonNull(certificate, "a cluster without TLS").trusted();
  }

  private void form() throws Exception {
    for (int i = 0; i < nodes.size(); i++) {
      command(nodes.get(i), "SET-CONFIG-EPOCH", Integer.toString(i + 1));
    }
    for (int i = 0; i < PRIMARIES; i++) {
      command(nodes.get(i), "ADDSLOTS", slotsOf(i));
    }
    meet();
    for (int i = 0; i < PRIMARIES; i++) {
      command(nodes.get(PRIMARIES + i), "REPLICATE", id(nodes.get(i)));
    }
    awaitHealthy();
  }

  /** A node that is slow to answer is dropped, and must be told again. */
  private void meet() throws Exception {
    RedisNode first = nodes.get(0);
    for (int attempt = 1; ; attempt++) {
      for (RedisNode node : nodes.subList(1, nodes.size())) {
        command(node, "MEET", "127.0.0.1", "" + first.port(), "" + first.busPort());
      }
      try {
        Await.until(() -> "all have met; one says:\n" + text(first), TIMEOUT, this::haveMet);
        return;
      } catch (AssertionError e) {
        if (attempt == 30) {
          throw e;
        }
      }
    }
  }

  private boolean haveMet() throws IOException {
    for (RedisNode node : nodes) {
      if (!hasMet(node)) {
        return false;
      }
    }
    return true;
  }

  private static String[] slotsOf(int primary) {
    return IntStream.range(SLOTS * primary / PRIMARIES, SLOTS * (primary + 1) / PRIMARIES)
        .mapToObj(Integer::toString)
        .toArray(String[]::new);
  }

  private boolean hasMet(RedisNode node) throws IOException {
    List<Line> lines = lines(node);
    return lines.size() == nodes.size()
        && lines.stream().noneMatch(line -> line.flags.contains("handshake"))
        && lines.stream().allMatch(line -> nodes.stream().anyMatch(one -> one.port() == line.port));
  }

  /** Returns where all nodes are, each for itself. */
  public List<String> uris() {
    return nodes.stream().map(RedisNode::uri).toList();
  }

  /** Returns all nodes, in no order that means something. */
  public List<RedisNode> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the slot of a name, as a node says. */
  public int slot(String name) throws IOException {
    return Math.toIntExact((Long) ask(aNode(), "KEYSLOT", "pacegate:{" + name + "}"));
  }

  /** Returns who grants for that name, as those nodes say that run and are not cut off. */
  public RedisNode primary(String name) throws IOException {
    return primary(slot(name));
  }

  private RedisNode primary(int slot) throws IOException {
    List<Line> all = new ArrayList<>();
    for (RedisNode node : there()) {
      all.addAll(lines(node));
    }
    Optional<Line> owner =
        all.stream().filter(line -> line.owns(slot)).max(Comparator.comparingLong(Line::epoch));
    return nodeOf(owner.orElseThrow(() -> new IllegalStateException("slot " + slot + ": " + all)));
  }

  /** Returns a primary that does not grant for that name, to which its slot can be moved. */
  public RedisNode otherPrimary(String name) throws IOException {
    RedisNode owner = primary(name);
    for (RedisNode node : there()) {
      if (node != owner && mine(node).flags.contains("master") && !mine(node).slots.isEmpty()) {
        return node;
      }
    }
    throw new IllegalStateException("no other primary");
  }

  /** Returns a replica of that primary. */
  public RedisNode replica(RedisNode primary) throws IOException {
    for (RedisNode node : there()) {
      if (node.isReplica()
          && Objects.equals(
              node.server().info("replication", "master_port"), "" + primary.port())) {
        return node;
      }
    }
    throw new IllegalStateException("no replica of " + primary.port());
  }

  /** Waits until another node grants for that name, and those that run agree that all is well. */
  public void awaitReplaced(RedisNode former, String name)
      throws IOException, InterruptedException {
    int slot = slot(name);
    Await.until(
        () -> "another takes over; a node says:\n" + text(aNode()),
        LONGEST,
        () -> primary(slot) != former && isOk());
    electedBefore = System.nanoTime();
  }

  /**
   * Waits until all nodes are there, agree, all replicas have what their primaries have, and the
   * last election is forgotten: then each primary can be replaced.
   */
  public void awaitHealthy() throws IOException, InterruptedException {
    Await.until(
        () -> "all nodes agree; one says:\n" + text(aNode()),
        LONGEST,
        () ->
            System.nanoTime() - electedBefore >= ELECTION.toNanos()
                && there().size() == nodes.size()
                && isOk()
                && agree()
                && knowEpochs());
    for (RedisNode node : nodes) {
      if (node.isReplica()) {
        String port = node.server().info("replication", "master_port");
        node.awaitInStep(withPort(Integer.parseInt("" + port)));
      }
    }
  }

  private boolean isOk() throws IOException {
    for (RedisNode node : there()) {
      if (!String.valueOf(ask(node, "INFO")).contains("cluster_state:ok")) {
        return false;
      }
    }
    return true;
  }

  private boolean agree() throws IOException {
    List<String> first = seen(nodes.get(0));
    long replicas = first.stream().filter(line -> line.contains("slave")).count();
    for (RedisNode node : nodes) {
      if (!seen(node).equals(first)) {
        return false;
      }
    }
    return replicas == nodes.size() - PRIMARIES && !first.toString().contains("fail");
  }

  /** Returns who is what, as a node says. */
  private List<String> seen(RedisNode node) throws IOException {
    return lines(node).stream()
        .map(
            line ->
                (line.port + " " + line.flags + (line.flags.contains("master") ? line.slots : ""))
                    .replace("myself, ", ""))
        .sorted()
        .toList();
  }

  /**
   * Moves the slot of a name to another primary, with all that is in it, as redis-cli does: keys
   * are used meanwhile. Returns when all nodes know of the new epoch.
   */
  public void moveSlot(String name, RedisNode to) throws IOException, InterruptedException {
    String slot = Integer.toString(slot(name));
    RedisNode owner = primary(name);
    command(to, "SETSLOT", slot, "IMPORTING", id(owner));
    command(owner, "SETSLOT", slot, "MIGRATING", id(to));
    for (List<?> keys = keys(owner, slot); !keys.isEmpty(); keys = keys(owner, slot)) {
      String[] migrate = {"MIGRATE", "127.0.0.1", "" + to.port(), "", "0", "25000", "KEYS"};
      owner
          .server()
          .command(
              Stream.concat(Arrays.stream(migrate), keys.stream().map(String::valueOf))
                  .toArray(String[]::new));
    }
    command(to, "SETSLOT", slot, "NODE", id(to)); // first: none else may think it has the slot
    for (RedisNode node : there()) {
      if (node != to && !node.isReplica()) {
        command(node, "SETSLOT", slot, "NODE", id(to));
      }
    }
    awaitEpochs();
  }

  /**
   * Waits until all nodes that are there know the epoch of each primary, and no two have the same.
   * A primary takes the next epoch without a vote when it gets a slot or meets another with its
   * own. If it were killed before its replica knows that, the others would deny the replica their
   * votes, or elect it with the same epoch and not give it the slots.
   */
  private void awaitEpochs() throws IOException, InterruptedException {
    Await.until(
        () -> "all nodes know all epochs; one says:\n" + text(aNode()), LONGEST, this::knowEpochs);
  }

  private boolean knowEpochs() throws IOException {
    Set<String> known = new HashSet<>();
    for (RedisNode node : there()) {
      List<Line> lines = lines(node);
      List<Long> epochs =
          lines.stream()
              .filter(line -> line.flags.contains("master") && !line.slots.isEmpty())
              .map(Line::epoch)
              .toList();
      if (Set.copyOf(epochs).size() < epochs.size()) {
        return false;
      }
      known.add(
          String.valueOf(ask(node, "INFO"))
                  .lines()
                  .filter(line -> line.startsWith("cluster_current_epoch:"))
                  .collect(joining())
              + lines.stream().map(line -> line.id + line.epoch).sorted().toList());
    }
    return known.size() == 1;
  }

  private static List<?> keys(RedisNode node, String slot) throws IOException {
    return (List<?>) ask(node, "GETKEYSINSLOT", slot, "10");
  }

  /** Separates some nodes from all others. Clients still reach all. */
  public void cutOff(RedisNode... some) {
    var others = new ArrayList<>(nodes);
    others.removeAll(List.of(some));
    RedisNode.cutOff(List.of(some), others);
  }

  /** Ends {@link #cutOff}. */
  public void heal() throws IOException {
    for (RedisNode node : nodes) {
      node.heal();
    }
  }

  /** Makes a node that was replaced a primary again, once it is in step. */
  public void failBack(RedisNode former) throws IOException, InterruptedException {
    former.awaitReplica();
    awaitHealthy();
    // Again, as servers that a loaded machine holds up for five seconds give it up.
    Await.until("it takes over", LONGEST, () -> takesOver(former));
    Await.until(
        () -> "it is the primary again; it says:\n" + former.server().output(),
        LONGEST,
        () -> {
          if (former.isReplica()) {
            return false;
          }
          return isOk() && agree() && knowEpochs();
        });
  }

  private static boolean takesOver(RedisNode former) throws IOException, InterruptedException {
    if (former.isReplica()) {
      command(former, "FAILOVER");
    }
    for (int i = 0; i < 600 && former.isReplica(); i++) {
      Thread.sleep(10);
    }
    return !former.isReplica();
  }

  private List<RedisNode> there() {
    return nodes.stream().filter(RedisNode::isThere).toList();
  }

  private RedisNode aNode() {
    return there().get(0);
  }

  private RedisNode nodeOf(Line line) {
    return withPort(line.port);
  }

  private RedisNode withPort(int port) {
    return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }

  private static String id(RedisNode node) throws IOException {
    return mine(node).id;
  }

  private static Line mine(RedisNode node) throws IOException {
    return lines(node).stream()
        .filter(line -> line.flags.contains("myself"))
        .findFirst()
        .orElseThrow();
  }

  private static List<Line> lines(RedisNode node) throws IOException {
    return String.valueOf(ask(node, "NODES")).lines().map(Line::of).toList();
  }

  private static String text(RedisNode node) {
    try {
      return ask(node, "INFO") + "\n" + ask(node, "NODES");
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void command(RedisNode node, String... words) throws IOException {
    ask(node, words);
  }

  private static void command(RedisNode node, String first, String[] rest) throws IOException {
    ask(node, Stream.concat(Stream.of(first), Arrays.stream(rest)).toArray(String[]::new));
  }

  private static Object ask(RedisNode node, String... words) throws IOException {
    String[] all = Stream.concat(Stream.of("CLUSTER"), Arrays.stream(words)).toArray(String[]::new);
    return Objects.requireNonNull(node.server().command(all));
  }

  /** Kills all nodes and deletes their folders. */
  @Override
  public void close() throws Exception {
    RedisNode.closeAll(nodes);
    if (folder != null) {
      Folders.delete(folder);
    }
  }
}
