package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a limit of which a source counts some terms, and the limiter the others: checked
 * together and charged together. A failure of the source's meter does not keep the other from being
 * told. Guarded by the gate.
 */
final class SourcedMeter implements Meter, Errands.Errant {

  final FedMeter fed;
  final SharedTerms terms;
  final @Nullable Meter local;
  private final Limit limit;
  private final Feed feed;
  private final Errands errands;
  private final boolean fedTracks;
  private boolean retired;

  SourcedMeter(
      Feed feed,
      Errands errands,
      Limit limit,
      SharedTerms terms,
      FedMeter fed,
      @Nullable Meter local) {
    this.feed = feed;
    this.errands = errands;
    this.limit = limit;
    this.terms = terms;
    this.fed = fed;
    this.local = local;
    this.fedTracks = fed.tracks();
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
    long wait = errands.guardWait(() -> fed.nanosUntil(since, now, cost));
    return local == null ? wait : Math.max(wait, local.nanosUntil(since, now, cost));
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    errands.touch(this);
    long wait = errands.guardWait(() -> fed.atLeast(since, now, ahead, cost));
    long known = wait == AT_EVENT ? 0 : wait; // a lower bound: news may come at once
    return local == null ? known : Math.max(known, local.atLeast(since, now, ahead, cost));
  }

  @Override
  public long restsIn(long now) {
    long wait = errands.guardWait(() -> fed.restsIn(now));
    return local == null ? wait : Math.max(wait, local.restsIn(now));
  }

  @Override
  public boolean tracks() {
    return fedTracks || (local != null && local.tracks());
  }

  @Override
  public Measure measure() {
    return local == null ? fed.measure() : Measure.PLAIN;
  }

  @Override
  public List<Meter> leaves() {
    if (local == null) {
      return fed.leaves();
    }
    var leaves = new ArrayList<>(fed.leaves());
    leaves.addAll(local.leaves());
    return leaves;
  }

  @Override
  public boolean recall(long now, Past past) {
    boolean remembers = fed.recall(now, past);
    return local == null ? remembers : local.recall(now, past) || remembers;
  }

  @Override
  public long askAgainAfter() {
    return local == null ? NEVER : local.askAgainAfter();
  }

  /** Reports in the order of the limit's own terms. */
  @Override
  public void most(LongConsumer sink) {
    List<Long> shared = mostOf(fed);
    List<Long> own = local == null ? List.of() : mostOf(local);
    int ofShared = 0;
    int ofOwn = 0;
    for (Limit term : limit.terms()) {
      boolean isShared = terms.shared().terms().contains(term);
      for (int i = term.promises().size(); i > 0; i--) {
        sink.accept(isShared ? next(shared, ofShared++) : next(own, ofOwn++));
      }
    }
  }

  private List<Long> mostOf(Meter meter) {
    var most = new ArrayList<Long>();
    errands.guard(() -> meter.most(most::add));
    return most;
  }

  /** Returns an element, or 0 if a failure has cut the list short. */
  private static long next(List<Long> most, int index) {
    return index < most.size() ? most.get(index) : 0;
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return local == null ? Losses.NONE : local.losses(now, cost);
  }

  // ---- recording

  /** Returns why its source gives no permits for now; null if it does. */
  @Nullable String unavailable(long now) {
    var why = new AtomicReference<@Nullable String>();
    errands.guard(() -> why.set(fed.unavailable(now)));
    return why.get();
  }

  @Override
  public void release(long since, long now, Cost cost) {
    tell(() -> fed.release(since, now, cost));
    if (local != null) {
      local.release(since, now, cost);
    }
  }

  @Override
  public void startsLate(long now, Cost cost) {
    tell(() -> fed.startsLate(now, cost));
    if (local != null) {
      local.startsLate(now, cost);
    }
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    tell(() -> fed.sent(startedAt, now, cost));
    if (local != null) {
      local.sent(startedAt, now, cost);
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    if (fedTracks) {
      tell(() -> fed.end(startedAt, now, cost, end));
    }
    if (local != null) {
      local.end(startedAt, now, cost, end);
    }
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    settle(startedAt, startedAt, now, charged, actual);
  }

  @Override
  public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    tell(() -> fed.settle(releasedAt, sentAt, now, charged, actual));
    if (local != null) {
      local.settle(releasedAt, sentAt, now, charged, actual);
    }
  }

  @Override
  public void dated(long startedAt, long now, Instant date) {
    tell(() -> fed.dated(startedAt, now, date));
    if (local != null) {
      local.dated(startedAt, now, date);
    }
  }
}
