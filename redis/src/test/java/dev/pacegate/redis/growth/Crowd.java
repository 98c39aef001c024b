package dev.pacegate.redis.growth;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Threads that take permits of random keys, one after the other, in virtual time. The keys are
 * spread over nodes, and each node carries out one call after the other. A process gathers the
 * entries for a node: with n calls of it under way, the next is made once 2^n entries wait.
 */
final class Crowd {

  private static final double WAY = 500; // to a node, or back, in microseconds
  private static final double END = 2_000_000;

  /** What is simulated. */
  record Setting(int processes, int threads, int nodes) {}

  /**
   * What came of it.
   *
   * @param permits in a second, of all processes
   * @param batch entries of a call, on average
   * @param waited for a permit, on average, in milliseconds
   * @param busy for what share of the time the busiest node was
   */
  record Result(Setting setting, double permits, double batch, double waited, double busy) {}

  private record Event(double at, long number, Runnable step) {}

  /** What one process has to do with one node. */
  private final class Line {
    final int process;
    final Node node;
    final ArrayDeque<Double> waiting = new ArrayDeque<>(); // since when
    int underWay;

    Line(int process, Node node) {
      this.process = process;
      this.node = node;
    }

    void add() {
      waiting.add(now);
      send();
    }

    private void send() {
      while (!waiting.isEmpty() && waiting.size() >= Math.min(least(), most)) {
        int size = Math.min(waiting.size(), most);
        List<Double> batch = IntStream.range(0, size).mapToObj(i -> waiting.remove()).toList();
        underWay++;
        calls++;
        entries += size;
        at(now + WAY, () -> node.carryOut(this, batch));
      }
    }

    // As CallWindow gathers: 1, 2, 8, 32.
    private long least() {
      return underWay == 0 ? 1 : 1L << (2 * underWay - 1);
    }

    void answered(List<Double> batch) {
      underWay--;
      for (double since : batch) {
        permits++;
        waited += now - since;
        next(process);
      }
      send();
    }
  }

  // A server.
  private final class Node {
    double freeAt;
    double busy;

    void carryOut(Line line, List<Double> batch) {
      double micros = costs.entries() * (costs.keyCall() + costs.keyEntry() * batch.size());
      freeAt = Math.max(freeAt, now) + micros;
      busy += micros;
      at(freeAt + WAY, () -> line.answered(batch));
    }
  }

  private final Setting setting;
  private final Costs costs;
  private final int most; // entries of a call
  private final SplittableRandom random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingDouble(Event::at).thenComparingLong(Event::number));
  private final List<Node> nodes;
  private final Line[][] lines;
  private double now;
  private long number;
  private long calls;
  private long entries;
  private long permits;
  private double waited;

  private Crowd(Setting setting, Costs costs, long seed) {
    this.setting = setting;
    this.costs = costs;
    this.most = (int) costs.mostEntries();
    this.random = new SplittableRandom(seed);
    this.nodes = IntStream.range(0, setting.nodes).mapToObj(i -> new Node()).toList();
    this.lines = new Line[setting.processes][setting.nodes];
    for (int i = 0; i < setting.processes; i++) {
      for (int j = 0; j < setting.nodes; j++) {
        lines[i][j] = new Line(i, nodes.get(j));
      }
    }
  }

  static Result run(Setting setting, Costs costs, long seed) {
    return new Crowd(setting, costs, seed).run();
  }

  private Result run() {
    for (int i = 0; i < setting.processes * setting.threads; i++) {
      int process = i % setting.processes;
      at(random.nextInt(1000), () -> next(process));
    }
    while (!events.isEmpty() && events.peek().at < END) {
      Event event = events.remove();
      now = event.at;
      event.step.run();
    }
    return new Result(
        setting,
        permits * 1e6 / END,
        (double) entries / calls,
        waited / permits / 1000,
        Math.min(1, nodes.stream().mapToDouble(node -> node.busy).max().orElseThrow() / END));
  }

  private void next(int process) {
    lines[process][random.nextInt(setting.nodes)].add();
  }

  private void at(double instant, Runnable step) {
    events.add(new Event(instant, number++, step));
  }
}
