package dev.pacegate.cli;

import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.SharedLimitStatus;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate cluster demo}: three processes that share a limit, and a peer that counts. */
final class ClusterDemo implements Callable<Integer> {

  private static final String NAME = "demo";
  private static final int PERMITS = 50;
  private static final String LIMIT = "peer(" + PERMITS + "/1s, unanswered=1s)";
  private static final int SENDERS = 3;
  private static final int LONGEST_BAR = 60;

  private final World world;

  private int seconds = 15;

  private ClusterDemo(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var demo = new ClusterDemo(world);
    CommandSpec spec =
        CommandOptions.command(
            demo,
            "demo",
            "Starts redis-server, three processes that share a limit through it, and a peer that"
                + " counts what arrives; shows every second what it counts.",
            "",
            "Exit status: 0 if the limit was kept; 1 if it was broken; 2 for bad arguments, or if"
                + " one of the processes fails."
                + Status.AND_OTHERS);
    new CommandOptions(spec)
        .number(
            "--seconds", "N", "how long it runs; 15 unless given", number -> demo.seconds = number);
    return spec;
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
      return run(processes, peer);
    } catch (IOException e) {
      throw new Failure("the demonstration failed: " + e.getMessage());
    }
  }

  private int run(DemoProcesses processes, DemoPeer peer) throws Exception {
    var out = new Output(world.out());
    var wait = new DemoWait(world.time(), out, () -> areAlive(processes));
    int port = DemoProcesses.freePort();
    processes.startRedis(port);
    new DemoWait(world.time(), out, () -> isThere(processes))
        .until(() -> "redis-server to listen", () -> DemoProcesses.listens(port));
    String store = "redis://127.0.0.1:" + port;
    try (var redis = connect(store, wait)) {
      out.write(head(store, Width.of(world.environment())));
      for (int i = 0; i < SENDERS; i++) {
        processes.startSender(store, LIMIT, peer.port(), i);
      }
      wait.until(() -> silent(peer) + " to send", () -> silent(peer).isEmpty());
      show(processes, peer, out);
      return sum(peer, status(redis, wait), out);
    }
  }

  private static RedisLimiters connect(String store, DemoWait wait) throws Exception {
    var login = new StoreServer.Login(StoreAddress.parse(store, ""), null, null);
    return answer(wait, () -> StoreConnection.tryToConnect(login, null));
  }

  private static SharedLimitStatus status(RedisLimiters redis, DemoWait wait) throws Exception {
    return answer(
        wait,
        () ->
            redis.operations().status(NAME).orElseThrow(() -> new Failure("the limit is unknown")));
  }

  /** Asks again while the server is too slow. */
  private static <T> T answer(DemoWait wait, Callable<T> question) throws Exception {
    var answers = new ArrayList<T>(1);
    wait.until(
        () -> "redis-server to answer",
        () -> {
          try {
            return answers.add(question.call());
          } catch (RedisException e) {
            return false;
          }
        });
    return answers.get(0);
  }

  private void show(DemoProcesses processes, DemoPeer peer, Output out) throws Exception {
    int width = Width.of(world.environment());
    for (int second = 1; second <= seconds; second++) {
      Thread.sleep(1000); // a line a second
      out.write(row(second, peer.counts(), width));
      if (!areAlive(processes)) {
        throw new Failure("a process of the demonstration has ended");
      }
    }
  }

  private int sum(DemoPeer peer, SharedLimitStatus status, Output out) throws Failure {
    DemoPeer.Counts counts = peer.counts();
    var table = new StatusTable(Width.of(world.environment()));
    table.add(status);
    out.write("\nWhat the store tells (pacegate cluster status):\n\n" + table + "\n");
    out.write(verdict(counts));
    return counts.worst() <= PERMITS ? Status.OK : Status.BROKEN;
  }

  /** Returns the senders of which nothing has arrived. */
  private static String silent(DemoPeer peer) {
    List<Long> counts = peer.counts().ofSender();
    return IntStream.range(0, SENDERS)
        .filter(i -> counts.get(i) == 0)
        .mapToObj(i -> "sender " + (i + 1))
        .collect(Collectors.joining(", "));
  }

  private static boolean isThere(DemoProcesses server) throws Failure {
    if (!areAlive(server)) {
      throw new Failure("redis-server does not run (is it installed, and in the PATH?)");
    }
    return true;
  }

  /** Returns whether no process has ended by itself; fails without a word if they were ended. */
  private static boolean areAlive(DemoProcesses processes) throws Failure {
    if (processes.areClosed()) {
      throw new Failure(Status.INTERRUPTED, null);
    }
    return processes.areAlive();
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
