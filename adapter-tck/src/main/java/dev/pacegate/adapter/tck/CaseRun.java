package dev.pacegate.adapter.tck;

import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** A case that runs with one client: its calls, and the faults that are found. */
final class CaseRun implements AutoCloseable {

  /** Makes the client that is judged. */
  interface ClientMaker {
    ClientUnderTest make(Limiter limiter, HttpVersion version) throws Exception;
  }

  static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration LITTLE = Duration.ofMillis(300);
  private static final int NOTHING = -1; // the status if a call has failed

  final Limiter limiter;
  final TestPeer peer;
  final ClientUnderTest client;
  final Set<ClientFeature> features;
  final SplittableRandom random;
  private Duration patience;
  private final ExecutorService threads = Executors.newCachedThreadPool(daemons());
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(daemons());
  private final List<String> faults = new ArrayList<>();

  /** Runs a case and judges it. */
  static CaseResult of(
      AdapterCase of, ClientMaker maker, Set<ClientFeature> features, Duration patience, long seed)
      throws Exception {
    try (var run = new CaseRun(of, maker, features, patience, seed)) {
      of.run(run);
      return run.judge(of);
    }
  }

  private CaseRun(
      AdapterCase of, ClientMaker maker, Set<ClientFeature> features, Duration patience, long seed)
      throws Exception {
    this.features = features;
    this.random = new SplittableRandom(seed);
    this.patience = patience;
    this.limiter = Limiter.of(of.limit);
    this.client = maker.make(limiter, of.version);
    this.peer = new TestPeer(random.nextLong());
  }

  private static ThreadFactory daemons() {
    return work -> {
      var thread = new Thread(work, "adapter under test");
      thread.setDaemon(true);
      return thread;
    };
  }

  ClientCall get(String path) {
    return client.newCall("GET", peer.http1(path), LONG);
  }

  /** Runs a call on a thread of its own; its result is the status, or negative if it fails. */
  Future<Integer> begin(ClientCall call) {
    return threads.submit(() -> status(call));
  }

  private static int status(ClientCall call) {
    try {
      return call.execute();
    } catch (Exception failed) {
      return NOTHING;
    }
  }

  void cancelLater(ClientCall call, int millis) {
    var unused = timer.schedule(call::cancel, millis, TimeUnit.MILLISECONDS);
  }

  /** Runs calls on a few threads until all have returned; returns how many had status 200. */
  int sendAll(int count, int concurrently, URI target, Duration timeout) {
    var left = new ArrayList<ClientCall>();
    for (int i = 0; i < count; i++) {
      left.add(client.newCall("GET", target, timeout));
    }
    return sendAll(left, concurrently);
  }

  int sendAll(int count, String path) {
    return sendAll(count, 8, peer.http1(path), LONG);
  }

  int sendAll(List<ClientCall> calls, int concurrently) {
    var begun = new ArrayList<Future<Integer>>();
    int good = 0;
    for (ClientCall call : calls) {
      if (begun.size() == concurrently) {
        good += ended(begun.remove(0)) == 200 ? 1 : 0;
      }
      begun.add(begin(call));
    }
    for (Future<Integer> each : begun) {
      good += ended(each) == 200 ? 1 : 0;
    }
    return good;
  }

  private int ended(Future<Integer> call) {
    try {
      return call.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      patienceEnds();
      fault("a call did not return");
      return NOTHING;
    } catch (ExecutionException | InterruptedException broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** Waits for a call as long as the patience lasts. */
  boolean ends(Future<Integer> call) {
    return becomes(call::isDone);
  }

  /** Waits for what other threads do as long as the patience lasts. */
  boolean becomes(BooleanSupplier condition) {
    try {
      for (long left = patience.toMillis(); left > 0; left -= 2) {
        if (condition.getAsBoolean()) {
          return true;
        }
        Thread.sleep(2); // polls
      }
      patienceEnds();
      return condition.getAsBoolean();
    } catch (InterruptedException over) {
      throw new IllegalStateException(over);
    }
  }

  /** The case has failed: more of it would take as long. */
  private void patienceEnds() {
    patience = patience.compareTo(LITTLE) < 0 ? patience : LITTLE;
  }

  /** Notes a fault unless something holds. */
  void require(boolean holds, String fault) {
    if (!holds) {
      fault(fault);
    }
  }

  private void fault(String fault) {
    if (!faults.contains(fault)) {
      faults.add(fault);
    }
  }

  /** Judges all that has arrived, and the permits that are left. */
  private CaseResult judge(AdapterCase of) {
    require(becomes(() -> limiter.snapshot().open() == 0), "a permit is left open");
    require(becomes(() -> limiter.snapshot().waiting() == 0), "a request is left in the queue");
    List<Seen> seen = peer.seen();
    Snapshot state = limiter.snapshot();
    if (seen.size() > state.granted()) {
      fault("more requests than permits");
    }
    Audit audit = Audit.of(Limits.parse(of.limit));
    seen.forEach(each -> audit.add(each.arrived, each.ended(), Cost.ONE));
    Report report = audit.report();
    if (!report.kept()) {
      fault("the limit is exceeded");
    }
    return new CaseResult(
        seen.size(),
        state.granted(),
        most(of, seen),
        List.copyOf(faults),
        report.text(at -> TimeUnit.NANOSECONDS.toMicros(at - seen.get(0).arrived) + "us"));
  }

  /** Tells the most that was counted at once. */
  private static String most(AdapterCase of, List<Seen> seen) {
    if (of.counted.startsWith("concurrent")) {
      Audit open = Audit.of(Limits.parse(of.counted));
      seen.forEach(each -> open.add(each.arrived, each.ended(), Cost.ONE));
      return "at most " + open.verdict().measured() + " at once";
    }
    long atArrival = most(of, seen, each -> each.arrived);
    long atEnd = most(of, seen, Seen::ended);
    return "at most " + atArrival + (atEnd == atArrival ? "" : " (" + atEnd + ")");
  }

  /** The most in any interval if each request counts at one instant. */
  private static long most(AdapterCase of, List<Seen> seen, ToLongFunction<Seen> counted) {
    Audit audit = Audit.of(Limits.parse(of.counted));
    seen.stream().mapToLong(counted).sorted().forEach(audit::add);
    return audit.verdict().measured();
  }

  @Override
  public void close() throws Exception {
    threads.shutdownNow();
    timer.shutdownNow();
    peer.close();
    client.close();
    limiter.close();
  }
}
