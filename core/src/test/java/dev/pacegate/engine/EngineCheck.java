package dev.pacegate.engine;

import dev.pacegate.engine.keys.KeyLane;
import dev.pacegate.engine.keys.KeyLanes;
import dev.pacegate.engine.keys.RestQueue;
import dev.pacegate.gate.Gate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Compares everything that an engine keeps twice: sums beside their parts, counts beside lists,
 * links forth and back. It looks while it holds the gate, so other threads may still be at work,
 * and changes nothing.
 */
final class EngineCheck {

  private static final int TRIES = 200;
  private static final long BETWEEN_NANOS = 1_000_000;
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Gate.class, "word", int.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final EngineMonitor engine;
  private final Findings findings = new Findings();

  private EngineCheck(EngineMonitor engine) {
    this.engine = engine;
  }

  /**
   * Returns what is broken in an engine, and in the lanes of keys in {@code keys} that are its own;
   * null if some thread holds its gate for long.
   */
  static @Nullable List<String> broken(
      EngineMonitor engine, Collection<? extends KeyLane<?>> keys) {
    int word = enter(engine.gate);
    if (engine.needsRepair && word != Gate.HELD) {
      engine.gate.leave(word);
      engine.run(visit -> {}); // as any caller's next visit, it mends what an error has left
      word = enter(engine.gate);
    }
    if (word == Gate.HELD) {
      return null;
    }
    try {
      var check = new EngineCheck(engine);
      check.look(keys, word);
      return check.findings.broken();
    } finally {
      engine.gate.leave(word);
    }
  }

  /** Enters the gate, and returns its word; {@link Gate#HELD} if it cannot. */
  private static int enter(Gate gate) {
    for (int i = 0; i < TRIES; i++) {
      int word = gate.word;
      if (word != Gate.HELD && WORD.compareAndSet(gate, word, Gate.HELD)) {
        return word;
      }
      LockSupport.parkNanos(BETWEEN_NANOS);
    }
    return Gate.HELD;
  }

  private void look(Collection<? extends KeyLane<?>> keys, int word) {
    EngineState state = engine.state;
    var queue = new QueueCheck(state, findings);
    var permits = new PermitCheck(state, findings);
    Set<Lane> known = new HashSet<>();
    known.addAll(engine.lanes);
    known.addAll(queue.inUse());
    known.addAll(permits.inUse());
    for (KeyLane<?> lane : keys) {
      if (keysOf(lane).engine == engine) {
        known.add(lane);
      }
    }
    queue.look(known);
    permits.look(known);
    lookAtKeys(known);
    lookAtWhole(word);
  }

  private void lookAtWhole(int word) {
    EngineState state = engine.state;
    WaitQueue queue = Fields.get(state, "queue", WaitQueue.class);
    Pools pools = Fields.get(state, "pools", Pools.class);
    PermitLedger permits = Fields.get(state, "permits", PermitLedger.class);
    findings.holds(
        "requests at once are asked of the meter in force",
        Fields.get(state, "meter", Object.class) == pools.whole.meter());
    findings.equal("simple permits", Fields.flag(state, "simple"), permits.areSimple());
    if (state.isClosed()) {
      findings.equal("waiters of a closed limiter", queue.waiting(), 0);
    }
    if (word == Gate.FREE) {
      findings.holds("nobody's turn may have come while the gate is free", !queue.hasReadyLane());
      findings.equal("called while the gate is free", pools.whole.called().calls(), 0L);
      findings.holds("a closed gate is not free", !state.isClosed());
      findings.holds("the gate is not free in dry-run mode", !queue.isObserving());
    }
  }

  // ---- keys

  private void lookAtKeys(Set<Lane> known) {
    Set<KeyLanes<?>> all = new HashSet<>();
    known.forEach(
        lane -> {
          if (lane instanceof KeyLane<?> ofKey) {
            all.add(keysOf(ofKey));
          }
        });
    for (KeyLanes<?> keys : all) {
      Set<@Nullable KeyLane<?>> resting = lookAtResting(keys);
      for (Lane lane : known) {
        if (lane instanceof KeyLane<?> ofKey && ofKey.isOf(keys) && !keys.isClosed()) {
          findings.equal(
              "whether a key that may be at rest is in that queue",
              ofKey.awaitsRest,
              resting.contains(ofKey));
        }
      }
    }
  }

  private Set<@Nullable KeyLane<?>> lookAtResting(KeyLanes<?> keys) {
    Object watch = Fields.get(keys, "rest", Object.class);
    RestQueue<?> queue = Fields.get(watch, "resting", RestQueue.class);
    @Nullable KeyLane<?>[] heap = Fields.get(queue, "heap", KeyLane[].class);
    int size = Fields.number(queue, "size");
    Set<@Nullable KeyLane<?>> resting = new HashSet<>();
    for (int place = 0; place < heap.length; place++) {
      KeyLane<?> lane = heap[place];
      findings.equal("a key in the queue of those at rest", lane != null, place < size);
      if (lane != null) {
        findings.holds("a key is in that queue once", resting.add(lane));
        findings.holds("a dropped key is not in that queue", !lane.isDropped());
        KeyLane<?> above = place == 0 ? null : heap[(place - 1) / 2];
        boolean later = above == null || above.restsAt <= lane.restsAt;
        findings.holds("who rests first is first in that queue", later);
      }
    }
    return resting;
  }

  static KeyLanes<?> keysOf(KeyLane<?> lane) {
    return Fields.get(lane, "keys", KeyLanes.class);
  }

  static boolean isDropped(Lane lane) {
    return lane instanceof KeyLane<?> ofKey && ofKey.isDropped();
  }

  /** Names a lane; no key, as its text is user code. */
  static String text(Lane lane) {
    String lanes = "lane " + lane.standing.name();
    return lane instanceof KeyLane ? "a key's " + lanes : lanes;
  }
}
