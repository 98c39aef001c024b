package dev.pacegate.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is set for all limits of a store.
 *
 * @param whenDown what requests do while the store cannot be reached
 * @param partition for how long a server that was replaced may go on granting; null if that is not
 *     stated
 * @param fresh whether a name that the store does not know has never been used
 * @param durable whether the server loses nothing that it has acknowledged
 * @param hash of keys; null if no secret was set
 * @param label the name of this process for people
 */
record Settings(
    WhenDown whenDown,
    @Nullable Duration partition,
    boolean fresh,
    boolean durable,
    @Nullable KeyHash hash,
    String label) {

  /** Of a server that may lose what it was told. */
  Settings(
      WhenDown whenDown,
      @Nullable Duration partition,
      boolean fresh,
      @Nullable KeyHash hash,
      String label) {
    this(whenDown, partition, fresh, false, hash, label);
  }
}
