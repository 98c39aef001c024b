package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Waiter.State;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Chain;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.limit.Cost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares what is kept beside the queue with who waits in it. For callers that hold the gate. */
final class QueueCheck {

  private final WaitQueue queue;
  private final FairQueue lines;
  private final Pools pools;
  private final FutureCompleter completer;
  private final Findings findings;
  private final Map<Pool, Cost> called = new HashMap<>();
  private final List<Waiter> calledWaiters = new ArrayList<>();

  QueueCheck(EngineState state, Findings findings) {
    this.queue = Fields.get(state, "queue", WaitQueue.class);
    this.lines = Fields.get(queue, "lanes", FairQueue.class);
    this.pools = Fields.get(state, "pools", Pools.class);
    this.completer = Fields.get(state, "completer", FutureCompleter.class);
    this.findings = findings;
  }

  /** Returns the lanes in which a request waits. */
  List<Lane> inUse() {
    Chain<Lane> lanes = Fields.get(lines, "lanes", Chain.class);
    return findings.members("the lanes with waiters", lanes);
  }

  /** Looks at all lanes that are {@code known}, in use or not. */
  void look(Set<Lane> known) {
    List<Lane> inUse = inUse();
    int waiting = 0;
    boolean called = true;
    for (Lane lane : inUse) {
      findings.holds("lanes with called waiters stand first", called || !lane.hasCalled());
      called = lane.hasCalled();
      waiting += look(lane);
    }
    findings.equal("all waiters in lanes", lines.waiting(), waiting);
    lookAtTurns(inUse);
    for (Lane lane : known) {
      if (!inUse.contains(lane)) {
        isEmpty(lane);
      }
    }
    lookAtCalls(known);
    lookAtLate(known);
    lookAtArrivals(inUse);
    lookAtReady();
    if (queue.waiting() == 0) {
      lookAtRest();
    }
  }

  // ---- one lane

  private int look(Lane lane) {
    String what = EngineCheck.text(lane);
    Chain<Waiter> chain = Fields.get(lane, "waiters", Chain.class);
    List<Waiter> waiters = findings.members("the waiters of " + what, chain);
    findings.holds(what + " has waiters, as it is among the lanes that do", !waiters.isEmpty());
    findings.holds(what + " is in use, so it was not dropped", !EngineCheck.isDropped(lane));
    Cost all = Cost.none();
    Waiter firstUncalled = null;
    long order = 0;
    for (Waiter waiter : waiters) {
      all = all.plus(waiter.cost);
      findings.holds(what + ": a waiter knows its lane", waiter.lane == lane);
      findings.holds(what + ": waiters stand in the order of their coming", waiter.order > order);
      order = waiter.order;
      findings.holds(what + ": a waiter has no permit yet", waiter.permit == null);
      findings.holds(what + ": a waiter is not refused", waiter.refusal == null);
      if (firstUncalled == null && waiter.state == State.WAITING) {
        firstUncalled = waiter;
      }
      look(what, waiter, firstUncalled);
    }
    findings.sum("the costs of all waiters of " + what, lane.all(), all);
    findings.holds(
        "the watch of " + what + " is the first uncalled", lane.watch() == firstUncalled);
    boolean looks = firstUncalled == null || lane.place >= 0 || lane.absent;
    findings.holds("the turn of " + what + " may come, or it waits for its own pool", looks);
    if (firstUncalled instanceof FutureWaiter && firstUncalled.wakesAt != Clock.FOREVER) {
      findings.holds("the watch of " + what + " has an alarm", lane.alarm != null);
    }
    return waiters.size();
  }

  private void look(String what, Waiter waiter, @Nullable Waiter watch) {
    State right = watch == null ? State.CALLED : State.WAITING;
    findings.equal(what + ": the state of a waiter", waiter.state, right);
    if (waiter != watch) {
      findings.equal(what + ": when a waiter wakes itself", waiter.wakesAt, Clock.FOREVER);
    }
    if (waiter.state == State.CALLED) {
      calledWaiters.add(waiter);
      add(pools.whole, waiter);
      if (waiter.lane.own != null) {
        add(waiter.lane.own, waiter);
      }
      for (Lane group : waiter.lane.around) {
        add(group.pool(), waiter);
      }
      findings.equal(
          what + ": whether a waiter is called to a second pool",
          waiter.calledTo != null,
          pools.common != null);
      if (waiter.calledTo != null) {
        add(waiter.calledTo, waiter);
      }
    }
  }

