package dev.pacegate.redis.contest;

import dev.pacegate.redis.rig.Arrivals.Arrival;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.PeerProcess;
import dev.pacegate.redis.rig.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Four processes share a limit while servers take each other's place, and processes die with their
 * permits. A peer in a process of its own counts, and never counts too many; after each event all
 * processes send again. Used by one thread.
 */
final class FailoverStorm implements AutoCloseable {

  /** What happens to the servers. */
  enum Event {
    KILLED("the primary is killed"),
    RESTARTED("it is started again, empty"),
    STOPPED("the primary stands still for 6 s and goes on"),
    REJOINED("it learns that it was replaced"),
    CUT_OFF("the primary is cut off from other servers"),
    HEALED("it is cut off no more"),
    FAILED_BACK("it is made the primary again"),
    MOVED("the slot moves to another primary");

    final String text;

    Event(String text) {
      this.text = text;
    }
  }

  /**
   * What has been seen of an event. Times are in nanoseconds.
   *
   * @param takeover until the other servers agree on another primary, or 0 if there is no such one
   * @param goesOn the longest time without a request
   * @param allGoOn the longest time in which some process sent none
   */
  record Seen(Event event, long takeover, long goesOn, long allGoOn) {}

  /** An event, until all processes that lived have sent after it. */
  private record Span(Event event, long from, long takenOver, long to, Set<Integer> alive) {}

  static final int PROCESSES = 4;
  static final int THREADS = 8;

  /** As many as the widest limit lets through in a second. */
  private static final int FULL = 100;

  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final Duration STANDSTILL = Duration.ofSeconds(6);

  private final Fleet fleet;
  private final String limit;
  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final PeerProcess peer;
  private final List<Child> workers = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final Set<Integer> dead = new HashSet<>(); // processes
  private boolean rejoins; // a server that stood still

  private FailoverStorm(Fleet fleet, String limit) throws Exception {
    this.fleet = fleet;
    this.limit = limit;
    System.out.printf("storm: %s, %s, seed %d%n", fleet.getClass().getSimpleName(), limit, seed);
    this.peer = PeerProcess.start(seed);
  }

  /** Starts the processes, and waits until all have sent. */
  static FailoverStorm start(Fleet fleet, String limit) throws Exception {
    var storm = new FailoverStorm(fleet, limit);
    try {
      long from = System.nanoTime();
      for (int i = 0; i < PROCESSES; i++) {
        storm.workers.add(storm.worker(i));
      }
      for (Child worker : storm.workers) {
        begin(worker);
      }
      storm.awaitAll("the start", from);
      return storm;
    } catch (Throwable e) {
      storm.close();
      throw e;
    }
  }

  private Child worker(int process) throws Exception {
    var load =
        new Load(
            fleet.uri(process),
            "api",
            0,
            Duration.ZERO,
            peer.port(),
            process,
            THREADS,
            Duration.ofHours(1), // until it is ended
            limit);
    return Child.start(LimitWorker.class, load.toArguments());
  }

  /** Lets an event happen, and those that belong to it. By chance a process dies just before. */
  void let(Event event) throws Exception {
    let(event, random.nextBoolean());
  }

  /** As the other; a process dies just before if so is said. */
  void let(Event event, boolean aProcessDies) throws Exception {
    settle();
    awaitFull();
    if (aProcessDies) {
      int process = random.nextInt(PROCESSES);
      dead.add(process);
      workers.get(process).kill9();
    }
    String name =
        limit.contains(LimitWorker.WITHIN) && random.nextBoolean() ? LimitWorker.KEYED : "api";
    RedisNode primary = fleet.primary(name);
    switch (event) {
      case KILLED -> kill(primary, name);
      case STOPPED -> standStill(primary, name);
      case CUT_OFF -> cutOff(primary, name);
      case MOVED -> move(name);
      default -> throw new IllegalArgumentException(event + " follows another");
    }
    replaceTheDead();
  }

  /** Waits until the limit is used, so that what is forgotten leads to an excess. */
  private void awaitFull() throws Exception {
    int before = peer.count();
    Await.until(
        () -> "the limit is used; " + limit + ", seed " + seed + "\n" + errors(),
        LONGEST,
        () -> peer.count() - before >= FULL);
  }

  private void replaceTheDead() throws Exception {
    long since = System.nanoTime();
    for (int process : dead) {
      workers.get(process).close();
      workers.set(process, worker(process));
      begin(workers.get(process));
    }
    dead.clear();
    awaitAll("processes were started anew", since);
  }

  private static void begin(Child worker) throws Exception {
    worker.line("ready", LONGEST);
    worker.write("go");
  }

