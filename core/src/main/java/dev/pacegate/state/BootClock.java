package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.UTF_8;

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
public record BootClock(Clock wall, UUID boot) {

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  private static final Path OFFSETS = Path.of("/proc/self/timens_offsets");

  static final UUID UNKNOWN = new UUID(0, 0);

  /** Returns this machine. */
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

  /** Containers of one boot may have monotonic clocks of their own, so many seconds apart. */
  static UUID ofContainer(UUID boot, String offsets) {
    return UUID.nameUUIDFromBytes((boot + offsets).getBytes(UTF_8));
  }

  /** Returns the wall's nanoseconds since 1970, right until 2262. */
  long wallNanos() {
    Instant now = wall.instant();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }
}
