package dev.pacegate.simulator;

import org.jspecify.annotations.Nullable;

/** The peer at work: it counts what comes, by its own clock. */
final class Site {

  private final World world;
  private final PeerSide peer;
  private final boolean tracksWork;
  final Counter counter;
  long counted; // cost, without what was refused
  long refused; // requests
  long worstAt;
  @Nullable Request worstOf;

  Site(World world, PeerSide peer, Chance chance) {
    this.world = world;
    this.peer = peer;
    this.tracksWork = peer.rule() instanceof Rule.Open;
    this.counter = Counter.of(peer.rule(), chance);
  }

  /** Says when a request that arrives and is worked on at these instants is counted. */
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
    long before = counter.most();
    counter.note(stamp, request.cost);
    if (counter.most() != before) {
      worstAt = now;
      worstOf = request;
    }
    boolean admitted = counter.admits(stamp, request.cost);
    if (!admitted) {
      refused++;
      request.refused = true;
    }
    if (admitted || !peer.refuses()) {
      counter.count(stamp, request.cost);
      counted += request.cost;
      if (tracksWork) {
        world.at(request.worked, request::leavePeer);
      }
    }
    world.digest(admitted ? 2 : 3, request.id, stamp);
  }

  void leave(Request request) {
    counter.end(request.cost);
  }
}
