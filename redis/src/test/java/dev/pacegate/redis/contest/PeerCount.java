package dev.pacegate.redis.contest;

import static java.util.Comparator.comparingLong;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Peer;
import dev.pacegate.redis.rig.Arrivals.Arrival;
import java.util.List;
import java.util.function.ToLongFunction;

/** Judges what a peer has counted by the limit of a {@link LimitWorker}. */
final class PeerCount {

  private final String limit;
  private final String origin;

  private PeerCount(String limit, String origin) {
    this.limit = limit;
    this.origin = origin;
  }

  /** Fails, and says the origin, if any interval has more than the limit, of all or of a key. */
  static void judge(String limit, List<Arrival> all, String origin) {
    new PeerCount(limit, origin).judge(all);
  }

  private void judge(List<Arrival> all) {
    int within = limit.indexOf(LimitWorker.WITHIN);
    String whole = within < 0 ? limit : limit.substring(within + LimitWorker.WITHIN.length());
    for (Limit term : Limits.parse(whole.replaceFirst("^" + LimitWorker.COSTS, "")).terms()) {
      judge(term, all);
    }
    for (int key = 0; within >= 0 && key < LimitWorker.KEYS; key++) {
      int of = key;
      judge(
          Limits.parse(limit.substring(0, within)),
          all.stream().filter(each -> each.sender() % Contender.KEYS == of).toList());
    }
  }

  /**
   * A limit of starts counts permits, the others what arrives. What was sent later than the limit
   * says that requests are counted, as its process stood still, is not promised.
   */
  private void judge(Limit term, List<Arrival> all) {
    long bound = Math.max(term.unansweredNanos(), 0);
    boolean starts = bound == 0;
    Audit audit = Audit.of(term instanceof Peer counted ? counted.limit() : term);
    ToLongFunction<Arrival> at = starts ? Arrival::queuedAt : Arrival::at;
    all.stream()
        .filter(each -> starts || each.at() - each.queuedAt() < bound)
        .sorted(comparingLong(at))
        .forEach(each -> audit.add(at.applyAsLong(each), each.until(), cost(each)));
    System.out.printf("storm: %s: %d, %s%n", term, all.size(), audit.verdict().text());
    assertTrue(audit.verdict().kept(), () -> origin + ": " + audit.verdict().text());
  }

  private Cost cost(Arrival arrival) {
    return limit.startsWith(LimitWorker.COSTS)
        ? Cost.of(arrival.sender() % Contender.KEYS)
        : Cost.ONE;
  }
}
