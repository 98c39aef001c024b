package dev.pacegate.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;

/**
 * What tells how much time has passed between two processes.
 *
 * @param wall the clock on the wall, which somebody may set
 * @param boot names the time since the machine was started: as long as it is the same, the
 *     monotonic clock has gone on; 0 if that is not known
 */
public record Machine(Clock wall, UUID boot) {

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  static final UUID UNKNOWN = new UUID(0, 0);

  /** Returns this machine. */
  public static Machine here() {
    return new Machine(Clock.systemUTC(), readBoot());
  }

  private static UUID readBoot() {
    try {
      return UUID.fromString(Files.readString(BOOT).strip());
    } catch (IOException | IllegalArgumentException | SecurityException notLinux) {
      return UNKNOWN;
    }
  }

  /** Returns the wall's nanoseconds since 1970, right until 2262. */
  long wallNanos() {
    Instant now = wall.instant();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }
}
