package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.WaitHistogram;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
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

  /** The most that was counted of one promise. */
  record Counted(Promise promise, long count) implements Most {}
}
