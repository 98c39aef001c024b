package dev.pacegate.redis.contest;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.PeerProcess;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Four processes share a limit while one fault follows another, of processes, of the network and of
 * a server with a replica. A peer in a process of its own counts, and never counts too many; after
 * each fault requests go on. {@code -Dpacegate.storm=300} is how many seconds each kind of limit
 * has; {@code -Dpacegate.seed} repeats the order of the faults.
 */
@Tag("heavy")
@Execution(ExecutionMode.SAME_THREAD)
class StormTest {

  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final int PROCESSES = 4;
  private static final int THREADS = 8;

  /** How many requests after a fault show that it is over. */
  private static final int SOME = 5;

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Duration length = Duration.ofSeconds(Long.getLong("pacegate.storm", 30));
  private final List<Child> workers = new ArrayList<>();
  private final List<CutProxy> proxies = new ArrayList<>();
  private String limit = "";
  private int started;

  /** Begins, and ends after a while. */
  private interface Act {
    void run(StormTest storm, World world) throws Exception;
  }

  /** The servers, and what ends the fault that lasts. */
  private static final class World implements AutoCloseable {
    final ReplicatedServer servers;
    final PeerProcess peer;
    int victim; // which process

    World(ReplicatedServer servers, PeerProcess peer) {
      this.servers = servers;
      this.peer = peer;
    }

    /** The server that others have not replaced. */
    RedisServer server() {
      return servers.primary();
    }

    @Override
    public void close() throws IOException, InterruptedException {
      peer.close();
      servers.close();
    }
  }

  private static final Act NOTHING = (storm, world) -> {};

  /** What happens, and how many milliseconds it lasts. */
  private record Fault(String name, int least, int most, Act begin, Act end) {}

  private static final List<Fault> FAULTS =
      List.of(
          new Fault(
              "process killed",
              0,
              1000,
              (s, w) -> s.workers.get(w.victim).kill9(),
              StormTest::startAnew),
          new Fault(
              "process stopped",
              100,
              3000,
              (s, w) -> s.workers.get(w.victim).stop(),
              (s, w) -> s.workers.get(w.victim).cont()),
          new Fault(
              "all stopped",
              100,
              3000,
              (s, w) -> s.ofAll(Child::stop),
              (s, w) -> s.ofAll(Child::cont)),
          new Fault(
              "server stopped",
              100,
              3000,
              (s, w) -> w.server().stop(),
              (s, w) -> w.server().cont()),
          new Fault(
              "server killed",
              0,
              1500,
              (s, w) -> w.server().kill9(),
              (s, w) -> w.server().restart()),
          new Fault(
              "server sleeps",
              0,
              100,
              (s, w) -> w.server().command("DEBUG", "SLEEP", "0.7"),
              NOTHING),
          new Fault("flushall", 0, 100, (s, w) -> w.server().command("FLUSHALL"), NOTHING),
          new Fault(
              "script flush", 0, 100, (s, w) -> w.server().command("SCRIPT", "FLUSH"), NOTHING),
          new Fault(
              "record deleted",
              0,
              100,
              (s, w) -> w.server().command("DEL", "pacegate:{api}"),
              NOTHING),
          new Fault(
              "connections killed",
              0,
              100,
              (s, w) -> w.server().command("CLIENT", "KILL", "TYPE", "normal"),
              NOTHING),
          new Fault(
              "delayed",
              500,
              3000,
              (s, w) -> s.proxies.get(w.victim).delay(s.upTo(250), s.upTo(250)),
              (s, w) -> s.proxies.get(w.victim).delay(Duration.ZERO, Duration.ZERO)),
          new Fault(
              "all delayed",
              500,
              3000,
              (s, w) -> s.ofProxies(p -> p.delay(Duration.ofMillis(250), Duration.ofMillis(250))),
              (s, w) -> s.ofProxies(p -> p.delay(Duration.ZERO, Duration.ZERO))),
          new Fault(
              "reply cut",
              0,
              300,
              (s, w) -> s.proxies.get(w.victim).cutAfter(s.random.nextInt(60)),
              StormTest::heal),
          new Fault("half open", 0, 300, (s, w) -> s.ofProxies(CutProxy::forget), NOTHING),
          new Fault("held", 500, 4000, (s, w) -> s.ofProxies(CutProxy::hold), StormTest::heal),
          new Fault("refused", 500, 3000, (s, w) -> s.ofProxies(CutProxy::refuse), StormTest::heal),
          new Fault("server replaced", 2000, 6000, StormTest::replace, StormTest::exchange),
          new Fault(
              "server stopped and replaced",
              500,
              4000,
              (s, w) -> {
                s.awaitNamed(w);
                w.server().stop();
                s.takeOver(w);
              },
              (s, w) -> {
                w.server().cont();
                Thread.sleep(s.random.nextInt(4000)); // for so long it goes on
                exchange(s, w);
              }));

