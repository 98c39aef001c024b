package dev.pacegate.engine.source;

import dev.pacegate.history.ForwardingMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Losses;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A source's meter, of which the limiter survives the failures. Guarded by the gate. */
final class SourcedMeter extends ForwardingMeter implements Errands.HasErrand {

  final FedMeter fed;
  private final Feed feed;
  private final Errands errands;
  private final boolean tracks;
  private boolean retired;

  SourcedMeter(Feed feed, Errands errands, FedMeter fed) {
    super(fed);
    this.feed = feed;
    this.errands = errands;
    this.fed = fed;
    this.tracks = fed.tracks();
  }

  @Override
  public @Nullable Runnable errand(long now) {
    return fed.errand(now, retired ? Cost.none() : feed.wanted(now));
  }

  /** The limiter was closed, the key dropped, or another meter is in force. */
  void retire(long now) {
    if (!retired) {
      retired = true;
      tell(() -> fed.retire(now));
    }
  }

  private void tell(Runnable call) {
    errands.touch(this);
    errands.guard(call);
  }

  // ---- asking

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    errands.touch(this);
    return errands.guardWait(() -> fed.nanosUntil(since, now, cost));
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    errands.touch(this);
    long wait = errands.guardWait(() -> fed.atLeast(since, now, ahead, cost));
    return wait == AT_EVENT ? 0 : wait; // a lower bound: news may come at once
  }

  @Override
  public long restsIn(long now) {
    return errands.guardWait(() -> fed.restsIn(now));
  }

  @Override
  public long askAgainAfter() {
    return errands.guardWait(fed::askAgainAfter);
  }

  @Override
  public boolean tracks() {
    return tracks;
  }

  @Override
  public void most(LongConsumer sink) {
    errands.guard(() -> fed.most(sink));
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return errands.guard(() -> fed.losses(now, cost), Losses.NONE);
  }

  /** Returns why its source gives no permits for now; empty if it does. */
  Optional<String> unavailable(long now) {
    return errands.guard(() -> Optional.ofNullable(fed.unavailable(now)), Optional.empty());
  }

  /** Returns whether its source fails. */
  boolean fails(long now) {
    return errands.guard(() -> fed.fails(now), false);
  }

  // ---- recording

  @Override
  public void release(long since, long now, Cost cost) {
    tell(() -> fed.release(since, now, cost));
  }

  @Override
  public void startsLate(long now, Cost cost) {
    tell(() -> fed.startsLate(now, cost));
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    tell(() -> fed.sent(startedAt, now, cost));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    if (tracks) {
      tell(() -> fed.end(startedAt, now, cost, end));
    }
  }

  @Override
  public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    tell(() -> fed.settle(releasedAt, sentAt, now, charged, actual));
  }

  @Override
  public void dated(long startedAt, long now, Instant date) {
    tell(() -> fed.dated(startedAt, now, date));
  }
}
