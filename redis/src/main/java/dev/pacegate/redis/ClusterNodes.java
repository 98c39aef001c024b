package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The primaries of a cluster. Each is connected to when first used, by a connection of its own that
 * leads nowhere else: so what {@code WAIT} says there is of that server. A call that fails leads to
 * a look at who has which slots; its caller repeats it.
 *
 * <p>Thread-safe. It owns the connections.
 */
final class ClusterNodes implements Nodes {

  /** What waits for a connection fails then, and the connection is made all the same. */
  private static final Duration LONGEST_CONNECT = Duration.ofSeconds(2);

  /** A node that could not be connected to is not tried again before that. */
  private static final long AGAIN = Duration.ofMillis(100).toNanos();

  /** Another connection is tried then: the user's client may wait for one for ever. */
  private static final long LONGEST_ATTEMPT = Duration.ofSeconds(10).toNanos();

  /** How often people's calls are repeated, and what lies between. */
  private static final int TRIES = 50;

  private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

  private final Topology topology;
  private final NodeConnector connection;
  private final Runnable shutDown;
  private final Time time;
  private final Map<String, Member> members = new HashMap<>(); // by place; guarded by itself
  private final Set<String> keyed = ConcurrentHashMap.newKeySet(); // names of limits of keys
  private final Troubles troubles;
  private volatile boolean closed; // set under the lock of members

  /** Connects to a node, without waiting. */
  interface NodeConnector {

    /**
     * Connects.
     *
     * @param found is told what the server drops, once it was checked
     */
    CompletableFuture<Node> to(RedisClusterNode node, Consumer<Eviction> found);
  }

  /** A node that is connected to, or will be, or could not be. */
  private static final class Member {
    final CompletableFuture<Node> connecting = new CompletableFuture<>();
    final long began;
    volatile CompletableFuture<Node> usable = new CompletableFuture<>();
    volatile long failedAt; // once it has failed

    Member(long began) {
      this.began = began;
    }

    boolean isToBeReplaced(long now) {
      if (!connecting.isDone()) {
        return now - began >= LONGEST_ATTEMPT;
      }
      return connecting.isCompletedExceptionally()
          ? now - failedAt >= AGAIN
          : connecting.join().isGone();
    }

    void end(Throwable why) {
      usable.completeExceptionally(why);
      var unused =
          connecting.thenAccept(
              node -> {
                node.finish(Duration.ZERO);
                node.close();
              });
    }
  }

  /**
   * Creates them.
   *
   * @param shutDown ends what was made for these limits alone
   */
  ClusterNodes(Topology topology, NodeConnector connection, Runnable shutDown, Time time) {
    this.topology = topology;
    this.connection = connection;
    this.shutDown = shutDown;
    this.time = time;
    this.troubles = new Troubles(time);
    topology.onRefresh(this::prune);
  }

  @Override
  public void run(Script script, Address address, int terms, Caller caller) {
    String name = address.name();
    var watched =
        new WatchedCaller(caller, why -> watchLate(name, why), failure -> watch(name, failure));
    Awaiting.until(
        owner(address),
        time,
        watched,
        node -> node.run(script, address, terms, watched),
        failure -> watched.answered(null, failure));
  }

  private Throwable watchLate(String name, Throwable why) {
    failed(why);
    return troubles.failed(name, why);
  }

  private @Nullable Throwable watch(String name, @Nullable Throwable failure) {
    failed(failure);
    return troubles.told(name, failure);
  }

  // An error of a script says nothing of who has the slot, nor do replicas that do not confirm.
  private void failed(@Nullable Throwable failure) {
    if (failure != null && !closed && !RedisFailures.isOfScript(failure)) {
      topology.refresh();
    }
  }

  private CompletableFuture<Node> owner(Address address) {
    int slot = slot(address);
    return usable(() -> topology.owner(slot));
  }

  private static int slot(Address address) {
    return SlotHash.getSlot(address.keys().get(0));
  }

  private static IllegalStateException closedProblem() {
    return new IllegalStateException("the connection was closed");
  }

  // Which it is, is asked under the lock: what an earlier look has shown may have been dropped.
  private CompletableFuture<Node> usable(Supplier<@Nullable RedisClusterNode> which) {
    long now = time.nanoTime();
    var made = new Member(now);
    RedisClusterNode node;
    Member former;
    synchronized (members) {
      node = which.get();
      if (closed) {
        return CompletableFuture.failedFuture(closedProblem());
      } else if (node == null) {
        return CompletableFuture.failedFuture(new NoNodeException());
      }
      former = members.get(Topology.place(node));
      if (former != null && !former.isToBeReplaced(now)) {
        return former.usable;
      }
      members.put(Topology.place(node), made);
    }
    if (former != null) {
      former.end(new RedisException("its connection was closed"));
    }
    connect(node, made);
    return made.usable;
  }

