package dev.pacegate.state;

import static java.util.Objects.requireNonNull;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.ShiftedTime;
import dev.pacegate.history.Takeover;
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
 * Reads the entries of a file, and replays them to a fresh meter.
 *
 * <p>If the entries do not reach back to the beginning, all that the limit gives counts as released
 * at the instant of the oldest entry.
 */
final class Replay {

  /** An event to replay. */
  private record Event(long number, Runnable replay) {}

  private final TreeMap<Long, LimitEpoch> epochs = new TreeMap<>();
  private final List<long[]> over = new ArrayList<>(); // the oldest first
  private final TreeMap<Integer, long[]> open = new TreeMap<>(); // by slot
  private final IdentityHashMap<long[], long[]> startOf =
      new IdentityHashMap<>(); // of adopted permits
  private final Set<long[]> inFlight = new LinkedHashSet<>(); // during the replay
  private final boolean full; // the ring is full: older entries may be missing
  private long base;
  private ShiftedTime timeOfDay = new ShiftedTime(InstantSource.system());
  private long began; // the first known instant, by the limiter's clock
  private Limit limit = Limits.unlimited();
  private Meter meter = limit.newMeter(0);
  private Cost charged = Cost.none();

  Replay(StateFile file) throws DamagedException {
    readEpochs(file.epochs);
    readRing(file.ring);
    for (int slot = 0; slot < file.open.count(); slot++) {
      long[] entry = file.open.read(slot);
      if (entry != null) {
        check(epochs.containsKey(entry[LogRecord.EPOCH]));
        open.put(slot, entry);
      }
    }
    this.full = !over.isEmpty() && (number(0) > 1 || over.size() == file.ring.count() / 2);
  }

  // ---- reading

  private void readEpochs(Slots slots) throws DamagedException {
    for (int slot = 0; slot < slots.count(); slot++) {
      long[] numbers = slots.read(slot);
      if (numbers != null) {
        LimitEpoch epoch = LimitEpoch.read(numbers);
        epochs.put(epoch.number(), epoch);
      }
    }
    check(!epochs.isEmpty() && epochs.lastKey() - epochs.firstKey() == epochs.size() - 1);
    check(epochs.firstKey() == 1 || epochs.size() >= slots.count() - 1);
  }

