package dev.pacegate.engine.source;

import dev.pacegate.engine.Engine;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.Options;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.MeterSource;

/** A limiter whose limit a source counts, as the source sees it. Thread-safe. */
public final class WholeFeed implements Feed.FeedOwner {

  private final Engine engine;

  private WholeFeed(Engine engine) {
    this.engine = engine;
  }

  /**
   * Returns the engine of a limiter whose limit {@code source} counts.
   *
   * @throws IllegalArgumentException if a source cannot feed such a limiter, or not this one
   */
  public static Engine engine(Options options, MeterSource source) {
    check(options);
    var engine = new Engine(options, made -> new Feed(source, made, Errands.of(made), null, null));
    ((Feed) engine.state.pools.whole.succession()).open(new WholeFeed(engine));
    return engine;
  }

  private static void check(Options options) {
    if (options.state() != null) {
      throw new IllegalArgumentException(
          "a limiter with a source takes no state file: the source knows what was released: "
              + options.state());
    }
    options
        .lanes()
        .forEach(
            (lane, share) -> {
              if (share.reservedPercent() > 0) {
                throw new IllegalArgumentException(
                    "a limiter with a source takes no reserved shares because it has only permits that"
                        + " the source gives it: lane "
                        + lane);
              }
            });
  }

  @Override
  public boolean owns(Lane lane) {
    return true;
  }

  @Override
  public void told(Visit visit) {
    engine.state.queue.uncallAll();
  }

  @Override
  public Cost wanted(long now) {
    return engine.state.wanted(null, now);
  }

  @Override
  public void change(Limit next) {
    engine.costs.know(next);
    engine.run(
        visit -> {
          if (!engine.state.isClosed()) {
            engine.install(engine.state.pools.shares(next), visit);
          }
        });
  }
}
