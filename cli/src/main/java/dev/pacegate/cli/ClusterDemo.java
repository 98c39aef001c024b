package dev.pacegate.cli;

import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.SharedLimitStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code pacegate cluster demo}: three processes that share a limit, and a peer that counts. */
@Command(
    name = "demo",
    description =
        "Starts redis-server, three processes that share a limit through it, and a peer that counts"
            + " what arrives; shows every second what it counts.")
final class ClusterDemo implements Callable<Integer> {

  private static final int PERMITS = 50;
  private static final String LIMIT = "peer(" + PERMITS + "/1s, unanswered=1s)";
  private static final int SENDERS = 3;
  private static final int LONGEST_BAR = 60;

  /** Of JVMs that are alive: only a machine that is far from idle takes so long. */
  private static final Duration LONGEST_START = Duration.ofMinutes(2);

  private final World world;

  @Option(names = "--seconds", paramLabel = "N", description = "how long it runs; 15 unless given")
  private int seconds = 15;

  ClusterDemo(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Exception {
    if (seconds < 1) {
      throw new Failure("--seconds must be at least 1: " + seconds);
    }
    var processes = new DemoProcesses();
    world.atExit().accept(processes::close);
    try (processes;
        var peer = new DemoPeer(SENDERS)) {
      String store = processes.startRedis();
      StoreAddress address = StoreAddress.parse(store, "");
      try (var redis = StoreConnection.connect(new StoreServer.Login(address, null, null), null)) {
        for (int i = 0; i < SENDERS; i++) {
          processes.startSender(store, LIMIT, peer.port(), i);
        }
        return show(processes, peer, redis, store);
      }
    } catch (IOException e) {
      throw new Failure("the demonstration failed: " + e.getMessage());
    }
  }

  private int show(DemoProcesses processes, DemoPeer peer, RedisLimiters redis, String store)
      throws Failure, InterruptedException {
    var out = new Output(world.out());
    int width = Width.of(world.environment());
    out.write(head(store, width));
    awaitSenders(processes, peer);
    for (int second = 1; second <= seconds; second++) {
      Thread.sleep(1000); // a line a second
      out.write(row(second, peer.counts(), width));
      check(processes, true, "a process of the demonstration has ended");
    }
    DemoPeer.Counts counts = peer.counts();
    SharedLimitStatus status =
        redis.operations().status("demo").orElseThrow(() -> new Failure("the limit is unknown"));
    var table = new StatusTable(width);
    table.add(status);
    out.write("\nWhat the store tells (pacegate cluster status):\n\n" + table + "\n");
    out.write(verdict(counts));
    return counts.worst() <= PERMITS ? Status.OK : Status.BROKEN;
  }

  private static void awaitSenders(DemoProcesses processes, DemoPeer peer)
      throws Failure, InterruptedException {
    long until = System.nanoTime() + LONGEST_START.toNanos();
    while (peer.counts().ofSender().contains(0L)) {
      boolean inTime = System.nanoTime() - until < 0;
      check(processes, inTime, "a process of the demonstration sends nothing");
      Thread.sleep(50); // a JVM that starts gives no other sign
    }
  }

  private static void check(DemoProcesses processes, boolean good, String complaint)
      throws Failure {
    if (processes.areClosed()) {
      throw new Failure(Status.INTERRUPTED, null);
    } else if (!good || !processes.areAlive()) {
      throw new Failure(complaint);
    }
  }

  private static String head(String store, int width) {
    var text = new StatusTable(width);
    text.say(SENDERS + " processes share " + LIMIT + " through " + store + ".");
    text.say("Each row is a second; the peer counts what arrives in any second.");
    return text
        + "\n"
        + "  s   last 1s   worst 1s      all"
        + senders(i -> "sender " + (i + 1))
        + "\n";
  }

  private static String senders(IntFunction<Object> value) {
    return IntStream.range(0, SENDERS)
        .mapToObj(i -> String.format(Locale.ROOT, "%11s", value.apply(i)))
        .collect(Collectors.joining());
  }

  private static String row(int second, DemoPeer.Counts counts, int width) {
    String row =
        String.format(
            Locale.ROOT,
            "%3d %9d %10d %8d%s  ",
            second,
            counts.lately(),
            counts.worst(),
            counts.all(),
            senders(counts.ofSender()::get));
    int room = Math.max(0, Math.min(LONGEST_BAR, width - row.length()));
    return (row + "#".repeat(room * Math.min(counts.lately(), PERMITS) / PERMITS)).stripTrailing()
        + "\n";
  }

  private static String verdict(DemoPeer.Counts counts) {
    return "The peer counted "
        + counts.all()
        + " requests, in the worst second "
        + counts.worst()
        + " of "
        + PERMITS
        + ".\n";
  }
}
