package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a front does in each round: under load on many connections, and at ease on one. */
final class Throughput {

  static final int CONNECTIONS = 32;

  /**
   * One round. Latencies in microseconds.
   *
   * @param perSecond requests
   * @param perCpuSecond requests for a second of the front's own processor time
   * @param p50 of one connection
   */
  record Round(double perSecond, double perCpuSecond, double p99, double p50) {}

  final String title;
  private final Server server;
  private final Wrk wrk;
  private final List<Round> rounds = new ArrayList<>();

  Throughput(String title, Server server, Wrk wrk) {
    this.title = title;
    this.server = server;
    this.wrk = wrk;
  }

  /** A Java program is slow before it has been compiled. */
  void warmUp(long requests) throws IOException, InterruptedException {
    for (long sent = 0; sent < requests; ) {
      sent += wrk.run(server.port(), CONNECTIONS, 1).requests();
    }
  }

  void round(int seconds) throws IOException, InterruptedException {
    long before = server.cpu().toNanos();
    Wrk.Told load = wrk.run(server.port(), CONNECTIONS, seconds);
    double cpu = (server.cpu().toNanos() - before) / 1e9;
    Wrk.Told ease = wrk.run(server.port(), 1, (seconds + 1) / 2);
    rounds.add(new Round(load.perSecond(), load.requests() / cpu, load.p99(), ease.p50()));
  }

  Spread of(ToDoubleFunction<Round> what) {
    return new Spread(rounds.stream().map(round -> what.applyAsDouble(round)).toList());
  }

  /** Returns how this one compares in each round: what both met there is left out. */
  Spread shareOf(Throughput other) {
    return pairs(other, (own, its) -> own.perCpuSecond() / its.perCpuSecond());
  }

  /** Returns by how many microseconds the median wait of one connection is longer. */
  Spread addedTo(Throughput direct) {
    return pairs(direct, (own, its) -> own.p50() - its.p50());
  }

  private interface Comparison {
    double of(Round own, Round its);
  }

  private Spread pairs(Throughput other, Comparison comparison) {
    var all = new ArrayList<Double>();
    for (int i = 0; i < rounds.size(); i++) {
      all.add(comparison.of(rounds.get(i), other.rounds.get(i)));
    }
    return new Spread(all);
  }
}