  /** Lets events happen for so long, in random order. */
  void rage(Duration length) throws Exception {
    Event[] events = {Event.KILLED, Event.STOPPED, Event.CUT_OFF, Event.MOVED};
    long until = System.nanoTime() + length.toNanos();
    for (int i = 0; until - System.nanoTime() > 0; i++) {
      // Each at once, the rest by chance.
      let(i < events.length ? events[i] : events[random.nextInt(events.length)]);
      Thread.sleep(random.nextInt(1500)); // calm
    }
    settle();
  }

  private void kill(RedisNode primary, String name) throws Exception {
    long from = System.nanoTime();
    primary.kill9();
    fleet.awaitReplaced(primary, name);
    end(Event.KILLED, from, System.nanoTime());
    from = System.nanoTime();
    primary.restart();
    fleet.awaitHealthy();
    end(Event.RESTARTED, from, from);
    failBack(primary);
  }

  private void failBack(RedisNode former) throws Exception {
    long from = System.nanoTime();
    fleet.failBack(former);
    end(Event.FAILED_BACK, from, System.nanoTime());
  }

  private void standStill(RedisNode primary, String name) throws Exception {
    long from = System.nanoTime();
    primary.stop();
    fleet.awaitReplaced(primary, name);
    long takenOver = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(STANDSTILL.toNanos() - (takenOver - from));
    primary.cont();
    end(Event.STOPPED, from, takenOver);
    rejoins = true;
  }

  /** Waits until a server that was replaced has learnt of it. */
  private void settle() throws Exception {
    if (rejoins) {
      long from = System.nanoTime();
      fleet.awaitHealthy();
      end(Event.REJOINED, from, from);
      rejoins = false;
    }
  }

  private void cutOff(RedisNode primary, String name) throws Exception {
    long from = System.nanoTime();
    fleet.cutOff(primary);
    fleet.awaitReplaced(primary, name);
    end(Event.CUT_OFF, from, System.nanoTime());
    from = System.nanoTime();
    fleet.heal();
    fleet.awaitHealthy();
    end(Event.HEALED, from, from);
    failBack(primary);
  }

  private void move(String name) throws Exception {
    long from = System.nanoTime();
    if (fleet.moveSlot(name)) {
      end(Event.MOVED, from, System.nanoTime());
      fleet.awaitHealthy();
    }
  }

  private void end(Event event, long from, long takenOver) throws Exception {
    long to = awaitAll(event.text, System.nanoTime());
    spans.add(new Span(event, from, takenOver, to, alive()));
    System.out.printf(
        "storm: %s: taken over after %d ms, all sent after %d ms, replaced %d times in all%n",
        event, (takenOver - from) / 1_000_000, (to - from) / 1_000_000, fleet.replacements());
  }

  /** Waits until all processes that live have sent since an instant; returns when they had. */
  private long awaitAll(String after, long since) throws Exception {
    Set<Integer> all = alive();
    Await.until(
        () -> "all send after " + after + "; " + limit + ", seed " + seed + "\n" + errors(),
        LONGEST,
        () ->
            peer.sendersSince(since).stream()
                .map(FailoverStorm::process)
                .collect(Collectors.toSet())
                .containsAll(all));
    return System.nanoTime();
  }

  private Set<Integer> alive() {
    return IntStream.range(0, PROCESSES)
        .filter(process -> !dead.contains(process))
        .boxed()
        .collect(Collectors.toSet());
  }

  private static int process(int sender) {
    return sender / Contender.KEYS;
  }

  private String errors() {
    return workers.stream().map(Child::stderr).collect(Collectors.joining("\n---\n"));
  }

  /** Fails if the peer has counted too many; returns what was seen of each event. */
  List<Seen> judge() throws Exception {
    List<Arrival> arrivals = peer.arrivals().list();
    for (Child worker : workers) {
      System.out.println("storm: lines in a log: " + worker.stderr().lines().count());
    }
    PeerCount.judge(limit, arrivals, limit + ", seed " + seed);
    return spans.stream().map(span -> seen(span, arrivals)).toList();
  }

  private static Seen seen(Span span, List<Arrival> arrivals) {
    long allGoOn = 0;
    for (int process : span.alive) {
      List<Arrival> of =
          arrivals.stream().filter(each -> process(each.sender()) == process).toList();
      allGoOn = Math.max(allGoOn, longestPause(span, of));
    }
    return new Seen(span.event, span.takenOver - span.from, longestPause(span, arrivals), allGoOn);
  }

  private static long longestPause(Span span, List<Arrival> arrivals) {
    long last = span.from;
    long longest = 0;
    for (Arrival arrival : arrivals) {
      if (arrival.at() - span.from >= 0 && arrival.at() - span.to <= 0) {
        longest = Math.max(longest, arrival.at() - last);
        last = arrival.at();
      }
    }
    return longest;
  }

  @Override
  public void close() throws Exception {
    for (Child worker : workers) {
      worker.close();
    }
    peer.close();
  }
}
