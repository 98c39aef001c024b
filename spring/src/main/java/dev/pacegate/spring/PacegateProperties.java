package dev.pacegate.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter.
 *
 * @param limits The limits by name, such as "10/1m"; each becomes a Limiter with that qualifier. It
 *     counts as the peer does, but for terms that say "starts"
 * @param refresh How often the limits are read again, so that a property that changes in the
 *     environment takes effect; 0 for never. Boot itself does not read its files again
 * @param store The address of the Redis server through which processes share the limits, such as
 *     "redis://host:6379", of a node of a Redis Cluster, or of Sentinels, such as
 *     "redis-sentinel://host:26379/0#name"; without it each process counts for itself. The store
 *     keeps the limit in force: one that it knows is changed by the endpoint, or by a property of a
 *     running process, not by a new start
 * @param fresh Whether names that the store does not know have never been used, so that they begin
 *     without a fence
 * @param whenDown What requests do while the store cannot be reached
 */
@ConfigurationProperties("pacegate")
record PacegateProperties(
    @DefaultValue Map<String, String> limits,
    @DefaultValue("500ms") Duration refresh,
    @Nullable String store,
    @DefaultValue("false") boolean fresh,
    @DefaultValue("wait") StoreDown whenDown) {

  /** What requests do while the store cannot be reached. */
  enum StoreDown {
    /** They wait. */
    WAIT,
    /** They fail at once. */
    FAIL
  }

  /** Leaves out the store, whose address may hold a password. */
  @Override
  public String toString() {
    return "pacegate" + limits;
  }
}
