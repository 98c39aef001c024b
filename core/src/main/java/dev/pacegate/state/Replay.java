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

  private final TreeMap<Long, LimitEpoch> eras = new TreeMap<>();
  private final List<long[]> over = new ArrayList<>(); // the oldest first
  private final TreeMap<Integer, long[]> open = new TreeMap<>(); // by slot
  private final IdentityHashMap<long[], long[]> startOf =
      new IdentityHashMap<>(); // of what was adopted
  private final Set<long[]> inFlight = new LinkedHashSet<>(); // in the course of the replay
  private final boolean full; // as far as there is room: older entries may be missing
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
        check(eras.containsKey(entry[LogRecord.ERA]));
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
        LimitEpoch era = LimitEpoch.read(numbers);
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
    over.sort(Comparator.comparingLong(entry -> entry[LogRecord.NUMBER]));
    if (!over.isEmpty()) {
      check(number(over.size() - 1) - number(0) == over.size() - 1);
      check(number(0) == 1 || over.size() >= slots.count() / 2 - 1);
    }
  }

  private long number(int index) {
    return over.get(index)[LogRecord.NUMBER];
  }

  private static void check(boolean sound) throws DamagedException {
    if (!sound) {
      throw new DamagedException();
    }
  }

  // ---- what there is

  /** Returns the era in which the process ended. */
  LimitEpoch last() {
    return eras.lastEntry().getValue();
  }

  /** Returns the number of the last entry of what is over. */
  long number() {
    return over.isEmpty() ? 0 : number(over.size() - 1);
  }

  /** Returns the number of the last event. */
  long events() {
    return latest(LogRecord.BORN, LogRecord.DONE, last().born());
  }

  /** Returns the latest instant. */
  long latest() {
    return latest(LogRecord.START, LogRecord.END, last().at());
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
    LimitEpoch first = first();
    boolean cut = full && over.get(0)[LogRecord.ERA] == first.number(); // older entries may be missing
    long at = (cut ? over.get(0)[LogRecord.END] : first.at()) - base;
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
  private LimitEpoch first() {
    LimitEpoch oldest = full ? eras.get(over.get(0)[LogRecord.ERA]) : null;
    return oldest == null ? eras.firstEntry().getValue() : oldest;
  }

  /** Finds where permits started that were noted as open only when another limit came. */
  private void findStarts() {
    var starts = new ArrayList<>(over);
    starts.removeIf(entry -> LogRecord.kind(entry) != LogRecord.STARTED);
    for (long[] entry : all()) {
      if (LogRecord.isAdopted(entry) && !awaitsChange(entry)) {
        var same = starts.stream().filter(start -> LogRecord.isSameRequest(start, entry)).findFirst();
        same.ifPresent(start -> startOf.put(entry, start));
        same.ifPresent(starts::remove);
      }
    }
  }

  private List<Event> events(LimitEpoch first) {
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
    if (!eras.containsKey(entry[LogRecord.ERA]) || awaitsChange(entry)) {
      return; // so old that its limit is not known any more, or never in force
    }
    Runnable begin =
        switch (LogRecord.kind(entry)) {
          case LogRecord.STARTED -> () -> startAndEnd(entry);
          case LogRecord.LATE -> () -> startLate(entry);
          case LogRecord.CHARGED -> () -> charged = cost(entry);
          case LogRecord.SETTLED -> () -> settle(entry);
          default -> () -> start(entry);
        };
    events.add(new Event(entry[LogRecord.BORN], begin));
    if (entry[LogRecord.DONE] != entry[LogRecord.BORN]) {
      Outcome end = LogRecord.end(LogRecord.kind(entry));
      events.add(new Event(entry[LogRecord.DONE], () -> end(entry, end)));
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
    if (!LogRecord.isAdopted(entry)) {
      meter.release(entry[LogRecord.SINCE] - base, at(entry[LogRecord.START]), cost(entry));
    } else if (entry[LogRecord.BORN] < first().born() && meter.tracks()) {
      long start = entry[LogRecord.START] - base;
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
    meter.end(entry[LogRecord.START] - base, at(entry[LogRecord.END]), cost(entry), end);
  }

  /** Returns an instant of the file as the limiter's, and sets the time of day to it. */
  private long at(long instant) {
    timeOfDay.goBack(base - instant);
    return instant - base;
  }

  /** Returns whether a permit was to move along to a limit that did not come into force. */
  private boolean awaitsChange(long[] entry) {
    return LogRecord.isAdopted(entry) && entry[LogRecord.BORN] > last().born();
  }

  private void lose(int slot, long[] entry, Journal journal) {
    if (awaitsChange(entry)) {
      journal.notAdopted(slot);
      return;
    }
    meter.end(entry[LogRecord.START] - base, 0, cost(entry), Outcome.LOST);
    journal.lost(slot, entry);
  }

  private void startLate(long[] entry) {
    meter.startsLate(at(entry[LogRecord.START]), cost(entry));
  }

  private void settle(long[] entry) {
    if (charged.calls() > 0) {
      meter.settle(entry[LogRecord.START] - base, at(entry[LogRecord.END]), charged, cost(entry));
      charged = Cost.none();
    }
  }

  private void change(LimitEpoch era) {
    long at = at(era.at());
    List<OpenRequest> open =
        inFlight.stream()
            .map(entry -> new OpenRequest(entry[LogRecord.START] - base, cost(entry)))
            .toList();
    meter = ChangedMeter.of(limit, meter, began, era.limit(), at, timeOfDay, open);
    limit = era.limit();
  }

  private Cost cost(long[] entry) {
    return LogRecord.cost(entry, LimitEpoch.names(requireNonNull(eras.get(entry[LogRecord.ERA])).limit()));
  }
}
