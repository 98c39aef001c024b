package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** To which nodes of a cluster there are connections, in virtual time. */
@Timeout(60)
class ClusterMembersTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static RedisClient client;

  private final ManualTime time = ManualTime.manual(-1);
  private final List<CompletableFuture<Void>> looks = new ArrayList<>();
  private final Topology topology = new Topology(this::partitions, this::look, time);
  private final List<Integer> connected = new CopyOnWriteArrayList<>(); // ports
  private final List<ServerDouble> servers = new ArrayList<>(); // of these connections
  private final List<String> told = new CopyOnWriteArrayList<>(); // why calls failed
  private volatile Partitions shown = all(primary(1));
  private volatile Runnable onAsk = () -> {}; // who has what
  private Supplier<CompletableFuture<Node>> attempt = this::connect;
  private final ClusterNodes nodes =
      new ClusterNodes(
          topology,
          (node, found) -> {
            connected.add(node.getUri().getPort());
            return attempt.get();
          },
          () -> {},
          time);

  @BeforeAll
  static void create() {
    client = RedisClient.create();
  }

  @AfterAll
  static void shutDown() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  /** Returns a primary that has all slots. */
  private static RedisClusterNode primary(int port) {
    return new RedisClusterNode(
        RedisURI.create("127.0.0.1", port),
        "node" + port,
        true,
        null,
        0,
        0,
        0,
        IntStream.range(0, SlotHash.SLOT_COUNT).boxed().toList(),
        EnumSet.of(RedisClusterNode.NodeFlag.UPSTREAM));
  }

  private static Partitions all(RedisClusterNode node) {
    var all = new Partitions();
    all.add(node);
    all.updateCache();
    return all;
  }

  private Partitions partitions() {
    Partitions now = shown;
    onAsk.run();
    return now;
  }

  private CompletableFuture<Void> look() {
    var look = new CompletableFuture<Void>();
    looks.add(look);
    return look;
  }

  /** The nodes tell that another node has all slots. */
  private void show(int port) {
    shown = all(primary(port));
    time.advance(Duration.ofSeconds(10));
    topology.refresh();
    looks.get(looks.size() - 1).complete(null);
  }

  private CompletableFuture<Node> connect() {
    var server = new ServerDouble(client, ServerCheck.CLUSTER, Duration.ofMinutes(1));
    servers.add(server);
    return CompletableFuture.completedFuture(server.node(time));
  }

  private void call() {
    nodes.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(
            List::of,
            why -> {},
            (reply, failure) -> {
              if (failure != null) {
                told.add(Causes.ofCall(failure));
              }
            }));
  }

  private int asked(int server) {
    return servers.get(server).asked.size();
  }

  /** A user's client does that to a node that one look has not shown, and shows it later again. */
  @Test
  void aConnectionThatTheClientHasClosedIsMadeAnew() {
    call();
    assertEquals(1, asked(0));
    servers.get(0).closeConnection();
    call();
    assertEquals(List.of(1, 1), connected);
    assertEquals(1, asked(1));
    call();
    assertEquals(2, asked(1));
    assertEquals(List.of(1, 1), connected);
  }

  @Test
  void aConnectionThatIsLostIsKeptAsItsClientMakesAnother() {
    call();
    servers.get(0).lose();
    call();
    servers.get(0).connection.activated();
    call();
    assertEquals(List.of(1), connected);
    assertEquals(2, asked(0));
  }

  @Test
  void aCallThatFailsLeadsToALookAndIsRepeatedElsewhere() {
    call();
    servers
        .get(0)
        .asked
        .remove(0)
        .completeExceptionally(new RedisCommandExecutionException("MOVED 1 127.0.0.1:2"));
    assertEquals(1, looks.size());
    shown = all(primary(2));
    looks.get(0).complete(null);
    call();
    assertEquals(List.of(1, 2), connected);
    assertEquals(1, asked(1));
  }

  @Test
  void anErrorOfAScriptLeadsToNoLook() {
    call();
    servers
        .get(0)
        .asked
        .remove(0)
        .completeExceptionally(new RedisCommandExecutionException("ERR no"));
    assertEquals(List.of(), looks);
  }

  /** While it is found out which are no primaries any more, the next look may show another. */
  @Test
  void aNodeThatIsUsedWhileAnEarlierLookEndsIsKept() throws Exception {
    call();
    var user = new Thread(this::call, "user");
    onAsk =
        () -> {
          onAsk = () -> {};
          shown = all(primary(2));
          user.start();
          awaitBlockedOrOver(user);
        };
    topology.refresh();
    looks.get(0).complete(null);
    user.join();
    assertEquals(List.of(1, 2), connected);
    assertEquals(List.of(), told.stream().filter(why -> why.contains("no primary")).toList());
    assertEquals(1, asked(1));
    call();
    assertEquals(List.of(1, 2), connected);
  }

  /** It was the owner when the call asked, and no more when it is connected to. */
  @Test
  void aNodeThatALookHasDroppedIsNotConnectedToForGood() throws Exception {
    var unused = topology.refreshed();
    var looking =
        new Thread(
            () -> {
              shown = all(primary(2));
              looks.get(0).complete(null);
            },
            "looking");
    onAsk =
        () -> {
          onAsk = () -> {};
          looking.start();
          awaitBlockedOrOver(looking);
        };
    attempt = CompletableFuture::new;
    call();
    looking.join();
    assertEquals(List.of(1), connected);
    assertEquals(1, told.size(), told::toString);
    assertTrue(told.get(0).contains("it is no primary any more"), told::toString);
  }

  private static void awaitBlockedOrOver(Thread thread) {
    try {
      Await.until(
          "it waits for the lock, or is over",
          SOON,
          () ->
              thread.getState() == Thread.State.BLOCKED
                  || thread.getState() == Thread.State.TERMINATED);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aClientThatThrowsIsAnOutageAndIsTriedAgain() {
    attempt =
        () -> {
          throw new NoClassDefFoundError("of a client that was shut down");
        };
    call();
    assertEquals(List.of("does not answer: cannot connect: of a client that was shut down"), told);
    looks.get(0).complete(null);
    assertEquals(0, time.pending());
    call();
    assertEquals(List.of(1), connected);
    time.advance(Duration.ofMillis(100));
    attempt = this::connect;
    call();
    assertEquals(List.of(1, 1), connected);
    assertEquals(1, asked(0));
    assertEquals(2, told.size());
  }

  /** A client without a limit of time may wait for a node that hangs. */
  @Test
  void anAttemptThatDoesNotEndIsFollowedByAnother() {
    var endless = new CompletableFuture<Node>();
    attempt = () -> endless;
    call();
    assertEquals(List.of(), told);
    time.advance(Duration.ofSeconds(2));
    assertEquals(1, told.size());
    assertTrue(told.get(0).contains("no answer"), told::toString);
    call();
    assertEquals(2, told.size());
    assertEquals(List.of(1), connected);
    time.advance(Duration.ofSeconds(8));
    attempt = this::connect;
    call();
    assertEquals(List.of(1, 1), connected);
    assertEquals(1, asked(0));
    var late = new ServerDouble(client, ServerCheck.CLUSTER, Duration.ofMinutes(1));
    endless.complete(late.node(time));
    assertTrue(late.connection.isClosed());
    assertFalse(servers.get(0).connection.isClosed());
  }

  @Test
  void aNodeThatIsNoPrimaryAnyMoreIsLeft() {
    call();
    show(2);
    assertTrue(servers.get(0).connection.isClosed());
    assertEquals(1, told.size()); // what was under way
    call();
    assertEquals(List.of(1, 2), connected);
  }
}