  private interface OnChild {
    void run(Child child) throws Exception;
  }

  private interface OnProxy {
    void run(CutProxy proxy) throws Exception;
  }

  private void ofAll(OnChild act) throws Exception {
    for (Child worker : workers) {
      act.run(worker);
    }
  }

  private void ofProxies(OnProxy act) throws Exception {
    for (CutProxy proxy : proxies) {
      act.run(proxy);
    }
  }

  private static void heal(StormTest storm, World world) throws Exception {
    storm.ofProxies(CutProxy::heal);
  }

  private static void startAnew(StormTest storm, World world) throws Exception {
    storm.workers.get(world.victim).close();
    storm.workers.set(world.victim, storm.start(world.victim, world));
  }

  private static void replace(StormTest storm, World world) throws Exception {
    storm.awaitNamed(world);
    storm.takeOver(world);
  }

  private void awaitNamed(World world) throws Exception {
    if (limit.contains(LimitWorker.WITHIN)) {
      world.servers.awaitNamed("api", LimitWorker.KEYED);
    } else {
      world.servers.awaitNamed("api");
    }
  }

  /** One process at least is led to the new primary, and one stays with the old. */
  private void takeOver(World world) throws Exception {
    world.servers.promote();
    int stays = (world.victim + 1) % PROCESSES;
    for (int i = 0; i < PROCESSES; i++) {
      if (i == world.victim || (i != stays && random.nextBoolean())) {
        proxies.get(i).redirect(world.servers.replica().port());
      }
    }
  }

  private static void exchange(StormTest storm, World world) throws Exception {
    world.servers.exchange();
    storm.ofProxies(proxy -> proxy.redirect(world.server().port()));
  }

  private Duration upTo(int millis) {
    return Duration.ofMillis(random.nextInt(millis));
  }

  @AfterEach
  void end() throws Exception {
    ofAll(Child::close);
    ofProxies(CutProxy::close);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/1s",
        "peer(100/1s, unanswered=1s)",
        "bucket(100/1s, burst=20)",
        "peer(bucket(100/1s, burst=20), unanswered=1s)",
        "concurrent(20, unanswered=2s)",
        "spacing(20ms)",
        "peer(spacing(20ms), unanswered=1s)",
        "peer(100/1s, unanswered=1s) & concurrent(10, unanswered=1s) & 400/10s",
        "peer(20/1s, unanswered=1s) within peer(50/1s, unanswered=1s)",
        "costs peer(100/1s, unanswered=1s)"
      })
  void thePeerNeverCountsTooManyAndRequestsGoOnAfterEachFault(String limit) throws Exception {
    this.limit = limit;
    System.out.printf("storm: %s, seed %d%n", limit, seed);
    try (var world = new World(ReplicatedServer.start(Version.V6_2), PeerProcess.start(seed))) {
      for (int i = 0; i < PROCESSES; i++) {
        proxies.add(new CutProxy(world.server().port()));
        workers.add(start(i, world));
      }
      awaitSome("the start", world);
      long until = System.nanoTime() + length.toNanos();
      while (until - System.nanoTime() > 0) {
        rage(world);
      }
      PeerCount.judge(limit, world.peer.arrivals().list(), "seed " + seed);
    }
  }

  private Child start(int index, World world) throws Exception {
    var load =
        new Load(
            proxies.get(index).uri(world.server()),
            "api",
            0,
            Duration.ZERO,
            world.peer.port(),
            started++,
            THREADS,
            Duration.ofHours(1), // until it is ended
            limit);
    Child worker = Child.start(LimitWorker.class, load.toArguments());
    worker.line("ready", LONGEST);
    worker.write("go");
    return worker;
  }

  /** One fault, or several before requests have gone on. */
  private void rage(World world) throws Exception {
    var names = new ArrayList<String>();
    do {
      Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
      names.add(fault.name);
      world.victim = random.nextInt(PROCESSES);
      fault.begin.run(this, world);
      // How long a fault lasts is what it is.
      Thread.sleep(fault.least + random.nextInt(fault.most - fault.least));
      fault.end.run(this, world);
    } while (random.nextInt(3) == 0);
    awaitSome(String.join(", ", names), world);
  }

  private void awaitSome(String after, World world) throws Exception {
    int before = world.peer.count();
    long began = System.nanoTime();
    Await.until(
        () -> "after " + after + " it goes on; " + limit + ", seed " + seed,
        LONGEST,
        () -> world.peer.count() - before >= SOME);
    long millis = (System.nanoTime() - began) / 1_000_000;
    System.out.printf("storm: %d ms after %s%n", millis, after);
    Thread.sleep(random.nextInt(1500)); // calm
  }
}
