package dev.pacegate.engine.source;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.EngineMonitor;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.LimitCheck;
import dev.pacegate.engine.Refusal;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Succession;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The link between a pool and the source of its meters: makes the meters, and lets news in. Its
 * fields are guarded by the gate except where noted.
 */
public final class Feed implements NewsSink, Succession {

  /** Who draws from the pool: a limiter, one key of it, or all its keys. */
  public interface FeedOwner {

    /** Returns whether {@code lane} draws from it. */
    boolean owns(Lane lane);

    /** News were told: the waiters are called anew. */
    void told(Visit visit);

    /** Returns the cost of all waiters; none if none may go now. */
    Cost wanted(long now);

    /** Puts a limit in force, as the source does so for all. */
    void change(Limit next);
  }

  private final MeterSource source;
  private final EngineMonitor engine;
  private final Errands errands;
  private final Optional<Object> key;
  private final @Nullable Feed common; // of all keys
  private List<Consumer<FeedOwner>> early = new ArrayList<>(0); // guarded by this
  private volatile @Nullable FeedOwner owner; // once it can be told anything
  private @Nullable SourcedMeter meter; // in force; null if it stands for all keys
  private @Nullable String unavailable;
  private @Nullable Cost refused; // the cost of a request that did not wait

  public Feed(
      MeterSource source,
      EngineMonitor engine,
      Errands errands,
      @Nullable Object key,
      @Nullable Feed common) {
    this.source = source;
    this.engine = engine;
    this.errands = errands;
    this.key = Optional.ofNullable(key);
    this.common = common;
  }

  /**
   * Sets a limit by way of the source, or by {@code putInForce} if the source leaves it to that.
   */
  @Override
  public void setLimit(Limit present, Limit next, Consumer<Limit> putInForce) {
    source.check(next);
    if (next.equals(present) || !source.takesChange(next, this)) {
      putInForce.accept(next);
    }
  }

  // ---- meters

  @Override
  public Meter first(Limit limit, long began, InstantSource shifted) {
    source.check(limit);
    meter = newMeter(limit, engine.clock.now());
    return meter;
  }

  private SourcedMeter newMeter(Limit limit, long now) {
    var context =
        new MeterSource.MeterContext(
            limit, key, now, engine.time, this, Optional.ofNullable(common));
    FedMeter fed = requireNonNull(source.newMeter(context), "MeterSource.newMeter returned null");
    var made = new SourcedMeter(this, errands, fed);
    boolean sound = false;
    try {
      LimitCheck.check(limit, fed);
      sound = true;
    } finally {
      if (!sound && meter == null) { // the first is made outside the gate
        errands.dismiss(fed, now);
      } else if (!sound) {
        made.retire(now);
      }
    }
    return made;
  }

  @Override
  public Meter successor(Takeover takeover) {
    long now = takeover.now();
    SourcedMeter meter = errands.make(() -> newMeter(takeover.next(), now));
    boolean takenOver = false;
    try {
      FedMeter before = ((SourcedMeter) takeover.meter()).fed;
      errands.make(() -> takeOver(meter.fed, before, now, takeover.open()));
      takenOver = true;
    } finally {
      if (!takenOver) {
        meter.retire(now);
      }
    }
    return meter;
  }

  private static FedMeter takeOver(
      FedMeter fed, FedMeter before, long now, Collection<OpenRequest> open) {
    fed.goesOnFrom(now, List.of(before));
    if (fed.tracks()) {
      open.forEach(request -> fed.adopt(request.startedAt(), request.cost()));
    }
    return fed;
  }

  /** Retires the meter before {@code successor}. */
  @Override
  public void install(Meter successor, long now) {
    SourcedMeter before = meter;
    meter = (SourcedMeter) successor;
    if (before != null) {
      before.retire(now);
    }
    errands.touch(meter);
  }

  @Override
  public void discard(Meter successor, long now) {
    ((SourcedMeter) successor).retire(now);
  }

  /** The limiter was closed, or the key dropped. */
  @Override
  public void retire(long now) {
    if (meter != null) {
      meter.retire(now);
    }
  }

  // ---- what is wanted

  @Override
  public void refused(Cost cost) {
    refused = refused == null ? cost : refused.plus(cost);
  }

  /** Returns the cost of all requests that want permits, and forgets those that do not wait. */
  Cost wanted(long now) {
    FeedOwner known = owner;
    Cost waiting = known == null ? Cost.none() : known.wanted(now);
    Cost alsoWanted = refused;
    refused = null;
    return alsoWanted == null ? waiting : waiting.plus(alsoWanted);
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public @Nullable String unavailable() {
    return unavailable != null || common == null ? unavailable : common.unavailable();
  }

  @Override
  public @Nullable String unavailable(long now) {
    String why = unavailable();
    SourcedMeter inForce = meter;
    return why != null || inForce == null ? why : inForce.unavailable(now).orElse(null);
  }

  /** A source that refuses has failed. */
  @Override
  public boolean fails(long now) {
    SourcedMeter inForce = meter;
    return unavailable() != null || (inForce != null && inForce.fails(now));
  }

  // ---- news, from any thread

  /** Lets in what has been told so far, and from now on. Call it outside the gate. */
  public void open(FeedOwner opener) {
    List<Consumer<FeedOwner>> told;
    synchronized (this) {
      owner = opener;
      told = early;
      early = List.of();
    }
    told.forEach(each -> each.accept(opener));
  }

  private void whenOpen(Consumer<FeedOwner> action) {
    FeedOwner known = owner;
    if (known == null) {
      synchronized (this) {
        known = owner;
        if (known == null) {
          early.add(action);
          return;
        }
      }
    }
    action.accept(known);
  }

  @Override
  public long now() {
    return engine.clock.now();
  }

  @Override
  public void tell(LongConsumer news) {
    requireNonNull(news);
    errands.mustBeOutside("NewsSink.tell");
    whenOpen(known -> engine.run(visit -> hear(news, known, visit)));
  }

  private void hear(LongConsumer news, FeedOwner known, Visit visit) {
    errands.guard(() -> news.accept(visit.now));
    unavailable = null;
    if (meter != null) {
      errands.touch(meter);
    }
    known.told(visit);
  }

  @Override
  public void change(Limit next) {
    errands.mustBeOutside("NewsSink.change");
    source.check(next);
    whenOpen(known -> known.change(next));
  }

  @Override
  public void refuse(String why) {
    requireNonNull(why);
    errands.mustBeOutside("NewsSink.refuse");
    whenOpen(
        known ->
            engine.run(
                visit -> {
                  unavailable = why;
                  turnAway(known, visit);
                }));
  }

  private void turnAway(FeedOwner known, Visit visit) {
    if (!engine.state.queue.isObserving()) {
      engine.state.queue.turnAway(known::owns, Refusal.UNAVAILABLE, visit);
    }
  }
}
