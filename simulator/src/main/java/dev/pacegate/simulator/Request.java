package dev.pacegate.simulator;

import dev.pacegate.Permit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request, from when it arises until its permit has ended. Instants are the world's. */
final class Request implements Consumer<Permit> {

  /** How a request ends for its sender. */
  enum Ending {
    ANSWERED(4),
    TIMED_OUT(5),
    BROKEN(6);

    /** The kind of event in the digest. */
    final int kind;

    Ending(int kind) {
      this.kind = kind;
    }
  }

  static final long NEVER = -1;

  private final Sender sender;
  final long id;
  final long cost;
  final long asked;
  long released = NEVER;
  long sent = NEVER;
  long arrives = NEVER;
  long counts = NEVER; // if it gets lost before the peer counts it
  long worked = NEVER;
  long ends = NEVER;
  boolean refused;
  Ending ending = Ending.ANSWERED;
  @Nullable Permit permit;

  Request(Sender sender, long id, long cost, long asked) {
    this.sender = sender;
    this.id = id;
    this.cost = cost;
    this.asked = asked;
  }

  @Override
  public void accept(Permit permit) {
    this.permit = permit;
    sender.world.happen(() -> sender.released(this));
  }

  void send() {
    if (permit != null) {
      permit.sending();
    }
  }

  void count() {
    sender.world.server.count(this);
  }

  void leavePeer() {
    sender.world.server.leave(this);
  }

  void end() {
    sender.ended(this);
  }

  void endPermit() {
    Permit open = permit;
    permit = null;
    if (open == null) {
      return;
    }
    if (ending == Ending.ANSWERED) {
      open.answered();
    } else {
      open.lost();
    }
  }
}
