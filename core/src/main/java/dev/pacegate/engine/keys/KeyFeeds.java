package dev.pacegate.engine.keys;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Engine;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.source.Errands;
import dev.pacegate.engine.source.Feed;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.MeterSource;
import org.jspecify.annotations.Nullable;

/** Keys whose limits a source counts, as the source sees them. Thread-safe. */
final class KeyFeeds<K> implements Feed.FeedOwner {

  private final KeyLanes<K> keys;
  private final Engine engine;
  private final MeterSource source;
  private final Errands errands;
  private final Feed common; // the sink for news about every key; it has no meter
  private @Nullable Feed latest; // of the key that had news; guarded by the gate

  /**
   * @throws IllegalArgumentException if the source cannot count the limit of the keys
   */
  KeyFeeds(KeyLanes<K> keys, MeterSource source) {
    this.keys = keys;
    this.engine = keys.engine;
    this.source = source;
    source.check(keys.limit());
    this.errands = engine.visit(visit -> Errands.of(engine));
    this.common = new Feed(source, engine, errands, null, null);
  }

  /** Lets the source tell news for all keys. */
  void open() {
    common.open(this);
  }

  /** Returns the link for the lane of {@code key}. */
  Feed of(K key) {
    return new Feed(source, engine, errands, key, common);
  }

  /** Lets the source tell news for a lane that is in use from now on. */
  void open(KeyLane<K> lane) {
    feed(lane).open(new OfKey<>(this, lane));
  }

  private static Feed feed(Lane lane) {
    return (Feed) requireNonNull(lane.own).succession();
  }

  /**
   * Returns what the key says that had news last, as there may be many: most trouble is that of the
   * source, and so of all keys.
   */
  @Nullable String unavailable(long now) {
    return (latest == null ? common : latest).unavailable(now);
  }

  /** As {@link #unavailable}. */
  boolean fails(long now) {
    return (latest == null ? common : latest).fails(now);
  }

  /** Sets the common limit by way of the source. */
  void setLimit(Limit next) {
    common.setLimit(keys.limit(), next, keys::putInForce);
  }

  /** Sets the limit of one key by way of the source. */
  void setLimit(K key, Limit next) {
    if (keys.isClosed()) {
      return;
    }
    KeyLane<K> lane = keys.pin(key);
    if (lane == null) {
      throw keys.tooMany();
    }
    try (lane) {
      feed(lane).setLimit(keys.limitOf(key), next, limit -> keys.putInForce(key, limit));
    }
  }

  // ---- news for all keys

  @Override
  public boolean owns(Lane lane) {
    return keys.owns(lane);
  }

  @Override
  public void told(Visit visit) {
    engine.state.queue.uncallAllAndFed();
  }

  @Override
  public Cost wanted(long now) {
    return Cost.none();
  }

  @Override
  public void change(Limit next) {
    if (!keys.isClosed()) {
      keys.putInForce(next);
    }
  }

  // ---- news for one

  /** One lane of a key. */
  private record OfKey<K>(KeyFeeds<K> feeds, KeyLane<K> lane) implements Feed.FeedOwner {

    @Override
    public boolean owns(Lane other) {
      return other == lane;
    }

    @Override
    public void told(Visit visit) {
      feeds.latest = feed(lane);
      feeds.engine.state.queue.uncall(lane);
      lane.mayRest(visit);
    }

    @Override
    public Cost wanted(long now) {
      boolean paused = requireNonNull(lane.own).isPaused(now);
      return paused ? Cost.none() : feeds.engine.state.wanted(lane, now);
    }

    /** The limit outlives the lane. */
    @Override
    public void change(Limit next) {
      KeyLanes<K> keys = feeds.keys;
      if (!keys.isClosed()) {
        keys.putInForce(lane.key, next);
      }
    }
  }
}
