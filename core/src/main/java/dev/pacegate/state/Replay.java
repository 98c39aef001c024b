package dev.pacegate.state;

import static java.util.Objects.requireNonNull;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.ShiftedTime;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.Slots.DamagedException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Reads what a file holds, and has it happen once more to a fresh meter.
 *
 * <p>Where the file does not reach back to its beginning, all that the limit gives counts as
 * released at the instant of the oldest entry.
 */
final class Replay {

  /** Something that happened. */
  private record Event(long number, Runnable replay) {}

  private final TreeMap<Long, Era> eras = new TreeMap<>();
  private final List<long[]> over = new ArrayList<>(); // the oldest first
  private final TreeMap<Integer, long[]> open = new TreeMap<>(); // by slot
  private final IdentityHashMap<long[], long[]> startOf =
      new IdentityHashMap<>(); // of what was adopted
  private final Set<long[]> inFlight = new LinkedHashSet<>(); // in the course of the replay
  private final boolean full; // the ring has been full, so that older entries may be missing
  private long base;
  private ShiftedTime timeOfDay = new ShiftedTime(InstantSource.system());
  private long began; // the instant of the first that is known, by the limiter's clock
  private Limit limit = Limits.unlimited();
  private Meter meter = limit.newMeter(0);
  private Cost charged = Cost.none();

  Replay(StateFile file) throws DamagedException {
    readEras(file.eras);
    readRing(file.ring);
    for (int slot = 0; slot < file.open.count(); slot++) {
      long[] entry = file.open.read(slot);
      if (entry != null) {
        check(eras.containsKey(entry[Entry.ERA]));
        open.put(slot, entry);
      }
    }
    this.full = !over.isEmpty() && (number(0) > 1 || over.size() == file.ring.count() / 2);
  }

  // ---- reading

  private void readEras(Slots slots) throws DamagedException {
    for (int slot = 0; slot < slots.count(); slot++) {
      long[] numbers = slots.read(slot);
      if (numbers != null) {
        Era era = Era.read(numbers);
        eras.put(era.number(), era);
      }
    }
    check(!eras.isEmpty() && eras.lastKey() - eras.firstKey() == eras.size() - 1);
    check(eras.firstKey() == 1 || eras.size() >= slots.count() - 1);
  }

  private void readRing(Slots slots) throws DamagedException {
    for (int place = 0; place < slots.count() / 2; place++) {
      long[] entry = slots.readLast(2 * place);
      if (entry != null) {
        over.add(entry);
      }
    }
    over.sort(Comparator.comparingLong(entry -> entry[Entry.NUMBER]));
    if (!over.isEmpty()) {
      check(number(over.size() - 1) - number(0) == over.size() - 1);
      check(number(0) == 1 || over.size() >= slots.count() / 2 - 1);
    }
  }

  private long number(int index) {
    return over.get(index)[Entry.NUMBER];
  }

  private static void check(boolean sound) throws DamagedException {
    if (!sound) {
      throw new DamagedException();
    }
  }

  // ---- what there is

  /** Returns the era in which the process ended. */
  Era last() {
    return eras.lastEntry().getValue();
  }

  /** Returns the number of the last entry of what is over. */
  long number() {
    return over.isEmpty() ? 0 : number(over.size() - 1);
  }

  /** Returns the number of the last event. */
  long events() {
    return latest(Entry.BORN, Entry.DONE, last().born());
  }

  /** Returns the latest instant. */
  long latest() {
    return latest(Entry.START, Entry.END, last().at());
  }

  private long latest(int begin, int end, long least) {
    long latest = least;
    for (long[] entry : all()) {
      latest = Math.max(latest, Math.max(entry[begin], entry[end]));
    }
    return latest;
  }

  private List<long[]> all() {
    return Stream.concat(over.stream(), open.values().stream()).toList();
  }

  // ---- replaying

  /**
   * Returns the meter to which all of it has happened, by a clock that stands at 0 at {@code now}
   * of the file. What has not ended is lost then, as its process is.
   */
  Meter meter(long now, Journal journal, InstantSource present) {
    base = now;
    timeOfDay = new ShiftedTime(present);
    Era first = first();
    boolean cut = full && over.get(0)[Entry.ERA] == first.number(); // older entries may be missing
    long at = (cut ? over.get(0)[Entry.END] : first.at()) - base;
    boolean spent = first.spent() || cut || first.number() > 1;
    began = at;
    limit = first.limit();
    timeOfDay.goBack(-at);
    meter = spent ? limit.newSpentMeter(at, timeOfDay) : limit.newMeter(at, timeOfDay);
    events(first).forEach(event -> event.replay.run());
    timeOfDay.goBack(0);
    open.forEach((slot, entry) -> lose(slot, entry, journal));
    return meter;
  }

