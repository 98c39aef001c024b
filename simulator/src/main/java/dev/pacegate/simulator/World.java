package dev.pacegate.simulator;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Timer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running world in virtual time: one queue of events, one stream of random numbers, no wall
 * clock. Its limiter is a real one.
 *
 * <p>The result depends on the scenario alone, to the last bit: {@link SimulationResult#digest} is
 * computed from every event.
 */
final class World {

  private final ManualTime time = ManualTime.manual();
  private final Scenario scenario;
  private final Sender sender;
  private final List<Request> kept = new ArrayList<>();
  final PeerServer server;
  final long unanswered; // how long a lost request is held; 0 if its end does not matter
  private long keepFrom = Long.MAX_VALUE;
  private long keepTo;
  private long focusFrom = Long.MAX_VALUE;
  private @Nullable Counter atStart; // what the peer would find if requests took no time
  private long digest = 0x243F6A8885A308D3L;
  private long events;
  private @Nullable Throwable failure;

  World(Scenario scenario, Pacer.Maker maker) {
    this.scenario = scenario;
    this.unanswered = scenario.limit().unansweredNanos();
    var chance = new Chance(scenario.seed());
    this.server = new PeerServer(this, scenario.peer(), chance.split());
    this.sender = new Sender(this, scenario, maker, chance.split());
  }

  /**
   * Records requests that are released or counted between two instants, and what the peer would
   * find if each reached it, and ended there, just when the program says so.
   */
  World keeping(long from, long to) {
    keepFrom = from;
    keepTo = to;
    atStart = Counter.of(scenario.peer().rule(), new Chance(scenario.seed()));
    return this;
  }

  /** Looks for the worst anew, from an instant on as long as requests are recorded. */
  World focusing(long from) {
    focusFrom = from;
    return this;
  }

  /** Runs all events. */
  SimulationResult run() {
    sender.start();
    while (failure == null && !sender.isDone() && time.advanceToNext()) {
      events++;
    }
    sender.close();
    while (time.advanceToNext()) {
      events++; // counted after its permit has ended
    }
    check();
    if (!sender.isDone()) {
      throw new IllegalStateException(
          "only "
              + sender.released
              + " of "
              + scenario.sends()
              + " requests could ever be released under "
              + scenario.limit());
    }
    return SimulationResult.of(scenario, sender, server, digest, events);
  }

  long now() {
    return time.nanoTime();
  }

  Timer.Scheduled at(long instant, Runnable event) {
    if (instant < 0) {
      throw new IllegalStateException("the run would last longer than 292 years");
    }
    return time.at(instant, () -> happen(event));
  }

  /** Runs an event and keeps its failure, which neither the queue nor a future would pass on. */
  void happen(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException | Error e) {
      failure = failure == null ? e : failure;
    }
  }

  private void check() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  void digest(long kind, long id, long instant) {
    long mixed = (digest ^ (instant + (id << 3) + kind)) * 0x9E3779B97F4A7C15L;
    digest = mixed ^ (mixed >>> 29);
  }

  void starts(Request request) {
    if (atStart != null) {
      atStart.note(request.released, request.cost);
      atStart.count(request.released, request.cost);
    }
    if (isKept(request.released) || isKept(request.counts)) {
      kept.add(request);
    }
  }

  void ends(Request request) {
    if (atStart != null) {
      atStart.end(request.cost);
    }
  }

  boolean isKept(long instant) {
    return instant >= keepFrom && instant <= keepTo;
  }

  boolean isInFocus(long instant) {
    return instant >= focusFrom && instant <= keepTo;
  }

  List<Request> kept() {
    return kept;
  }

  /** Returns the worst of what the program starts, whatever happens on the way. */
  Worst worstAtStart() {
    return requireNonNull(atStart).worst();
  }
}