  private void add(Pool pool, Waiter waiter) {
    called.merge(pool, waiter.cost, Cost::plus);
  }

  private void isEmpty(Lane lane) {
    String what = EngineCheck.text(lane) + ", where nobody waits: ";
    findings.equal(what + "waiters", lane.size(), 0);
    findings.sum(what + "their cost", lane.all(), Cost.none());
    findings.holds(what + "no watch", lane.watch() == null);
    findings.equal(what + "its place among the turns", lane.place, -1);
    findings.holds(what + "no alarm", lane.alarm == null);
  }

  // ---- turns

  private void lookAtTurns(List<Lane> inUse) {
    TurnOrder all = Fields.get(lines, "all", TurnOrder.class);
    Set<TurnOrder> turns = new HashSet<>(Set.of(all));
    for (Lane lane : inUse) {
      for (TurnOrder in = lane.in; in != null; in = in.outer) {
        turns.add(in);
      }
    }
    Set<TurnTaker<?>> placed = new HashSet<>();
    turns.forEach(each -> lookAtHeaps(each, inUse, placed));
    for (Lane lane : inUse) {
      boolean isIn = lane.place < 0 || placed.contains(lane);
      findings.holds(EngineCheck.text(lane) + " is at its place among the turns", isIn);
    }
    for (TurnOrder group : turns) {
      boolean looks = group == all || !group.isReady() || placed.contains(group) || group.absent;
      findings.holds("the turn of a group may come, or it waits for its own pool", looks);
      findings.equal("whether a group is in its place", group.place >= 0, placed.contains(group));
    }
  }

  private void lookAtHeaps(TurnOrder turns, List<Lane> inUse, Set<TurnTaker<?>> placed) {
    lookAtHeap(turns, Fields.get(turns, "heap", TurnHeap.class), inUse, placed);
    List<TurnHeap> reserving = Fields.get(turns, "reserving", List.class);
    reserving.forEach(share -> lookAtHeap(turns, share, inUse, placed));
  }

  private void lookAtHeap(
      TurnOrder turns, TurnHeap share, List<Lane> inUse, Set<TurnTaker<?>> placed) {
    List<TurnTaker<?>> heap = Fields.get(share, "heap", List.class);
    findings.holds("none lets others go before between visits", !share.isAside);
    for (int place = 0; place < heap.size(); place++) {
      TurnTaker<?> taker = heap.get(place);
      placed.add(taker);
      String what = "a lane among the turns, " + text(taker) + ": ";
      findings.equal(what + "its place", taker.place, place);
      findings.holds(what + "has a watch", taker.isReady());
      boolean isOfShare = turns.outer != null || taker.reserve() == share.reserve;
      findings.holds(what + "is among those of its share", isOfShare);
      if (taker instanceof Lane lane) {
        findings.holds(what + "has waiters", inUse.contains(lane));
        findings.holds(what + "stands there", lane.in == turns);
      } else {
        findings.holds(what + "stands there", ((TurnOrder) taker).outer == turns);
      }
      if (place > 0 && taker.isReady()) {
        goesNotBefore(taker, heap.get((place - 1) / 2));
      }
    }
  }

  private static String text(TurnTaker<?> taker) {
    return taker instanceof Lane lane ? EngineCheck.text(lane) : "a group";
  }

  private void goesNotBefore(TurnTaker<?> taker, TurnTaker<?> above) {
    boolean before =
        above.isReady()
            && (taker.turn != above.turn
                ? taker.turn - above.turn < 0
                : taker.waitedSince() < above.waitedSince());
    findings.holds(text(taker) + " goes after the one above it", !before);
  }

  // ---- calls