  /** Returns since when anything is known, once it has been replayed. */
  long began() {
    return began;
  }

  /** Returns the era to begin with: that of the oldest entry, if there were others before. */
  private Era first() {
    Era oldest = full ? eras.get(over.get(0)[Entry.ERA]) : null;
    return oldest == null ? eras.firstEntry().getValue() : oldest;
  }

  /** Finds where permits started that were noted as open only when another limit came. */
  private void findStarts() {
    var starts = new ArrayList<>(over);
    starts.removeIf(entry -> Entry.kind(entry) != Entry.STARTED);
    for (long[] entry : all()) {
      if (Entry.isAdopted(entry) && !awaitsChange(entry)) {
        var same = starts.stream().filter(start -> Entry.isSameRequest(start, entry)).findFirst();
        same.ifPresent(start -> startOf.put(entry, start));
        same.ifPresent(starts::remove);
      }
    }
  }

  private List<Event> events(Era first) {
    findStarts();
    var events = new ArrayList<Event>();
    eras.tailMap(first.number(), false)
        .values()
        .forEach(era -> events.add(new Event(era.born(), () -> change(era))));
    all().forEach(entry -> addTo(events, entry));
    events.sort(Comparator.comparingLong(Event::number));
    return events;
  }

  private void addTo(List<Event> events, long[] entry) {
    if (!eras.containsKey(entry[Entry.ERA]) || awaitsChange(entry)) {
      return; // so old that its limit is not known any more, or never in force
    }
    Runnable begin =
        switch (Entry.kind(entry)) {
          case Entry.STARTED -> () -> startAndEnd(entry);
          case Entry.LATE -> () -> startLate(entry);
          case Entry.CHARGED -> () -> charged = cost(entry);
          case Entry.SETTLED -> () -> settle(entry);
          default -> () -> start(entry);
        };
    events.add(new Event(entry[Entry.BORN], begin));
    if (entry[Entry.DONE] != entry[Entry.BORN]) {
      Outcome end = Entry.end(Entry.kind(entry));
      events.add(new Event(entry[Entry.DONE], () -> end(entry, end)));
    }
  }

  /** Starts what is not known to have ended, unless it was open when another limit came. */
  private void startAndEnd(long[] entry) {
    start(entry);
    if (meter.tracks() && !startOf.containsValue(entry)) {
      end(entry, Outcome.LOST);
    } else if (!meter.tracks()) {
      inFlight.remove(entry);
    }
  }

  private void start(long[] entry) {
    if (!Entry.isAdopted(entry)) {
      meter.release(entry[Entry.SINCE] - base, at(entry[Entry.START]), cost(entry));
    } else if (entry[Entry.BORN] < first().born() && meter.tracks()) {
      long start = entry[Entry.START] - base;
      meter.release(start, start, cost(entry)); // the change is not replayed
    }
    long[] start = startOf.get(entry);
    if (start != null) {
      inFlight.remove(start);
    }
    inFlight.add(entry);
  }

  private void end(long[] entry, Outcome end) {
    inFlight.remove(entry);
    meter.end(entry[Entry.START] - base, at(entry[Entry.END]), cost(entry), end);
  }

  /** Returns an instant of the file as the limiter's, and sets the time of day to it. */
  private long at(long instant) {
    timeOfDay.goBack(base - instant);
    return instant - base;
  }

  /** Returns whether a permit was to move along to a limit that did not come into force. */
  private boolean awaitsChange(long[] entry) {
    return Entry.isAdopted(entry) && entry[Entry.BORN] > last().born();
  }

  private void lose(int slot, long[] entry, Journal journal) {
    if (awaitsChange(entry)) {
      journal.notAdopted(slot);
      return;
    }
    meter.end(entry[Entry.START] - base, 0, cost(entry), Outcome.LOST);
    journal.lost(slot, entry);
  }

  private void startLate(long[] entry) {
    meter.startsLate(at(entry[Entry.START]), cost(entry));
  }

  private void settle(long[] entry) {
    if (charged.calls() > 0) {
      meter.settle(entry[Entry.START] - base, at(entry[Entry.END]), charged, cost(entry));
      charged = Cost.none();
    }
  }

  private void change(Era era) {
    long at = at(era.at());
    List<OpenRequest> open =
        inFlight.stream()
            .map(entry -> new OpenRequest(entry[Entry.START] - base, cost(entry)))
            .toList();
    meter = ChangedMeter.of(limit, meter, began, era.limit(), at, timeOfDay, open);
    limit = era.limit();
  }

  private Cost cost(long[] entry) {
    return Entry.cost(entry, Era.names(requireNonNull(eras.get(entry[Entry.ERA])).limit()));
  }
}
