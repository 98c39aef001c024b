package dev.pacegate.redis;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A meter of a limit that the store counts. It lets through what was leased to this process. */
final class SharedMeter implements FedMeter {

  private final Terms terms;
  private final Meter own; // what this process alone has sent, to be reported
  private SharedLimit limit;
  private boolean replaced;
  private long tookOverAt;

  SharedMeter(Terms terms, SharedLimit limit, long now) {
    this.terms = terms;
    this.limit = limit;
    this.own = terms.limit().newMeter(now);
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return limit.bookAt(now).nanosUntil(now, cost);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    if (limit.book().isMore(cost)) {
      return NEVER;
    }
    return limit.book().isFree(cost) ? 0 : limit.book().closedFor(now);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    own.release(since, now, cost);
    limit.book().start(now, now, cost);
  }

  @Override
  public void startsLate(long now, Cost cost) {
    own.startsLate(now, cost);
    limit.book().startsLate(now, cost);
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    own.sent(startedAt, now, cost);
    limit.bookAt(now).sent(startedAt, now, cost);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    own.end(startedAt, now, cost, end);
    limit.bookAt(now).end(startedAt, now, cost, end);
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    own.settle(startedAt, now, charged, actual);
    limit.bookAt(now).settle(startedAt, now, charged, actual);
  }

  @Override
  public boolean tracks() {
    return terms.tracks();
  }

  @Override
  public Measure measure() {
    return own.measure();
  }

  /**
   * Returns what stands for the terms: one meter of each measure. They are asked for that alone.
   */
  @Override
  public List<Meter> leaves() {
    return own.leaves();
  }

  @Override
  public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    own.settle(releasedAt, sentAt, now, charged, actual);
    limit.bookAt(now).settle(tracks() ? sentAt : releasedAt, now, charged, actual);
  }

  @Override
  public boolean goesOnFrom(long now, List<Meter> old) {
    tookOverAt = now;
    for (Meter meter : old) {
      if (meter instanceof SharedMeter before) {
        limit = before.limit;
        limit.book().change(terms, now);
        before.replaced = true;
      }
    }
    return true;
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    limit.book().adopt(startedAt, tookOverAt, cost);
  }

  @Override
  public boolean recall(long now, Past past) {
    return own.recall(now, past);
  }

  @Override
  public long restsIn(long now) {
    return limit.book().hasOpen() ? AT_EVENT : own.restsIn(now);
  }

  @Override
  public void most(LongConsumer sink) {
    own.most(sink);
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return own.losses(now, cost);
  }

  @Override
  public @Nullable Runnable errand(long now, Cost wanted) {
    return replaced ? null : limit.errand(now, wanted);
  }

  @Override
  public @Nullable String unavailable(long now) {
    return limit.unavailable(now);
  }

  @Override
  public boolean fails(long now) {
    return limit.fails(now);
  }

  @Override
  public void retire(long now) {
    if (!replaced) {
      limit.retire();
    }
  }
}
