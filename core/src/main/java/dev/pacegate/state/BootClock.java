package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;

/**
 * The clock that measures the time between two processes.
 *
 * @param wall the wall clock, which may be set
 * @param boot identifies the boot of the machine: while it is the same, the monotonic clock has run
 *     on; 0 if it is not known
 */
public record BootClock(Clock wall, UUID boot) {

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private static final Path OFFSETS = Path.of("/proc/self/timens_offsets");

  static final UUID UNKNOWN = new UUID(0, 0);

  /** Returns the clock of this machine. */
  public static BootClock here() {
    return new BootClock(Clock.systemUTC(), readBoot());
  }

  private static UUID readBoot() {
    try {
      UUID boot = UUID.fromString(Files.readString(BOOT).strip());
      return Files.exists(OFFSETS) ? ofContainer(boot, Files.readString(OFFSETS)) : boot;
    } catch (IOException | IllegalArgumentException | SecurityException notLinux) {
      return UNKNOWN;
    }
  }

  /** Containers of one boot may have monotonic clocks of their own, offset by whole seconds. */
  static UUID ofContainer(UUID boot, String offsets) {
    return UUID.nameUUIDFromBytes((boot + offsets).getBytes(UTF_8));
  }

  /** Returns the wall clock's nanoseconds since 1970, correct until 2262. */
  long wallNanos() {
    Instant now = wall.instant();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }
}
