package dev.pacegate;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was let through and until when it was open, as the permits and the listener tell, for the
 * audit to judge.
 *
 * <p>Every doubt is to the advantage of the limiter, so that a verdict "broken" is never in doubt:
 * an end is noted before the permit is ended.
 */
final class Ledger implements LimiterListener {

  /** How a permit may end, the most lenient for the limiter last. */
  enum End {
    LOST,
    ANSWERED,
    UNUSED
  }

  /** One permit. */
  static final class Use {
    final long start;
    final Cost cost;
    private long end = Long.MAX_VALUE;
    private End how = End.LOST;

    private Use(long start, Cost cost) {
      this.start = start;
      this.cost = cost;
    }

    private synchronized void end(End as, long at) {
      end = Math.min(end, Math.max(at, start));
      how = as.compareTo(how) > 0 ? as : how;
    }
  }

  private record Start(long instant, Cost cost) {}

  final AtomicLong delivered = new AtomicLong();
  final AtomicLong jobs = new AtomicLong();
  private final AtomicLong left = new AtomicLong();
  private final Queue<Start> starts = new ConcurrentLinkedQueue<>();
  private final Queue<Use> uses = new ConcurrentLinkedQueue<>();
  private final long unanswered;

  /** {@code unanswered} is for how long a lost permit stays open at the least. */
  Ledger(long unanswered) {
    this.unanswered = unanswered;
  }

  @Override
  public void onRelease(Cost cost, long instant, long waited) {
    starts.add(new Start(instant, cost));
  }

  @Override
  public void onLeave(Cost cost, long waited) {
    left.incrementAndGet();
  }

  Use delivered(Permit permit, Cost cost) {
    delivered.incrementAndGet();
    var use = new Use(permit.releasedAt(), cost);
    uses.add(use);
    return use;
  }

  /** A job whose permit is not seen: it was open from the job's start to its end at the least. */
  Use began(Cost cost) {
    jobs.incrementAndGet();
    var use = new Use(System.nanoTime(), cost);
    uses.add(use);
    return use;
  }

  void ends(Use use, End how) {
    use.end(how, System.nanoTime());
  }

  long released() {
    return starts.size();
  }

  long left() {
    return left.get();
  }

  /** Returns what was broken. */
  List<String> judge(Limit limit) {
    var broken = new ArrayList<String>();
    for (Promise promise : limit.promises()) {
      Verdict verdict = judge(promise);
      if (!verdict.kept()) {
        broken.add(verdict.text());
      }
    }
    return broken;
  }

  private Verdict judge(Promise promise) {
    Audit audit = Audit.of(List.of(promise));
    if (isOfWhole(promise)) {
      uses.stream()
          .filter(use -> use.how != End.UNUSED || promise instanceof Promise.Open)
          .sorted(Comparator.comparingLong(use -> use.start))
          .forEach(use -> audit.add(use.start, endOf(use, promise), use.cost));
    } else {
      starts.stream()
          .sorted(Comparator.comparingLong(Start::instant))
          .forEach(start -> audit.add(start.instant, start.cost));
    }
    return audit.verdict();
  }

  private long endOf(Use use, Promise promise) {
    boolean lasts = use.how == End.LOST && !(promise instanceof Promise.Open);
    return lasts ? Math.max(use.end, use.start + unanswered) : use.end;
  }

  private static boolean isOfWhole(Promise promise) {
    return promise instanceof Promise.Open
        || promise instanceof Promise.AtMost most && most.countsWhole()
        || promise instanceof Promise.Refilled bucket && bucket.countsWhole()
        || promise instanceof Promise.Gap gap && gap.countsWhole();
  }
}