  private void readRing(Slots slots) throws DamagedException {
    for (int place = 0; place < slots.count() / 2; place++) {
      long[] entry = slots.readLast(2 * place);
      if (entry != null) {
        // An epoch is written before its entries. An entry may outlive an epoch that is forgotten.
        check(entry[LogRecord.EPOCH] <= epochs.lastKey());
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

  // ---- contents

  /** Returns the epoch in which the process ended. */
  LimitEpoch last() {
    return epochs.lastEntry().getValue();
  }

  /** Returns the number of the last entry in the ring. */
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
   * Returns a meter to which everything was replayed, by a clock that is 0 at {@code now} of the
   * file. Requests that have not ended are lost then, as their process is.
   */
  Meter meter(long now, Journal journal, InstantSource present) {
    base = now;
    timeOfDay = new ShiftedTime(present);
    LimitEpoch first = first();
    long at = begins(first) - base;
    boolean spent = isSpent(first);
    began = at;
    limit = first.limit();
    timeOfDay.goBack(-at);
    meter = spent ? limit.newSpentMeter(at, timeOfDay) : limit.newMeter(at, timeOfDay);
    events(first).forEach(event -> event.replay.run());
    timeOfDay.goBack(0);
    open.forEach((slot, entry) -> lose(slot, entry, journal));
    return meter;
  }

  /**
   * Writes everything to the parts of a larger file, numbered from 1. If earlier entries may be
   * missing here, all that the limit gives counts as released there when its first epoch begins.
   */
  void copyTo(StateFile larger) {
    LimitEpoch first = first();
    long before = first.number() - 1;
    for (LimitEpoch epoch : epochs.tailMap(first.number()).values()) {
      boolean isFirst = epoch.equals(first);
      new LimitEpoch(
              epoch.number() - before,
              epoch.born(),
              isFirst ? begins(first) : epoch.at(),
              isFirst ? isSpent(first) : epoch.spent(),
              epoch.limit())
          .writeTo(larger.epochs);
    }
    int number = 0;
    for (long[] entry : over) {
      long[] copy = copy(entry, before);
      copy[LogRecord.NUMBER] = ++number;
      copy[LogRecord.VERSION] = 0;
      larger.ring.write(2 * (number % larger.size.ring()), copy);
    }
    open.forEach((slot, entry) -> larger.open.write(slot, copy(entry, before)));
  }

  private static long[] copy(long[] entry, long before) {
    long[] copy = entry.clone();
    copy[LogRecord.EPOCH] -= before;
    return copy;
  }

  /** Returns whether older entries of an epoch may be missing. */
  private boolean isCut(LimitEpoch first) {
    return full && over.get(0)[LogRecord.EPOCH] == first.number();
  }

  private long begins(LimitEpoch first) {
    return isCut(first) ? over.get(0)[LogRecord.END] : first.at();
  }

  private boolean isSpent(LimitEpoch first) {
    return first.spent() || isCut(first) || first.number() > 1;
  }

  /** Returns the first known instant, after the replay. */
  long began() {
    return began;
  }

  /** Returns the epoch to begin with: that of the oldest entry, if earlier ones may be missing. */
  private LimitEpoch first() {
    LimitEpoch oldest = full ? epochs.get(over.get(0)[LogRecord.EPOCH]) : null;
    return oldest == null ? epochs.firstEntry().getValue() : oldest;
  }

  /** Finds the starts of permits that were logged as open only when another limit came. */
  private void findStarts() {
    var starts = new ArrayList<>(over);
    starts.removeIf(entry -> LogRecord.kind(entry) != LogRecord.STARTED);
    for (long[] entry : all()) {
      if (LogRecord.isAdopted(entry) && !awaitsChange(entry)) {
        var same =
            starts.stream().filter(start -> LogRecord.isSameRequest(start, entry)).findFirst();
        same.ifPresent(start -> startOf.put(entry, start));
        same.ifPresent(starts::remove);
      }
    }
  }

  private List<Event> events(LimitEpoch first) {
    findStarts();
    var events = new ArrayList<Event>();
    epochs
        .tailMap(first.number(), false)
        .values()
        .forEach(epoch -> events.add(new Event(epoch.born(), () -> change(epoch))));
    all().forEach(entry -> addTo(events, entry));
    events.sort(Comparator.comparingLong(Event::number));
    return events;
  }

  private void addTo(List<Event> events, long[] entry) {
    if (!epochs.containsKey(entry[LogRecord.EPOCH]) || awaitsChange(entry)) {
      // Its limit was never in force, or is forgotten. Where limits are forgotten, the oldest that
      // is
      // known begins spent.
      return;
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

  /** Starts a request without a known end, unless it was open when another limit came. */
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

  /** Converts an instant of the file to the limiter's clock, and sets the time of day to it. */
  private long at(long instant) {
    timeOfDay.goBack(base - instant);
    return instant - base;
  }

  /** Returns whether a permit was to be taken over by a limit that was not put in force. */
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

  private void change(LimitEpoch epoch) {
    long at = at(epoch.at());
    List<OpenRequest> open =
        inFlight.stream()
            .map(entry -> new OpenRequest(entry[LogRecord.START] - base, cost(entry)))
            .toList();
    meter = ChangedMeter.of(new Takeover(limit, meter, began, epoch.limit(), at, timeOfDay, open));
    limit = epoch.limit();
  }

  private Cost cost(long[] entry) {
    return LogRecord.cost(
        entry, LimitEpoch.names(requireNonNull(epochs.get(entry[LogRecord.EPOCH])).limit()));
  }
}
