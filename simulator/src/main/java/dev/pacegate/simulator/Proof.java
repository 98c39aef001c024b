package dev.pacegate.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs many random worlds of every kind, in none of which the peer may refuse anything: the long
 * form of the tests.
 *
 * <p>{@code Proof SENDS WORLDS SEED [STATE]}: results are appended to the file STATE, and worlds
 * already in it are not run again. Exits with 1 if anything was refused or too little delivered.
 */
final class Proof {

  /**
   * At least this share of what {@link Theory} predicts must be delivered. For a bucket the
   * prediction is a lower bound, for all else an expectation.
   */
  static final double LEAST = 0.98;

  /**
   * The result of one world.
   *
   * @param index the number of the world
   * @param sends the number of requests
   * @param refused how many the peer would have refused
   * @param share the share of the theory; NaN if it does not apply
   * @param fullness the greatest share of the allowed amount that the peer saw: 0 if nothing
   *     reached it
   */
  record Result(int index, long sends, long refused, double share, double fullness) {

    static final int COLUMNS = 5;

    static Result of(int index, SimulationResult outcome) {
      double share = applies(outcome) ? outcome.shareOfTheory() : Double.NaN;
      return new Result(
          index, outcome.sends(), outcome.refused(), share, outcome.worst().fullness());
    }

    static Result parse(String line) {
      String[] parts = line.split(" ", -1);
      return new Result(
          Integer.parseInt(parts[0]),
          Long.parseLong(parts[1]),
          Long.parseLong(parts[2]),
          Double.parseDouble(parts[3]),
          Double.parseDouble(parts[4]));
    }

    String line() {
      return index + " " + sends + " " + refused + " " + share + " " + fullness;
    }

    boolean isTooLittle() {
      return share < LEAST;
    }

    boolean isBad() {
      return refused > 0 || isTooLittle() || fullness == 0;
    }

    /**
     * Returns whether the theory applies: there is always more to send, the program never stands
     * still, its timers are exact and all costs are one; and the run is so long that the last burst
     * does not matter.
     */
    private static boolean applies(SimulationResult outcome) {
      Client client = outcome.scenario().client();
      return client.demand() instanceof Demand.Always
          && client.pauses().equals(Odds.NEVER)
          && client.lateness().equals(Delay.NONE)
          && client.mostCost() == 1
          && outcome.sends() >= 100 * outcome.costAtFirst();
    }
  }

  private final long sends;
  private final int worlds;
  private final long seed;
  private final @Nullable Path state;
  private final PrintStream out;
  private final Map<Integer, Result> done = new HashMap<>();
  private final long began = System.nanoTime();
  private long told = began;

  Proof(long sends, int worlds, long seed, @Nullable Path state, PrintStream out) {
    this.sends = sends;
    this.worlds = worlds;
    this.seed = seed;
    this.state = state;
    this.out = out;
  }

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 3) {
      System.err.println("usage: Proof SENDS WORLDS SEED [STATE]");
      System.exit(2);
    }
    Path state = arguments.length > 3 ? Path.of(arguments[3]) : null;
    long sends = Long.parseLong(arguments[0]);
    int worlds = Integer.parseInt(arguments[1]);
    var proof = new Proof(sends, worlds, Long.parseLong(arguments[2]), state, System.out);
    System.exit(proof.run() ? 0 : 1);
  }

  /** Runs all worlds that are left; returns whether all results are good. */
  boolean run() throws IOException, InterruptedException {
    readState();
    int jobs = Math.min(worlds, Runtime.getRuntime().availableProcessors());
    var threads = Executors.newFixedThreadPool(jobs, Proof::daemon);
    try {
      List<Future<Result>> results =
          IntStream.range(0, worlds)
              .filter(index -> !done.containsKey(index))
              .mapToObj(index -> threads.submit(() -> world(index)))
              .toList();
      for (Future<Result> result : results) {
        result.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
    return summary();
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "pacegate-proof");
    thread.setDaemon(true);
    return thread;
  }

  private void readState() throws IOException {
    if (state != null && Files.exists(state)) {
      for (String line : Files.readAllLines(state)) {
        if (line.split(" ", -1).length == Result.COLUMNS) { // not of an older version, nor cut off
          Result result = Result.parse(line);
          done.put(result.index(), result);
        }
      }
      out.println("done before: " + done.size() + " of " + worlds + " worlds");
    }
  }

  private Result world(int index) throws IOException {
    Scenario scenario = RandomWorlds.draw(seed, index, sends / worlds);
    var result = Result.of(index, Simulation.run(scenario));
    tell(result, scenario);
    return result;
  }

  private synchronized void tell(Result result, Scenario scenario) throws IOException {
    done.put(result.index(), result);
    if (state != null) {
      Files.writeString(
          state, result.line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    if (result.isBad()) {
      out.println("BAD " + result.line() + " of seed " + seed + ": " + scenario);
    }
    long now = System.nanoTime();
    if (now - told > 10_000_000_000L) {
      told = now;
      long sent = done.values().stream().mapToLong(Result::sends).sum();
      out.println(
          sent + " sends in " + done.size() + " of " + worlds + " worlds, " + seconds(now) + " s");
    }
  }

  private long seconds(long now) {
    return (now - began) / 1_000_000_000;
  }

  private boolean summary() {
    out.printf(
        Locale.ROOT,
        "%-12s%8s%16s%10s%14s%10s%14s%14s%n",
        "peer",
        "worlds",
        "sends",
        "refused",
        "mean fullest",
        "theory",
        "least share",
        "mean share");
    var kinds = new EnumMap<RandomWorlds.Kind, List<Result>>(RandomWorlds.Kind.class);
    for (RandomWorlds.Kind kind : RandomWorlds.Kind.values()) {
      kinds.put(
          kind, done.values().stream().filter(r -> RandomWorlds.kind(r.index()) == kind).toList());
    }
    kinds.forEach((kind, results) -> row(kind.name().toLowerCase(Locale.ROOT), results));
    row("all", List.copyOf(done.values()));
    out.println(seconds(System.nanoTime()) + " s, seed " + seed);
    return done.size() == worlds && done.values().stream().noneMatch(Result::isBad);
  }

  private void row(String name, List<Result> results) {
    var shares =
        results.stream()
            .mapToDouble(Result::share)
            .filter(s -> !Double.isNaN(s))
            .summaryStatistics();
    out.printf(
        Locale.ROOT,
        "%-12s%8d%16d%10d%14s%10d%14s%14s%n",
        name,
        results.size(),
        results.stream().mapToLong(Result::sends).sum(),
        results.stream().mapToLong(Result::refused).sum(),
        Findings.percent(results.stream().mapToDouble(Result::fullness).average().orElse(0)),
        shares.getCount(),
        shares.getCount() == 0 ? "-" : Findings.percent(shares.getMin()),
        shares.getCount() == 0 ? "-" : Findings.percent(shares.getAverage()));
  }
}
