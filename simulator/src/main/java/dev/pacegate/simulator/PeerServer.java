package dev.pacegate.simulator;

import java.util.ArrayList;
import java.util.List;

/** The running peer: it counts requests by its own clock. */
final class PeerServer {

  /**
   * The fill level of the peer's counter at an instant.
   *
   * @param at the instant
   * @param fullness the level
   */
  record FullnessSample(long at, double fullness) {}

  private final World world;
  private final PeerSide peer;
  private final boolean tracksWork;
  final Counter counter;
  final List<FullnessSample> samples = new ArrayList<>();
  long accepted; // cost
  long refused; // requests
  long worstAt;
  private boolean focused;
  Worst worstInFocus = new Worst(0, 0, 0, 0);

  PeerServer(World world, PeerSide peer, Chance chance) {
    this.world = world;
    this.peer = peer;
    this.tracksWork = peer.rule() instanceof Rule.Open;
    this.counter = Counter.of(peer.rule(), chance);
  }

  /** Returns when a request is counted that arrives and is finished at these instants. */
  long counts(long arrives, long worked, Chance chance) {
    if (tracksWork) {
      return arrives;
    }
    return switch (peer.counts()) {
      case ARRIVAL -> arrives;
      case DISPATCH -> arrives + chance.below(worked - arrives + 1);
      case COMPLETION -> worked;
    };
  }

  void count(Request request) {
    long now = world.now();
    long stamp = peer.clock().stamp(now);
    sample(now, stamp);
    note(request, now, stamp);
    boolean admitted = counter.admits(stamp, request.cost);
    if (admitted) {
      accepted += request.cost;
    } else {
      refused++;
      request.refused = true;
    }
    if (admitted || !peer.refuses()) {
      counter.count(stamp, request.cost);
      if (tracksWork) {
        world.at(request.worked, request::leavePeer);
      }
    }
    sample(now, stamp);
    world.digest(admitted ? 2 : 3, request.id, stamp);
  }

  private void note(Request request, long now, long stamp) {
    if (world.isInFocus(now) && !focused) {
      focused = true;
      counter.forgetWorst();
    }
    long before = counter.most();
    counter.note(stamp, request.cost);
    if (counter.most() != before) {
      worstAt = now;
    }
    if (world.isInFocus(now)) {
      worstInFocus = counter.worst();
    }
  }

  void leave(Request request) {
    long now = world.now();
    long stamp = peer.clock().stamp(now);
    sample(now, stamp);
    counter.end(request.cost);
    sample(now, stamp);
  }

  private void sample(long now, long stamp) {
    if (world.isKept(now)) {
      samples.add(new FullnessSample(now, counter.fullness(stamp)));
    }
  }
}