  private CompletableFuture<Node> primary(RedisClusterNode known) {
    return usable(() -> topology.primary(Topology.place(known)));
  }

  private void connect(RedisClusterNode node, Member member) {
    var silence = new TimeoutException("no answer for " + Durations.brief(LONGEST_CONNECT));
    Scheduled alarm =
        time.at(
            time.nanoTime() + LONGEST_CONNECT.toNanos(),
            () -> member.usable.completeExceptionally(silence));
    var unused =
        connecting(node)
            .whenComplete(
                (made, failure) -> {
                  alarm.cancel();
                  if (made == null) {
                    Throwable why = RedisFailures.connecting(failure);
                    member.failedAt = time.nanoTime();
                    member.connecting.completeExceptionally(why);
                    member.usable.completeExceptionally(why);
                  } else {
                    connected(member, made);
                  }
                });
  }

  // A client that is being shut down may throw, or lack a class or memory: that is an outage too.
  private CompletableFuture<Node> connecting(RedisClusterNode node) {
    try {
      return connection.to(node, eviction -> tellKeyed(node, eviction));
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static void connected(Member member, Node node) {
    if (!member.usable.complete(node) && member.usable.isCompletedExceptionally()) {
      member.usable = CompletableFuture.completedFuture(node);
    }
    member.connecting.complete(node); // if it is not used any more, this closes it
  }

  // Those that are no primaries any more: what is under way there fails, and is repeated elsewhere.
  private void prune() {
    var dropped = new ArrayList<Member>();
    synchronized (members) {
      Set<String> places =
          topology.primaries().stream().map(Topology::place).collect(Collectors.toSet());
      members
          .entrySet()
          .removeIf(
              each -> {
                boolean isGone = !places.contains(each.getKey());
                if (isGone) {
                  dropped.add(each.getValue());
                }
                return isGone;
              });
    }
    dropped.forEach(each -> each.end(new RedisException("it is no primary any more")));
  }

  @Override
  public <T> T with(Address address, Function<Node, T> operation) {
    for (int tries = 1; ; tries++) {
      try {
        Node node = RedisFailures.await(owner(address), LONGEST_LOOK);
        node.require();
        return operation.apply(node);
      } catch (RedisException | UnfitServerException e) {
        if (tries == TRIES || !RedisFailures.mayBeRepeated(e)) {
          throw e;
        }
        RedisFailures.await(topology.refreshed(), LONGEST_LOOK);
        pause();
      }
    }
  }

  private void pause() {
    var over = new CompletableFuture<Void>();
    time.at(time.nanoTime() + BETWEEN_TRIES.toNanos(), () -> over.complete(null));
    RedisFailures.await(over, LONGEST_LOOK);
  }

  @Override
  public List<Node> all() {
    var all = new ArrayList<Node>();
    RedisFailures.await(topology.refreshed(), LONGEST_LOOK);
    for (RedisClusterNode each : topology.primaries()) {
      Node node = RedisFailures.await(primary(each), LONGEST_LOOK);
      node.require();
      all.add(node);
    }
    return all;
  }

  /**
   * Waits until one of the primaries was checked: the others are when they are first used.
   *
   * @throws UnfitServerException if it cannot keep the promise
   * @throws RedisException if none answers
   */
  void require() {
    RedisException last = new NoNodeException();
    for (RedisClusterNode each : topology.primaries()) {
      try {
        RedisFailures.await(primary(each), LONGEST_LOOK).require();
        return;
      } catch (RedisException e) {
        last = e;
      }
    }
    throw last;
  }

  @Override
  public void keyed(String name) {
    keyed.add(name);
    RedisClusterNode owner = topology.owner(slot(Address.of(name)));
    Member member;
    synchronized (members) {
      member = owner == null ? null : members.get(Topology.place(owner));
    }
    Node node = member == null ? null : member.connecting.exceptionally(e -> null).getNow(null);
    Eviction eviction = node == null ? null : node.eviction();
    if (eviction != null) {
      eviction.tellKeyed(name);
    }
  }

  private void tellKeyed(RedisClusterNode of, Eviction eviction) {
    for (String name : keyed) {
      if (of.hasSlot(slot(Address.of(name)))) {
        eviction.tellKeyed(name);
      }
    }
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void finish(Duration longest) {
    long until = time.nanoTime() + longest.toNanos();
    for (Member each : all(false)) {
      var unused =
          each.connecting.thenAccept(
              node -> node.finish(Duration.ofNanos(Math.max(0, until - time.nanoTime()))));
    }
    all(true);
  }

  private List<Member> all(boolean andClose) {
    synchronized (members) {
      closed |= andClose;
      return List.copyOf(members.values());
    }
  }

  @Override
  public void close() {
    closeNodes();
    shutDown.run();
  }

  void closeNodes() {
    all(true).forEach(each -> each.end(closedProblem()));
  }
}
