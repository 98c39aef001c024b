package dev.pacegate.state;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.Succession;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.Slots.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of a limiter's releases in a file, so that the next process continues where this one
 * stops, however it stops.
 *
 * <p>To resume is to replay the log. Opened and closed by one thread; all else is guarded by the
 * limiter's gate.
 */
public final class SavedState implements Succession, AutoCloseable {

  private final StateFile file;
  private final Journal journal;
  private final BootClock machine;
  private final Meter meter;
  private final long began; // the first known instant

  private SavedState(StateFile file, Journal journal, BootClock machine, Meter meter, long began) {
    this.began = began;
    this.file = file;
    this.journal = journal;
    this.machine = machine;
    this.meter = new LoggedMeter(meter, journal.limit(), journal);
  }

  /**
   * Resumes from {@code path} under {@code limit}, by a clock whose {@code reading} is 0 of the
   * limiter.
   *
   * @param timeOfDay for limits that follow the calendar
   * @throws IOException if the file can neither be used nor created; the message names it
   * @throws IllegalArgumentException if a file cannot store {@code limit}
   */
  public static SavedState open(
      Path path, Limit limit, BootClock machine, long reading, InstantSource timeOfDay)
      throws IOException {
    return open(path, limit, machine, reading, timeOfDay, FileSize.of(limit), MappedMemory::new);
  }

  static SavedState open(
      Path path,
      Limit limit,
      BootClock machine,
      long reading,
      InstantSource timeOfDay,
      FileSize size,
      StateFile.Mapping mapping)
      throws IOException {
    check(limit);
    var opening = new Opening(limit, machine, reading, timeOfDay);
    StateFile file = opening.file(path, size, mapping);
    try {
      if (!file.size.holds(size)) {
        file = opening.grow(file, path, size, mapping);
      }
      return opening.resume(file);
    } catch (IllegalArgumentException unreadable) {
      file.close();
      throw new IOException(
          "the state file "
              + path
              + " holds another version's limit ("
              + unreadable.getMessage()
              + "); "
              + StartOver.advice(limit),
          unreadable);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Checks that a file can store {@code limit}.
   *
   * @throws IllegalArgumentException if not
   */
  public static void check(Limit limit) {
    LimitEpoch.check(limit);
  }

  /** The opening of a file for a limit that is in force from {@code reading} of a clock on. */
  private record Opening(Limit limit, BootClock machine, long reading, InstantSource timeOfDay) {

    StateFile file(Path path, FileSize size, StateFile.Mapping mapping) throws IOException {
      try {
        return StateFile.open(path, size, mapping, made -> begin(made, 1, false));
      } catch (StateFile.UnusableException e) {
        String other = e.wasOne ? "" : "name another file, unless this was one: ";
        throw new IOException(e.getMessage() + "; " + other + StartOver.advice(limit), e);
      }
    }

    /** A file that is damaged stays as it is: nothing in it is worth copying. */
    StateFile grow(StateFile file, Path path, FileSize size, StateFile.Mapping mapping)
        throws IOException {
      try {
        return file.grow(path, size, mapping, new Replay(file)::copyTo);
      } catch (DamagedException damaged) {
        return file;
      }
    }

    SavedState resume(StateFile file) {
      try {
        ProcessRecord before = ProcessRecord.read(file.process);
        var replay = new Replay(file);
        Long now = now(before, replay.latest());
        return now == null || before.forgot() ? beginSpent(file) : goOn(file, before, replay, now);
      } catch (DamagedException damaged) {
        return beginSpent(file);
      }
    }

    /** Returns the present instant of the file; null if it cannot be determined. */
    private @Nullable Long now(ProcessRecord process, long latest) {
      boolean sameBoot =
          process.boot().equals(machine.boot()) && !process.boot().equals(BootClock.UNKNOWN);
      if (sameBoot && reading + process.offset() >= latest) {
        return reading + process.offset();
      }
      long passed = Math.max(0, machine.wallNanos() - process.wall());
      return process.closed() ? process.closedAt() + passed : null;
    }

    private SavedState goOn(StateFile file, ProcessRecord before, Replay replay, long now) {
      ProcessRecord process = process(before.generation() + 1, now, false);
      process.writeTo(file.process);
      file.force(); // so that a power failure cannot leave only the former record, which was closed
      var journal =
          new Journal(file, process, replay.last(), now, replay.number(), replay.events());
      Meter meter = replay.meter(now, journal, timeOfDay);
      Limit last = journal.limit();
      if (!limit.equals(last)) {
        meter =
            ChangedMeter.of(
                new Takeover(last, meter, replay.began(), limit, 0, timeOfDay, List.of()));
        journal.changed(limit, 0);
      }
      return new SavedState(file, journal, machine, meter, replay.began());
    }

    /** Starts over with a file whose contents are not reliable. */
    private SavedState beginSpent(StateFile file) {
      file.process.wipe();
      process(2, 0, true).writeTo(file.process); // in case it does not come to an end
      file.force();
      file.wipe();
      Journal journal = begin(file, 3, true);
      return new SavedState(file, journal, machine, limit.newSpentMeter(0, timeOfDay), 0);
    }

    /** Writes that nothing has happened yet, or that all the limit gives may be spent. */
    Journal begin(StateFile file, long generation, boolean spent) {
      var epoch = new LimitEpoch(1, 1, 0, spent, limit);
      epoch.writeTo(file.epochs);
      ProcessRecord process = process(generation, 0, false);
      process.writeTo(file.process);
      return new Journal(file, process, epoch, 0, 0, epoch.born());
    }

    /** Returns the record of a process that begins at {@code now} of the file. */
    private ProcessRecord process(long generation, long now, boolean forgot) {
      return new ProcessRecord(generation, machine.boot(), now - reading, false, 0, 0, forgot);
    }
  }

  @Override
  public void setLimit(Limit present, Limit next, Consumer<Limit> putInForce) {
    check(next);
    putInForce.accept(next);
  }

  /** Returns the meter that goes on where an earlier process stopped. */
  @Override
  public Meter first(Limit limit, long begun, InstantSource timeOfDay) {
    return meter;
  }

  /** Returns the initial meter; its instants count from the reading. */
  Meter meter() {
    return meter;
  }

  @Override
  public Meter successor(Takeover takeover) {
    Meter before = ((LoggedMeter) takeover.meter()).meter();
    Meter after = PLAIN.successor(takeover.from(before, began));
    var logged = new LoggedMeter(after, takeover.next(), journal);
    takeover.open().forEach(logged::noteOpen);
    return logged;
  }

  @Override
  public void install(Meter successor, long now) {
    ((LoggedMeter) successor).install(now);
  }

  @Override
  public void settlesLate(long startedAt, long now, Cost charged, Cost actual) {
    journal.settledLate(startedAt, now, charged, actual);
  }

  /** Stops writing: later events are not stored, except that open permits stay open. */
  @Override
  public void retire(long now) {
    journal.stop();
  }

  /** Marks the file as complete at {@code now} of the limiter, and releases it. */
  public void close(long now) throws IOException {
    try {
      file.force();
      journal.closed(now, machine.wallNanos()).writeTo(file.process);
      file.force();
    } finally {
      close();
    }
  }

  /** Releases the file as it is. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
