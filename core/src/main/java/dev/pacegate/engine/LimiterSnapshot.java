package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.WaitHistogram;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What {@link EngineState} tells of itself. */
record LimiterSnapshot(
    String name,
    Limit limit,
    long granted,
    long refused,
    long cancelled,
    long heldBack,
    long late,
    long refusedByPeer,
    long takenByOthers,
    int waiting,
    int open,
    Duration oldestOpen,
    boolean paused,
    WaitHistogram waits,
    List<Snapshot.Most> most)
    implements Snapshot {

  /** Returns what there is to tell of a limiter that nothing has used. */
  static LimiterSnapshot unused(String name, Limit limit) {
    var most = new ArrayList<Snapshot.Most>();
    for (Promise promise : limit.promises()) {
      most.add(new Counted(promise, 0));
    }
    WaitHistogram waits = WaitHistogram.of(new long[64]);
    return new LimiterSnapshot(
        name, limit, 0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, false, waits, most);
  }

  /** The most that was counted of one promise. */
  record Counted(Promise promise, long count) implements Most {}
}
