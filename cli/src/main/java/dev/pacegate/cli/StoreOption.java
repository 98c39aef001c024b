package dev.pacegate.cli;

import dev.pacegate.Limiter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options for a limit that several processes share through Redis. They name no class of the
 * Redis client: a command without them starts without loading it.
 */
final class StoreOption implements OptionGroup {

  private final StoreServer server = new StoreServer();
  private @Nullable String name;
  private boolean durable;

  @Override
  public void addTo(CommandOptions options) {
    server.addTo(options);
    options
        .text(
            "--name",
            "NAME",
            "the name of the shared limit: all processes that give the same and the same --store"
                + " keep LIMIT together",
            text -> name = text)
        .flag(
            "--durable",
            "the server loses nothing that it has acknowledged, so its restart costs no fence; to"
                + " be given by all processes that share the limit, see docs/cluster.md",
            is -> durable = is);
  }

  /** Returns whether any of these options is given. */
  boolean isGiven() {
    return server.given() != null || name != null || durable;
  }

  /** Builds a limiter whose limit is counted in the store, once that is connected. */
  OpenLimiter open(Limiter.Builder builder, Map<String, String> environment) throws Failure {
    String given = server.given();
    if (!"--store".equals(given)) {
      throw new Failure(
          (name != null ? "--name" : given != null ? given : "--durable")
              + " needs --store, such as --store redis://localhost:6379");
    }
    if (name == null) {
      throw new Failure("--store needs --name: the processes that give the same share a limit");
    }
    if (name.isEmpty()) {
      throw new Failure("--name must not be empty");
    }
    return StoreConnection.open(server.login(environment), name, durable, builder);
  }
}
