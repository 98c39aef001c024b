package dev.pacegate.state;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.Slots.DamagedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a limiter has released, in a file, so that the next process goes on where this one stops,
 * however it stops.
 *
 * <p>The state is the log of what was released; to resume is to replay it. Opened and closed by one
 * thread; all else is guarded by the limiter's gate.
 */
public final class SavedState implements AutoCloseable {

  private final StateFile file;
  private final Journal journal;
  private final BootClock machine;
  private final Meter meter;
  private final long began; // since when anything is known

  private SavedState(StateFile file, Journal journal, BootClock machine, Meter meter, long began) {
    this.began = began;
    this.file = file;
    this.journal = journal;
    this.machine = machine;
    this.meter = new LoggedMeter(meter, journal.limit(), journal);
  }

  /**
   * Resumes what {@code path} holds, under {@code limit}, by a clock whose {@code reading} is 0 of
   * the limiter.
   *
   * @param timeOfDay for limits that follow the calendar
   * @throws IOException if there is no such file to be had; the message names it
   * @throws IllegalArgumentException if {@code limit} cannot be kept in a file
   */
  public static SavedState open(
      Path path, Limit limit, BootClock machine, long reading, InstantSource timeOfDay)
      throws IOException {
    return open(path, limit, machine, reading, timeOfDay, StateFile.Size.USUAL, MappedMemory::new);
  }

  static SavedState open(
      Path path,
      Limit limit,
      BootClock machine,
      long reading,
      InstantSource timeOfDay,
      StateFile.Size size,
      StateFile.Mapping mapping)
      throws IOException {
    check(limit);
    var opening = new Opening(limit, machine, reading, timeOfDay);
    StateFile file = StateFile.open(path, size, mapping, made -> opening.begin(made, 1, false));
    try {
      return opening.resume(file);
    } catch (IllegalArgumentException unreadable) {
      file.close();
      throw new IOException(
          "the state file " + path + " holds another version's limit: " + unreadable.getMessage(),
          unreadable);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Checks that {@code limit} can be kept in a file.
   *
   * @throws IllegalArgumentException if not
   */
  public static void check(Limit limit) {
    LimitEpoch.check(limit);
  }

  /** What a file is opened for: a limit that is in force from {@code reading} of a clock on. */
  private record Opening(Limit limit, BootClock machine, long reading, InstantSource timeOfDay) {

    SavedState resume(StateFile file) {
      try {
        ProcessRecord before = ProcessRecord.read(file.life);
        var replay = new Replay(file);
        Long now = now(before, replay.latest());
        return now == null || before.forgot() ? beginSpent(file) : goOn(file, before, replay, now);
      } catch (DamagedException damaged) {
        return beginSpent(file);
      }
    }

    /** Returns the instant of the file that it is now; null if that cannot be told. */
    private @Nullable Long now(ProcessRecord life, long latest) {
      boolean sameBoot = life.boot().equals(machine.boot()) && !life.boot().equals(BootClock.UNKNOWN);
      if (sameBoot && reading + life.offset() >= latest) {
        return reading + life.offset();
      }
      long passed = Math.max(0, machine.wallNanos() - life.wall());
      return life.closed() ? life.closedAt() + passed : null;
    }

    private SavedState goOn(StateFile file, ProcessRecord before, Replay replay, long now) {
      ProcessRecord life = life(before.generation() + 1, now, false);
      life.writeTo(file.life);
      file.force(); // so that no power failure leaves only the life before, which was closed
      var journal = new Journal(file, life, replay.last(), now, replay.number(), replay.events());
      Meter meter = replay.meter(now, journal, timeOfDay);
      Limit last = journal.limit();
      if (!limit.equals(last)) {
        meter = ChangedMeter.of(last, meter, replay.began(), limit, 0, timeOfDay, List.of());
        journal.changed(limit, 0);
      }
      return new SavedState(file, journal, machine, meter, replay.began());
    }

    /** Begins with a file that says nothing certain, and may have said anything. */
    private SavedState beginSpent(StateFile file) {
      file.life.wipe();
      life(2, 0, true).writeTo(file.life); // in case it does not come to an end
      file.force();
      file.wipe();
      Journal journal = begin(file, 3, true);
      return new SavedState(file, journal, machine, limit.newSpentMeter(0, timeOfDay), 0);
    }

    /** Writes down that nothing has happened yet, or that all the limit gives may be spent. */
    Journal begin(StateFile file, long generation, boolean spent) {
      var era = new LimitEpoch(1, 1, 0, spent, limit);
      era.writeTo(file.eras);
      ProcessRecord life = life(generation, 0, false);
      life.writeTo(file.life);
      return new Journal(file, life, era, 0, 0, era.born());
    }

    /** A life that begins at {@code now} of the file. */
    private ProcessRecord life(long generation, long now, boolean forgot) {
      return new ProcessRecord(generation, machine.boot(), now - reading, false, 0, 0, forgot);
    }
  }

  /** Returns the meter to begin with; its instants are since the reading. */
  public Meter meter() {
    return meter;
  }

  /**
   * Returns the meter of {@code next} that would take over from {@code old}, logged from then on.
   */
  public Meter successor(
      Meter old,
      Limit limit,
      Limit next,
      long now,
      InstantSource timeOfDay,
      Collection<OpenRequest> open) {
    Meter before = ((LoggedMeter) old).meter();
    Meter after = ChangedMeter.of(limit, before, began, next, now, timeOfDay, open);
    var logged = new LoggedMeter(after, next, journal);
    open.forEach(logged::noteOpen);
    return logged;
  }

  /** Notes that {@code meter}, which must be logged, has taken over. */
  public void install(Meter meter, long now) {
    ((LoggedMeter) meter).install(now);
  }

  /** Notes that what was sent late is corrected, before its meter is told. */
  public void settlesLate(long startedAt, long now, Cost charged, Cost actual) {
    journal.settledLate(startedAt, now, charged, actual);
  }

  /** Writes nothing more: what happens from now on is forgotten, but for what is open. */
  public void stop() {
    journal.stop();
  }

  /** Marks the file as whole, by {@code now} of the limiter, and leaves it to others. */
  public void close(long now) throws IOException {
    file.force();
    journal.closed(now, machine.wallNanos()).writeTo(file.life);
    file.force();
    close();
  }

  /** Leaves the file to others as it is. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
