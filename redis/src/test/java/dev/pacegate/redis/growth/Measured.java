package dev.pacegate.redis.growth;

import dev.pacegate.redis.Fleet;
import dev.pacegate.redis.KeyCalls;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Measures a real server, and real limiters. */
final class Measured {

  static final int[] REAL = {10, 30, 100, 300};
  static final int[] REAL_KEYS = {1_000, 10_000, 100_000};
  static final int[] STORED = {1_000, 10_000, 100_000, 1_000_000};
  static final int[] BATCHES = {1, 2, 4, 8, 16, 32};
  static final String LIMIT = "peer(1000/1s, unanswered=1s)";
  private static final String OF_KEYS = "peer(10/1s, unanswered=1s)";
  private static final int GATHERED = 32; // entries, at most: a process gathers no more
  private static final int THREADS = 160; // of all processes

  private final Costs costs = new Costs();

  private Measured() {}

  static Costs measure() throws Exception {
    var measured = new Measured();
    measured.calls();
    measured.keys();
    measured.real();
    int processors = Runtime.getRuntime().availableProcessors();
    measured.costs.put("day", LocalDate.now(ZoneOffset.UTC).toString());
    measured.costs.put(
        "machine", processors + " processors, shared with other programs; Redis 6.2");
    return measured.costs;
  }

  // A straight line through the CPU of calls for records of several sizes.
  private void calls() throws Exception {
    int[] processes = {30, 100, 300, 1000};
    var bytes = new double[processes.length];
    var micros = new double[processes.length];
    for (int i = 0; i < processes.length; i++) {
      try (var server = RedisServer.start(Version.V6_2)) {
        var setting =
            new Fleet.Setting("peer(100/1s, unanswered=1s)", processes[i], 4, 4, 2, false);
        Fleet.Result result = Fleet.run(server, setting, any -> 0, Growth.SEED);
        bytes[i] = result.bytes();
        micros[i] = result.cpu();
        costs.put("call." + processes[i], bytes[i], micros[i]);
      }
    }
    double slope = slope(bytes, micros);
    costs.put("call", Math.max(1, mean(micros) - slope * mean(bytes)));
    costs.put("call.kilobyte", slope * 1024);
  }

  private static double slope(double[] x, double[] y) {
    double above = 0;
    double below = 0;
    for (int i = 0; i < x.length; i++) {
      above += (x[i] - mean(x)) * (y[i] - mean(y));
      below += (x[i] - mean(x)) * (x[i] - mean(x));
    }
    return above / below;
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  private void keys() throws Exception {
    var entries = new double[BATCHES.length];
    var micros = new double[BATCHES.length];
    for (int i = 0; i < BATCHES.length; i++) {
      entries[i] = BATCHES[i];
      micros[i] = KeyCalls.micros(20_000 / (4 + BATCHES[i]), BATCHES[i]);
      costs.put("key.batch." + BATCHES[i], micros[i]);
    }
    double slope = slope(entries, micros);
    costs.put("key.entry", slope);
    costs.put("key.call", Math.max(1, mean(micros) - slope * mean(entries)));
    costs.put("key.most", GATHERED);
    for (int count : STORED) {
      costs.put("key.bytes." + count, KeyCalls.bytes(count));
    }
    double ofPermit = 0;
    for (int count : REAL_KEYS) {
      RealProcesses.Result result = RealProcesses.keys(OF_KEYS, 2, 16, count);
      put("keys.real." + count, result);
      ofPermit += (result.gets() - result.calls()) / result.permits() / REAL_KEYS.length;
    }
    costs.put("key.entries", ofPermit);
  }

  private void real() throws Exception {
    for (int processes : REAL) {
      int threads = Math.max(2, (THREADS + processes - 1) / processes);
      put("real." + processes, RealProcesses.share(LIMIT, processes, threads));
    }
  }

  private void put(String name, RealProcesses.Result result) {
    costs.put(name, result.permits(), result.calls(), result.cpu());
  }
}
