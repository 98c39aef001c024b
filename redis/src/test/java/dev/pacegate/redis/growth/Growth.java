package dev.pacegate.redis.growth;

import dev.pacegate.redis.Fleet;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What is simulated for the page, in virtual time. The same seed gives the same results. */
final class Growth {

  static final long SEED = Long.getLong("pacegate.seed", 39);

  static final String SMALL = "peer(100/1s, unanswered=1s)";
  static final String MEDIUM = "peer(1000/1s, unanswered=1s)";
  static final String LARGE = "peer(10000/1s, unanswered=1s)";
  static final String LONG = "peer(10000/10s, unanswered=1s)";
  static final List<String> LIMITS = List.of(SMALL, MEDIUM, LARGE, LONG);
  static final int[] PROCESSES = {10, 30, 100, 300, 1000};
  static final int[] NODES = {1, 2, 4, 10};
  static final int[][] CROWDS = {{10, 16}, {100, 16}, {100, 64}}; // processes and threads

  private static final double ALL = 4; // times the limit
  private static final double PART = 0.1;
  private static final int WAY = 2;

  final Costs costs;
  final List<Fleet.Result> full = new ArrayList<>();
  final List<Fleet.Result> tenth = new ArrayList<>();
  final List<Fleet.Result> losses = new ArrayList<>();
  final List<Crowd.Result> crowds = new ArrayList<>();

  private Growth(Costs costs) {
    this.costs = costs;
  }

  /** Simulates all that the page shows. */
  static Growth of(Costs costs) throws Exception {
    var growth = new Growth(costs);
    for (String limit : LIMITS) {
      for (int processes : PROCESSES) {
        growth.full.add(growth.run(full(limit, processes)));
      }
    }
    for (String limit : List.of(MEDIUM, LARGE, LONG)) {
      for (int processes : PROCESSES) {
        growth.tenth.add(growth.run(tenth(limit, processes)));
      }
    }
    for (int processes : PROCESSES) {
      growth.losses.add(growth.run(loss(processes)));
    }
    for (int[] crowd : CROWDS) {
      for (int nodes : NODES) {
        growth.crowds.add(growth.crowd(crowd[0], crowd[1], nodes));
      }
    }
    return growth;
  }

  /** Returns the results of all processes. */
  List<Fleet.Result> all() {
    return Stream.of(full, tenth, losses).flatMap(List::stream).toList();
  }

  /** Simulates what takes little time. */
  static Growth quick(Costs costs) throws Exception {
    var growth = new Growth(costs);
    growth.full.add(growth.run(full(SMALL, PROCESSES[0])));
    growth.full.add(growth.run(full(MEDIUM, PROCESSES[0])));
    growth.tenth.add(growth.run(tenth(MEDIUM, PROCESSES[1])));
    growth.crowds.add(growth.crowd(CROWDS[0][0], CROWDS[0][1], NODES[0]));
    growth.crowds.add(growth.crowd(CROWDS[0][0], CROWDS[0][1], NODES[2]));
    return growth;
  }

  private static Fleet.Setting full(String limit, int processes) {
    int seconds = limit.equals(SMALL) ? 20 : limit.equals(LONG) ? 10 : processes > 300 ? 12 : 6;
    return new Fleet.Setting(limit, processes, ALL, seconds, WAY, false);
  }

  private static Fleet.Setting tenth(String limit, int processes) {
    return new Fleet.Setting(limit, processes, PART, limit.equals(LONG) ? 10 : 6, WAY, false);
  }

  private static Fleet.Setting loss(int processes) {
    return new Fleet.Setting(SMALL, processes, ALL, 4, WAY, true);
  }

  private Fleet.Result run(Fleet.Setting setting) throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      Fleet.Result result = Fleet.run(server, setting, costs::micros, SEED);
      System.out.println(result);
      return result;
    }
  }

  private Crowd.Result crowd(int processes, int threads, int nodes) {
    return Crowd.run(new Crowd.Setting(processes, threads, nodes), costs, SEED);
  }

  /** Returns the result for a limit at full demand. */
  Fleet.Result full(List<Fleet.Result> results, String limit, int processes) {
    return results.stream()
        .filter(each -> each.setting().limit().equals(limit))
        .filter(each -> each.setting().processes() == processes)
        .findFirst()
        .orElseThrow();
  }

  /** Returns how many bytes of the record each process takes that waits. */
  double bytesOfProcess() {
    Fleet.Result few = full(full, SMALL, 10);
    Fleet.Result many = full(full, SMALL, 300);
    return (many.bytes() - few.bytes()) / (300 - 10);
  }
}
