package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A file beside a state file that tells until when the other side is to be left alone. */
final class KeptPause {

  private final Path file;
  private Instant end = Instant.MIN; // that is in the file

  private KeptPause(Path file) {
    this.file = file;
  }

  /** Returns the one that belongs to a state file; null if there is none. */
  static @Nullable KeptPause of(@Nullable Path state) {
    Path file = path(state);
    return file == null ? null : new KeptPause(file);
  }

  /** Returns the path of the one that belongs to a state file; null if there is none. */
  static @Nullable Path path(@Nullable Path state) {
    return state == null ? null : state.resolveSibling(state.getFileName() + ".pause");
  }

  /**
   * Pauses for what is left of a pause of an earlier run; closes the limiter if that fails.
   *
   * @param pauses that are asked for: a clock may have been set back, so it is no longer than these
   */
  void goOn(OpenLimiter open, Collection<Duration> pauses, World world) throws Failure {
    goOn(open, pauses.stream().max(Duration::compareTo).orElse(Duration.ZERO), world);
  }

  /**
   * Pauses for what is left of a pause of an earlier run, but for no longer than {@code longest};
   * closes the limiter if that fails.
   */
  void goOn(OpenLimiter open, Duration longest, World world) throws Failure {
    try {
      pause(open.limiter(), longest, world);
    } catch (Failure | RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  private void pause(Limiter limiter, Duration longest, World world) throws Failure {
    Duration left = Duration.between(world.time().instant(), read());
    Duration pause = left.compareTo(longest) > 0 ? longest : left;
    if (!pause.isNegative() && !pause.isZero()) {
      limiter.pauseFor(pause);
      world.say("nothing is sent for " + Durations.brief(pause));
    }
  }

  private Instant read() throws Failure {
    try {
      return Instant.parse(Files.readString(file).strip());
    } catch (NoSuchFileException none) {
      return Instant.EPOCH;
    } catch (DateTimeParseException e) {
      throw new Failure(file + " tells no instant: remove it");
    } catch (IOException e) {
      throw Failure.cannotRead(file.toString(), e);
    }
  }

  /** A pause begins now. */
  void begin(Duration pause, Instant now) throws Failure {
    until(now.plus(pause));
  }

  /** A pause ends then. An earlier end than that of the last one changes nothing. */
  synchronized void until(Instant until) throws Failure {
    if (!until.isAfter(end)) {
      return;
    }
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.writeString(unfinished, until + "\n");
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      end = until;
    } catch (IOException e) {
      throw Failure.cannotWrite(file.toString(), e);
    }
  }
}
