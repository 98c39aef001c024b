package dev.pacegate.simulator.estimate;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;

/** A random log: requests in the order of their starts, instants counted from the log's origin. */
record RandomLog(List<Request> requests) {

  record Request(long start, long end, long cost) {}

  /** Where the clock may have its origin: the last one makes it wrap within the log. */
  static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  /**
   * Calls {@code law} with many random logs whose gaps are about {@code scale}, and their names.
   */
  static void forMany(int count, long scale, BiConsumer<RandomLog, String> law) {
    for (int seed = 0; seed < count; seed++) {
      law.accept(random(new Random(seed), scale), "seed " + seed);
    }
  }

  private static RandomLog random(Random random, long scale) {
    var requests = new ArrayList<Request>();
    int size = random.nextInt(40);
    long largestCost = 1 + random.nextInt(4) * 5L;
    boolean ends = random.nextBoolean();
    long now = 0;
    for (int i = 0; i < size; i++) {
      now += gap(random, scale);
      long end = ends ? now + gap(random, scale) : now;
      requests.add(new Request(now, end, random.nextInt(10) == 0 ? 0 : cost(random, largestCost)));
    }
    return new RandomLog(requests);
  }

  /** Clusters, equal instants, gaps of exactly the scale and a nanosecond beside, long pauses. */
  private static long gap(Random random, long scale) {
    return switch (random.nextInt(8)) {
      case 0, 1 -> 0;
      case 2 -> random.nextInt(3);
      case 3 -> scale - 1 + random.nextInt(3);
      case 4 -> random.nextLong(2 * scale);
      case 5 -> random.nextInt(5) == 0 ? random.nextLong(20 * scale) : 0;
      default -> random.nextLong(scale / 5 + 1);
    };
  }

  private static long cost(Random random, long largest) {
    return 1 + random.nextLong(largest);
  }

  /** Returns the requests that cost anything. */
  List<Request> counted() {
    return requests.stream().filter(r -> r.cost > 0).toList();
  }

  /** Returns the verdict on {@code promise} if the clock has its origin at {@code origin}. */
  Verdict audit(Promise promise, long origin) {
    var audit = Audit.of(List.of(promise));
    for (Request request : requests) {
      audit.add(origin + request.start, origin + request.end, Cost.of(request.cost));
    }
    return audit.verdict();
  }
}
