package dev.pacegate.change;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays a script on something that limits, and tells an oracle what comes of it. */
final class ChangePlay {

  private static final long LONGEST_WAIT = 60_000_000_000L;

  /** Something that limits, by a clock of its own that begins at 0. */
  interface Subject extends AutoCloseable {
    long now();

    void pass(long nanos);

    /** Returns the cost to ask for instead of {@code cost}, if this would refuse that. */
    default Cost asked(Cost cost) {
      return cost;
    }

    /** Returns a handle if {@code cost} goes at once. */
    @Nullable Held take(Cost cost);

    /** Returns a lower bound of the wait. */
    long wait(Cost cost);

    void put(Limit limit);

    /** Returns whether this can resume what it left; then whatever is open is lost. */
    default boolean resume() {
      return false;
    }

    /** Returns whether this has forgotten everything, as a key that was dropped. */
    default boolean forgot() {
      return false;
    }

    @Override
    default void close() {}
  }

  /** A permit. */
  interface Held {
    void end(Outcome outcome);

    /** The request is sent now. */
    void send();

    /** Returns whether this is charged {@code actual} from now on. */
    boolean settle(Cost actual);
  }

  /** A permit that is open. */
  private record Open(Held held, ChangeOracle.Request request) {}

  private final Subject subject;
  private final List<Open> open = new ArrayList<>();
  private final EachAlone alone = new EachAlone();
  private boolean mustLetGo; // what all limits allow
  private ChangeOracle oracle;
  private @Nullable String wrong;

  private ChangePlay(Subject subject, Limit first) {
    this.subject = subject;
    this.oracle = new ChangeOracle(first);
    alone.add(first);
  }

  /** Returns what is held up, or null: anything that all limits so far would let go. */
  static @Nullable String heldUp(ChangeScript script, Subject subject) {
    var play = new ChangePlay(subject, script.first());
    play.mustLetGo = true;
    script.steps().stream()
        .filter(step -> !(step instanceof ChangeScript.Send)) // whose start is another one then
        .forEach(play::run);
    return play.wrong;
  }

  /** Returns what is wrong, or null. */
  static @Nullable String run(ChangeScript script, Subject subject) {
    var play = new ChangePlay(subject, script.first());
    for (ChangeScript.Step step : script.steps()) {
      play.run(step);
      play.forgetIfDropped();
    }
    return play.wrong == null ? play.oracle.judge() : play.wrong;
  }

  private void run(ChangeScript.Step step) {
    if (step instanceof ChangeScript.Pass pass) {
      pass(pass.span().toNanos());
    } else if (step instanceof ChangeScript.Take take) {
      take(subject.asked(take.cost()), take.times());
    } else if (step instanceof ChangeScript.Await await) {
      await(subject.asked(await.cost()));
    } else if (step instanceof ChangeScript.End end && !open.isEmpty()) {
      Open ended = open.remove(end.which() % open.size());
      ended.held.end(end.outcome());
      if (oracle.tracked(ended.request)) {
        alone.ended(ended.request.sending, subject.now(), ended.request.cost(), end.outcome());
      }
      oracle.ended(ended.request, subject.now(), end.outcome());
    } else if (step instanceof ChangeScript.Settle settle && !open.isEmpty()) {
      settle(open.get(settle.which() % open.size()), settle.percent());
    } else if (step instanceof ChangeScript.Send send && !open.isEmpty()) {
      send(open.get(send.which() % open.size()));
    } else if (step instanceof ChangeScript.Put put) {
      subject.put(put.limit());
      alone.add(put.limit());
      oracle.changed(subject.now(), put.limit());
    } else if (step instanceof ChangeScript.Resume && subject.resume()) {
      open.forEach(lost -> oracle.ended(lost.request, subject.now(), Outcome.LOST));
      open.clear();
      oracle.resumed();
    }
  }

  private void send(Open open) {
    if (oracle.isInTime(open.request, subject.now())) {
      open.held.send();
      alone.sent(open.request.sending, subject.now(), open.request.cost());
      oracle.sent(open.request, subject.now());
    }
  }

  private void pass(long nanos) {
    subject.pass(nanos);
    forgetIfDropped();
  }

  /** A key that is dropped is new when it comes again. */
  private void forgetIfDropped() {
    if (subject.forgot()) {
      wrong = wrong == null ? oracle.judge() : wrong;
      oracle = new ChangeOracle(oracle.limit());
    }
  }

  private void take(Cost cost, int times) {
    for (int i = 0; i < times; i++) {
      Held held = subject.take(cost);
      if (held == null) {
        boolean heldUp = mustLetGo && oracle.hasOneLog() && alone.allow(subject.now(), cost);
        wrong = heldUp && wrong == null ? cost + " is held up at " + subject.now() : wrong;
        return;
      }
      alone.released(subject.now(), cost, oracle.tracks());
      open.add(new Open(held, oracle.released(subject.now(), cost)));
    }
  }

  private void await(Cost cost) {
    long wait = subject.wait(cost);
    if (wait <= LONGEST_WAIT) {
      pass(wait);
      take(cost, 1);
    }
  }

  /** A limit that never heard of a request might take it for another of the same instant. */
  private void settle(Open open, int percent) {
    Cost charged = open.request.cost();
    Cost actual = charged.withAmount(charged.amount() * percent / 100);
    if (oracle.isKnown(open.request) && open.held.settle(actual)) {
      alone.settled(
          open.request.start,
          open.request.sending,
          subject.now(),
          charged,
          actual,
          oracle.tracked(open.request));
      oracle.settled(open.request, actual);
    }
  }
}
