package dev.pacegate.history;

import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Replays the past to a fresh meter, in the order of its instants. */
final class HistoryReplay {

  /** The start or the end of a request. */
  private record ReplayStep(long at, boolean begins, Entry entry) {}

  private final ShiftedTime timeOfDay;
  private final long now;

  HistoryReplay(ShiftedTime timeOfDay, long now) {
    this.timeOfDay = timeOfDay;
    this.now = now;
  }

  void run(List<Entry> entries, Collection<OpenRequest> open, Meter meter) {
    var steps = new ArrayList<ReplayStep>();
    for (Entry entry : entries) {
      steps.add(new ReplayStep(entry.beginsAt(), true, entry));
      if (meter.tracks()) {
        steps.add(new ReplayStep(entry.end(), false, entry));
      }
    }
    for (OpenRequest request : open) {
      Entry begun = Entry.started(request.startedAt(), request.startedAt(), request.cost());
      steps.add(new ReplayStep(request.startedAt(), true, begun));
    }
    steps.sort(
        (a, b) -> a.at != b.at ? Long.signum(a.at - b.at) : Boolean.compare(b.begins, a.begins));
    for (ReplayStep step : steps) {
      timeOfDay.goBack(now - step.at);
      if (step.begins) {
        step.entry.beginIn(meter);
        meter.forgive(step.at);
      } else {
        step.entry.endIn(meter);
      }
    }
    timeOfDay.goBack(0);
  }
}
