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
import java.util.UUID;
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
  private final Machine machine;
  private final Meter meter;
  private final long began; // since when anything is known

  private SavedState(StateFile file, Journal journal, Machine machine, Meter meter, long began) {
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
      Path path, Limit limit, Machine machine, long reading, InstantSource timeOfDay)
      throws IOException {
    return open(path, limit, machine, reading, timeOfDay, StateFile.Size.USUAL, Memory::new);
  }

  static SavedState open(
      Path path,
      Limit limit,
      Machine machine,
      long reading,
      InstantSource timeOfDay,
      StateFile.Size size,
      StateFile.Mapping mapping)
      throws IOException {
    check(limit);
    StateFile file =
        StateFile.open(
            path, size, mapping, made -> begin(made, life(machine, reading, 0), limit, false));
    try {
      return resume(file, limit, machine, reading, timeOfDay);
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
    Era.check(limit);
  }

  private static SavedState resume(
      StateFile file, Limit limit, Machine machine, long reading, InstantSource timeOfDay) {
    try {
      Life life = Life.read(file.life);
      var replay = new Replay(file);
      Long now = now(life, replay.latest(), machine, reading);
      return now == null || life.forgot()
          ? beginSpent(file, limit, machine, reading, timeOfDay)
          : goOn(file, life, replay, now, limit, machine, reading, timeOfDay);
    } catch (DamagedException damaged) {
      return beginSpent(file, limit, machine, reading, timeOfDay);
    }
  }

  /** Returns the instant of the file that it is now; null if that cannot be told. */
  private static @Nullable Long now(Life life, long latest, Machine machine, long reading) {
    boolean sameBoot = life.boot().equals(machine.boot()) && !life.boot().equals(Machine.UNKNOWN);
    if (sameBoot && reading + life.offset() >= latest) {
      return reading + life.offset();
    }
    return life.closed() ? life.closedAt() + Math.max(0, machine.wallNanos() - life.wall()) : null;
  }

  private static SavedState goOn(
      StateFile file,
      Life before,
      Replay replay,
      long now,
      Limit limit,
      Machine machine,
      long reading,
      InstantSource timeOfDay) {
    Life life = life(machine, reading, now).after(before);
    life.writeTo(file.life);
    file.force(); // or a power failure might leave the last life, which was closed, and not this
    // one
    var journal = new Journal(file, life, replay.last(), now, replay.number(), replay.events());
    Meter meter = replay.meter(now, journal, timeOfDay);
    if (!limit.equals(journal.limit())) {
      meter =
          ChangedMeter.of(journal.limit(), meter, replay.began(), limit, 0, timeOfDay, List.of());
      journal.changed(limit, 0);
    }
    return new SavedState(file, journal, machine, meter, replay.began());
  }

  /** Begins with a file that says nothing certain, and may have said anything. */
  private static SavedState beginSpent(
      StateFile file, Limit limit, Machine machine, long reading, InstantSource timeOfDay) {
    Life life = life(machine, reading, 0);
    file.life.wipe();
    life.forgetting().writeTo(file.life); // in case it does not come to an end
    file.force();
    file.wipe();
    Era era = begin(file, life.after(life.forgetting()), limit, true);
    var journal = new Journal(file, life.after(life.forgetting()), era, 0, 0, era.born());
    return new SavedState(file, journal, machine, limit.newSpentMeter(0, timeOfDay), 0);
  }

  private static Era begin(StateFile file, Life life, Limit limit, boolean spent) {
    var era = new Era(1, 1, 0, spent, limit);
    era.writeTo(file.eras);
    life.writeTo(file.life);
    return era;
  }

  /** A life that begins at {@code now} of the file. */
  private static Life life(Machine machine, long reading, long now) {
    UUID boot = machine.boot();
    return new Life(1, boot, now - reading, false, 0, 0, false);
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
