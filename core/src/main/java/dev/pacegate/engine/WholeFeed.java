package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.MeterSource;
import java.util.function.Consumer;

/** A limiter whose limit a source counts, as the source sees it. Thread-safe. */
final class WholeFeed implements Feed.Owner {

  private final Engine engine;
  private final Feed feed;

  WholeFeed(Engine engine, Feed feed) {
    this.engine = engine;
    this.feed = feed;
  }

  /**
   * Returns the link to the source of a limiter that has one.
   *
   * @throws IllegalArgumentException if a source cannot feed such a limiter
   */
  static Feed feed(Options options, Clock clock, Errands errands) {
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
                    "a limiter with a source takes no reserved shares, as it has only permits that"
                        + " the source gives it: lane "
                        + lane);
              }
            });
    MeterSource source = requireNonNull(options.source());
    return new Feed(source, clock, options.time(), errands, null, null);
  }

  /** Sets a limit by way of the source. */
  void setLimit(Limit next) {
    feed.setLimit(engine.limit(), next, engine::putInForce);
  }

  @Override
  public void visit(Consumer<Visit> step) {
    engine.run(step);
  }

  @Override
  public void told(Visit visit) {
    engine.state.recall();
  }

  @Override
  public void turnAway(Visit visit) {
    if (!engine.state.isObserving()) {
      engine.state.turnAway(lane -> true, Refusal.UNAVAILABLE, visit);
    }
  }

  @Override
  public Cost wanted(long now) {
    return engine.state.wanted(null, now);
  }

  @Override
  public void change(Limit next) {
    engine.knowNames(next);
    engine.run(
        visit -> {
          if (!engine.state.isClosed()) {
            engine.install(engine.state.shares(next), visit);
          }
        });
  }
}
