package dev.pacegate.cli;

import dev.pacegate.Limiter;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The options that say where a limiter keeps what it lets through, if not in this process alone.
 */
final class LimiterOptions implements OptionGroup {

  private final StateOption state = new StateOption();
  private final StoreOption store = new StoreOption();

  @Override
  public void addTo(CommandOptions options) {
    state.addTo(options);
    store.addTo(options);
  }

  /**
   * Builds a limiter.
   *
   * @param informs whether to print what is no warning, too
   */
  OpenLimiter open(Limiter.Builder builder, World world, boolean informs) throws Failure {
    if (!store.isGiven()) {
      return new OpenLimiter(state.build(builder), () -> {});
    }
    if (state.isGiven()) {
      throw new Failure(
          "--state cannot be used with --store: the store knows what was let through");
    }
    Log.printOfStores(informs ? Level.INFO : Level.WARNING);
    return store.open(builder, world.environment());
  }

  /** Returns whether any of them is given. */
  boolean areGiven() {
    return state.isGiven() || store.isGiven();
  }

  /** Returns the file of --state; null if there is none. */
  @Nullable Path stateFile() {
    return state.file();
  }

  /** Returns whether other processes share the limit, and may change it. */
  boolean isShared() {
    return store.isGiven();
  }
}
