package dev.pacegate.engine.report;

import dev.pacegate.Snapshot;
import dev.pacegate.time.Durations;
import java.time.Duration;

/** A snapshot in words: what has happened, and no figure that is 0. */
public final class SnapshotText {

  private final StringBuilder text;

  private SnapshotText(Snapshot snapshot) {
    text = new StringBuilder("Snapshot[" + snapshot.name() + ": " + snapshot.limit());
  }

  public static String of(Snapshot snapshot) {
    return new SnapshotText(snapshot).write(snapshot);
  }

  private String write(Snapshot snapshot) {
    text.append("; granted ").append(snapshot.granted());
    add("refused", snapshot.refused());
    add("cancelled", snapshot.cancelled());
    add("would have waited", snapshot.wouldHaveWaited());
    add("late", snapshot.late());
    add("lost", snapshot.lost());
    add("spent by lost requests", snapshot.spentByLost());
    add("refused by the peer", snapshot.refusedByPeer());
    add("taken by others", snapshot.takenByOthers());
    add("waiting", snapshot.waiting());
    addAge(snapshot.oldestWait());
    add("open", snapshot.open());
    addAge(snapshot.oldestOpen());
    text.append(snapshot.paused() ? ", paused" : "");
    snapshot.unavailable().ifPresent(why -> text.append(", ").append(why));
    snapshot
        .workingRate()
        .ifPresent(rate -> text.append(", slowed down to ").append(RateText.of(rate)));
    text.append("; waited ").append(snapshot.waits());
    for (Snapshot.Most most : snapshot.most()) {
      text.append("; most ").append(most.count()).append(", ").append(most.promise().text());
    }
    return text.append(']').toString();
  }

  private void addAge(Duration oldest) {
    if (!oldest.isZero()) {
      text.append(" for up to ").append(Durations.brief(oldest));
    }
  }

  private void add(String what, long figure) {
    if (figure > 0) {
      text.append(", ").append(what).append(' ').append(figure);
    }
  }
}