  private void lookAtCalls(Set<Lane> known) {
    sumOfCalls("all lanes", pools.whole);
    if (pools.common != null) {
      sumOfCalls("lanes beyond their reserved shares", pools.common);
    }
    for (Lane lane : known) {
      if (lane.own != null) {
        sumOfCalls(EngineCheck.text(lane), lane.own);
      }
      if (lane.reserve() != null) {
        sumOfCalls("the reserved share of " + EngineCheck.text(lane), lane.reserve());
      }
    }
  }

  private void sumOfCalls(String of, Pool pool) {
    findings.sum(
        "the costs of called waiters of " + of,
        pool.called(),
        called.getOrDefault(pool, Cost.none()));
  }

  /** Waiters that were called but have not come, and those that may become such. */
  private void lookAtLate(Set<Lane> known) {
    Map<Lane, Integer> late = new HashMap<>();
    for (FutureWaiter waiter : queue.late()) {
      late.merge(waiter.lane, 1, Integer::sum);
      findings.equal("the state of a late waiter", waiter.state, State.LATE);
      findings.holds("a late waiter has no permit yet", waiter.permit == null);
    }
    for (Lane lane : known) {
      String what = "late waiters of " + EngineCheck.text(lane);
      findings.equal(what, lane.late, late.getOrDefault(lane, 0));
    }
    NoShows noShows = Fields.find(queue, "noShows", NoShows.class);
    for (Waiter waiter : calledWaiters) {
      if (waiter instanceof FutureWaiter future && future.own != null) {
        ArrayDeque<FutureWaiter> sentFor =
            Fields.get(requireNonNull(noShows), "sentFor", ArrayDeque.class);
        findings.holds("a thread is expected for a called future", sentFor.contains(future));
        findings.holds(
            "an alarm waits for that thread", Fields.find(noShows, "alarm", Alarm.class) != null);
      }
    }
  }

  /** All that wait, in the order of their coming. */
  private void lookAtArrivals(List<Lane> inUse) {
    Set<Waiter> waiting = new HashSet<>(queue.late());
    for (Lane lane : inUse) {
      for (Waiter waiter = lane.first(); waiter != null; waiter = waiter.next) {
        waiting.add(waiter);
      }
    }
    Arrivals arrivals = Fields.find(lines, "arrivals", Arrivals.class);
    if (arrivals == null) {
      findings.equal("the requests that wait, if none has waited", 0, waiting.size());
      return;
    }
    int listed = 0;
    Waiter before = null;
    Waiter next = Fields.find(arrivals, "oldest", Waiter.class);
    while (next != null) {
      findings.holds("a request that is listed waits", waiting.contains(next));
      findings.holds("a request knows the one that came before", next.earlier == before);
      findings.holds("requests stand in order", before == null || before.order < next.order);
      listed++;
      before = next;
      next = next.later;
    }
    findings.equal("the requests in order of arrival", listed, waiting.size());
    findings.holds(
        "the newest is the last", Fields.find(arrivals, "newest", Waiter.class) == before);
  }

  /** Futures that the limiter's executor completes. */
  private void lookAtReady() {
    ArrayDeque<FutureWaiter> ready = Fields.find(completer, "ready", ArrayDeque.class);
    if (ready != null && !ready.isEmpty()) {
      findings.holds("a thread was sent to futures", Fields.flag(completer, "completing"));
      findings.holds(
          "an alarm waits for that thread", Fields.find(completer, "rescue", Alarm.class) != null);
      ready.forEach(future -> findings.holds("a future to complete is marked so", future.queued));
    }
    for (Waiter waiter : calledWaiters) {
      if (waiter instanceof FutureWaiter future && future.own == null) {
        findings.holds(
            "a called future is to be completed",
            future.queued && ready != null && ready.contains(future));
      }
    }
  }

  private void lookAtRest() {
    HandOver handOver = Fields.find(queue, "handOver", HandOver.class);
    if (handOver != null) {
      findings.holds(
          "no alarm watches over threads when none waits",
          Fields.find(handOver, "alarm", Alarm.class) == null);
    }
  }
}
